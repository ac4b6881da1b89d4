"""What holds for all names, keys and patients."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable
from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incognote.replace.surrogate.banks import name_bank
from incognote.replace.surrogate.kernel import Keyed
from incognote.replace.surrogate.people import PeopleSettings, PeopleSurrogates
from incognote.replace.surrogate.people_link import link
from incognote.replace.surrogate.people_parse import (
    PersonMention,
    Piece,
    mention_at,
    name_key,
    pieces_of,
)

KEY = b"a key of the tests"
GIVEN = "Ngozi Ada Thomas Elizabeth Wassillie Jordan Rose José Eun-ji Mary Xqzara Emeka".split()
SURNAMES = (
    "Okafor Smith O'Brien McDonald Vargas-Lund Kyambadde Young Lee Nguyen Quattlebaum".split()
)
SURNAMES += ["van der Berg", "de la Cruz", "al-Rashid", "D'Angelo"]
FORMS = (
    "{g} {s}", "{s}, {g}", "{s}, {g} A.", "{g}", "{s}", "{s}'s", "{i}. {s}", "{g} {s}, Jr.",
    "{s},{g}", "{g}  {s}", "{g}\n{s}",
)  # fmt: skip
BEFORE = ("", "Mr. ", "Ms. ", "Dr. ", "her daughter ", "son ", "seen by ")


def as_written(form: str, given_name: str, surname: str) -> str:
    return form.format(g=given_name, s=surname, i=given_name[0])


TEXTS = st.builds(
    as_written, st.sampled_from(FORMS), st.sampled_from(GIVEN), st.sampled_from(SURNAMES)
).flatmap(lambda text: st.sampled_from((text, text.upper(), text.lower())))
MENTIONS = st.lists(
    st.builds(
        PersonMention,
        TEXTS,
        st.sampled_from(("PATIENT", "DOCTOR")),
        st.integers(0, 2000),
        st.sampled_from(BEFORE),
    ),
    max_size=12,
)
KEYS = st.binary(min_size=16, max_size=24)
FEW = settings(max_examples=40, deadline=None)
KEPT = set("van der jr".split())


def surrogates(mentions: list[PersonMention], key: bytes = KEY, patient: str = "17") -> list[str]:
    return PeopleSurrogates(key, patient).replace_all(mentions)


def real_words(mentions: list[PersonMention]) -> set[str]:
    return {
        piece.key
        for mention in mentions
        for piece in pieces_of(mention.text)
        if piece.kind == "name" and len(piece.key) > 2
    }


@FEW
@given(MENTIONS, KEYS, st.randoms(use_true_random=False))
def test_the_order_of_mentions_changes_nothing(
    mentions: list[PersonMention], key: bytes, random: Random
) -> None:
    fakes = surrogates(mentions, key)
    order = list(range(len(mentions)))
    random.shuffle(order)
    assert surrogates([mentions[place] for place in order], key) == [fakes[p] for p in order]


@FEW
@given(MENTIONS, KEYS, st.integers(1, 4))
def test_notes_one_by_one_give_what_all_give_at_once(
    mentions: list[PersonMention], key: bytes, notes: int
) -> None:
    """With the patient's mentions as `taken`, how they are cut into notes and batches is no matter."""
    mentions = list(dict.fromkeys(mentions))
    people = PeopleSurrogates(key, "17", other_mentions=mentions)
    together = people.replace_all(mentions)
    for note in range(notes):
        assert people.replace_all(mentions[note::notes]) == together[note::notes]


@FEW
@given(MENTIONS, KEYS)
def test_no_word_stands_for_itself(mentions: list[PersonMention], key: bytes) -> None:
    for mention, fake in zip(mentions, surrogates(mentions, key), strict=True):
        for before, after in words_side_by_side(mention.text, fake):
            assert before.key != after.key
            assert len(before.key) < 3 or before.key not in after.key


