"""The grammar of the fragments, and the guide's boundaries in what they write."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from random import Random

import pytest
from generator.grammar import FragmentError, Grammar, load_grammar
from generator.pieces import Piece, join
from generator.scene import Scene
from generator.slots import SLOTS
from recipes.small_gazetteers import small_gazetteers

LISTS = small_gazetteers()
GRAMMAR = load_grammar()
TITLE = re.compile(r"\b(?:Mr|Mrs|Ms|Miss|Dr)\b\.? ?", re.IGNORECASE)


def written(seeds: int = 12) -> Iterator[list[Piece]]:
    """Every rule, a few times."""
    for rule in GRAMMAR.rules:
        for seed in range(seeds):
            yield GRAMMAR.write(rule, Scene(Random(f"{rule}{seed}"), LISTS))


def marks(type: str) -> list[str]:
    return [text for pieces in written() for text, kind in pieces if kind == type]


def test_there_are_hundreds_of_fragments() -> None:
    assert sum(map(len, GRAMMAR.rules.values())) > 500


def test_titles_and_degrees_stay_outside_names() -> None:
    for name in [*marks("PATIENT"), *marks("DOCTOR")]:
        assert not TITLE.match(name)
        assert not re.search(r"\b(?:MD|M\.D\.|RN|PA-C|LCSW)$", name)
        assert not name.endswith(("'s", "’s"))


def test_an_age_has_a_unit_only_when_it_is_not_plain_years() -> None:
    for age in marks("AGE"):
        assert not re.search(r"year-?old|years?$|yo$|y/o", age)
        assert re.match(r"\d|[a-z]", age)


def test_a_duration_or_clock_time_is_no_date() -> None:
    for value in marks("DATE"):
        assert not re.search(r"\bago\b|\d:\d\d|\d ?[ap]\.?m\b", value, re.IGNORECASE)


def test_parts_of_an_address_are_marks_of_their_own() -> None:
    for seed in range(30):
        scene = Scene(Random(seed), LISTS)
        types = [type for _, type in GRAMMAR.write("addr", scene) if type]
        assert types[:2] == ["STREET", "CITY"]
        assert len(types) == len(set(types))


def test_an_extension_is_marked_with_its_number_or_alone_without_its_word() -> None:
    assert all(not value.startswith("ext") for value in marks("PHONE"))
    for pieces in written():
        for (text, type), (after, _) in itertools.pairwise(pieces):
            assert not (type == "PHONE" and re.match(r" ?(?:x|ext\.?) ?\d", after)), text


def test_two_marks_never_touch_and_a_person_is_one_mark() -> None:
    for pieces in written():
        for (_, type), (_, following) in itertools.pairwise(pieces):
            assert not (type and following)
        text, spans = join(pieces)
        for (_, end, type), (start, _, following) in itertools.pairwise(spans):
            if type == following and type in ("PATIENT", "DOCTOR"):
                assert text[end:start] not in (" ", ", ")


def test_traps_have_no_identifier() -> None:
    for rule in ("negative", "filler", "epo", "traps"):
        for seed in range(300):
            pieces = GRAMMAR.write(rule, Scene(Random(seed), LISTS))
            assert not any(type for _, type in pieces)


def test_labels_of_a_form_stay_between_the_values() -> None:
    """`Last X First Y` is two marks, and `City X State Y` too."""
    label = re.compile(r"(?:Last|First|City|State|Zip|County|DOB|MRN|née|Phone|Serial) |.*  ")
    for seed in range(200):
        for text, type in GRAMMAR.write("facesheet", Scene(Random(seed), LISTS)):
            assert not (type and label.match(text)), text


def test_vaccine_lots_codes_and_kin_terms_stay_outside() -> None:
    for rule in ("results", "newborn", "facesheet", "portal"):
        for seed in range(100):
            for text, type in GRAMMAR.write(rule, Scene(Random(seed), LISTS)):
                assert not (
                    type and re.match(r"(?:lot|abuela|nonna|tía|uncle|exit|Twin [AB] )", text)
                )


def test_every_slot_writes_text_for_every_country() -> None:
    for country in ("", *LISTS.abroad):
        scene = Scene(Random(1), LISTS)
        scene.country = country
        for name, slot in SLOTS.items():
            pieces = slot(scene, "1-9" if name == "num" else "")
            assert all(text.strip() for text, _ in pieces)


@pytest.mark.parametrize("fragment", ["{pt.full", "[a|b", "a]", "{nobody.full}"])
def test_a_broken_fragment_is_refused(fragment: str) -> None:
    with pytest.raises(FragmentError):
        Grammar({"rule": [fragment]})


def test_choices_slots_and_escapes() -> None:
    grammar = Grammar({"rule": [r"[a|b]{time}\[x\]\n|{other}"], "other": ["c"]})
    texts = {
        "".join(text for text, _ in grammar.write("rule", Scene(Random(seed), LISTS)))
        for seed in range(20)
    }
    assert all(re.fullmatch(r"[ab].+\[x\]\n\|c", text) for text in texts)
    assert {text[0] for text in texts} == {"a", "b"}