def words_side_by_side(text: str, fake: str) -> list[tuple[Piece, Piece]]:
    """The words of a name and of its fake, where both are read in the same way."""
    old, new = pieces_of(text), pieces_of(fake)
    words = [
        [piece for piece in pieces if piece.kind == "name" and piece.text.lower() not in KEPT]
        for pieces in (old, new)
    ]
    alike = len(old) == len(new) and len(words[0]) == len(words[1])
    return list(zip(*words, strict=True)) if alike else []


@FEW
@given(MENTIONS, KEYS)
def test_what_is_between_words_and_the_case_of_words_stay(
    mentions: list[PersonMention], key: bytes
) -> None:
    for mention, fake in zip(mentions, surrogates(mentions, key), strict=True):
        old, new = (re.split(r"([^\W\d_]+)", text) for text in (mention.text, fake))
        assert old[::2] == new[::2]
        for before, after in zip(old[1::2], new[1::2], strict=True):
            assert len(before) == 1 or before.isupper() == after.isupper()
            assert before.islower() == after.islower()
            assert len(before) == 1 or len(after) > 1


@FEW
@given(MENTIONS, KEYS)
def test_each_word_has_one_fake_and_each_fake_one_word(
    mentions: list[PersonMention], key: bytes
) -> None:
    """Two persons never become one: different words of a type become different words."""
    fakes: dict[tuple[str, str], str] = {}
    for mention, fake in zip(mentions, surrogates(mentions, key), strict=True):
        for before, after in words_side_by_side(mention.text, fake):
            assert fakes.setdefault((mention.type, before.key), after.key) == after.key
    for type in ("PATIENT", "DOCTOR"):
        own = [fake for (of, _), fake in fakes.items() if of == type]
        assert len(set(own)) == len(own)


@FEW
@given(MENTIONS)
def test_every_mention_is_of_one_person_and_types_stay_apart(mentions: list[PersonMention]) -> None:
    persons = link(mentions)
    places = [place for person in persons for place in person.mentions]
    assert sorted(places) == list(range(len(mentions)))
    for person in persons:
        assert {mentions[place].type for place in person.mentions} == {person.type}


@given(
    st.lists(st.builds(PersonMention, st.text(), st.text(max_size=3), st.integers(), st.text())),
    KEYS,
)
def test_any_text_has_a_fake(mentions: list[PersonMention], key: bytes) -> None:
    fakes = surrogates(mentions, key)
    for mention, fake in zip(mentions, fakes, strict=True):
        assert bool(fake) == bool(mention.text)
    letters = re.sub(r"\W", "", " ".join(fakes).casefold())
    assert not [word for word in real_words(mentions) if word in letters and len(word) > 9]


@given(st.text(alphabet=st.characters(categories=["Cs", "Lu", "Mn", "Nd", "Lo"]), max_size=20))
def test_odd_characters_have_a_fake(text: str) -> None:
    assert bool(surrogates([PersonMention(text)])[0]) == bool(text)


@FEW
@given(KEYS, st.text(max_size=5), st.integers(1, 200))
def test_a_permutation_reaches_every_place(key: bytes, patient: str, size: int) -> None:
    keyed = Keyed.of(key, "people", patient)
    assert {keyed.permute(place, size, "x") for place in range(size)} == set(range(size))


def test_other_keys_and_other_patients_give_other_fakes() -> None:
    mention = [PersonMention("Ngozi Okafor")]
    people = product((b"a" * 16, b"b" * 16, b"c" * 16), ("1", "2", "3"))
    assert len({surrogates(mention, key, patient)[0] for key, patient in people}) == 9


def test_fakes_stay_what_they_are() -> None:
    """A change here breaks the link between notes of one patient from two releases."""
    mentions = [
        PersonMention("OKAFOR, NGOZI A."),
        PersonMention("Jan van der Berg"),
        PersonMention("N.O."),
    ]
    fakes = surrogates(mentions, b"a secret of the site", "patient 17")
    assert fakes == ["THOMPKINS, LAQUINTA E.", "Ashtyn van der Ford", "L.T."]


def test_the_seed_of_hashing_and_the_process_do_not_matter() -> None:
    program = (
        "from incognote.replace.surrogate.people import PersonMention as Mention, PeopleSurrogates as P\n"
        "names = [Mention(g + ' ' + s) for g in 'Ann Bo Xqz Eve'.split()"
        " for s in 'Oba Lee Kyambadde Kyambade'.split()]\n"
        "print(P(b'a key of the tests', 'p').replace_all(names))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_many_persons_stay_different_persons() -> None:
    """More names of one class than its reserve has, so that claims must collide."""
    bank = name_bank("en_US")
    known = [name for line in bank.lines[:70:3] for name in line.names.split()[:40]]
    strangers = [
        f"{start}{end}" for start in ("Qua", "Zyl", "Vro") for end in "mix dop lun".split()
    ]
    surnames = list(dict.fromkeys([*known, *strangers]))
    fakes = surrogates([PersonMention(f"J. {name}") for name in surnames])
    assert len(fakes) > 500
    assert len({fake[3:] for fake in fakes}) == len({name_key(name) for name in surnames})


def test_a_word_that_the_bank_knows_has_its_fake_whatever_else_is_in_the_call() -> None:
    names = [PersonMention(name) for name in ("Castellanos", "Adkins", "Kaylee", "Braxton")]
    alone = [surrogates([name])[0] for name in names]
    assert surrogates([*names, PersonMention("Kyambadde"), PersonMention("Ngozi Obi")])[:4] == alone


def words_of(texts: Iterable[str]) -> set[str]:
    return {piece.key for text in texts for piece in pieces_of(text) if piece.kind == "name"}


def test_names_to_avoid_are_not_given() -> None:
    mentions = [PersonMention(f"{given_name} Haverkamp") for given_name in GIVEN]
    avoid: set[str] = set()
    for _ in range(3):
        words = words_of(PeopleSurrogates(KEY, "17", avoid=avoid).replace_all(mentions))
        assert not words & avoid
        avoid |= words


class Everything:
    """An index that holds every name of the bank."""

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and name_bank("en_US").find(word) is not None


def test_when_every_name_is_taken_names_are_coined() -> None:
    people = PeopleSurrogates(KEY, "17", avoid=Everything())
    (fake,) = people.replace_all([PersonMention("Ngozi Okafor")])
    words = fake.lower().split()
    assert len(words) == 2
    assert not any(word in Everything() for word in words)


def test_a_mention_has_the_words_around_it() -> None:
    note = "Seen with her son Emeka today"
    assert mention_at(note, 18, 23, "PATIENT", offset=100) == PersonMention(
        "Emeka", "PATIENT", 118, "Seen with her son ", " today"
    )


def test_names_are_not_shown_by_accident() -> None:
    mention = PersonMention("Okafor", before="Ms. ")
    person = link([mention])[0]
    people = PeopleSurrogates(KEY, "Okafor", other_mentions=[mention])
    assert "kafor" not in f"{mention!r}{person!r}{people!r}".lower()


def test_a_key_is_needed_and_the_locale_must_be_there() -> None:
    with pytest.raises(ValueError, match="0 bytes, at least 16"):
        surrogates([PersonMention("Okafor")], b"")
    with pytest.raises(ValueError, match="choose en_US"):
        PeopleSurrogates(KEY, "17", PeopleSettings("xx_XX")).replace_all([PersonMention("Okafor")])


PARTS = ["Okafor, Ngozi ", "N.", "Jr. MD, ", "van der ", "O'", "a-", "é\u0301"]


@pytest.mark.parametrize("part", PARTS)
def test_a_long_mention_takes_no_longer_than_its_length(part: str) -> None:
    started = time.process_time()
    surrogates([PersonMention(part * 1000, before=part * 1000)])
    assert time.process_time() - started < 3


def test_time_grows_with_the_number_of_mentions() -> None:
    def seconds(size: int) -> float:
        names = [
            PersonMention(
                f"{given_name}{n} Qu{chr(97 + n % 26)}{chr(97 + n // 26 % 26)}rtz", start=n
            )
            for n, given_name in zip(range(size), GIVEN * size, strict=False)
        ]
        started = time.process_time()
        surrogates(names)
        return time.process_time() - started

    seconds(100)
    assert seconds(1600) < 24 * max(seconds(200), 0.01)
