"""Each line of the case file: a note with marks, who is meant by each, and the shape of the fakes.

In a shape `{Okafor}` is the fake of Okafor in the same case, the same at every place of the case;
`{Okafor:1}` is its first letter; `?` is any letter; all else stands as it is. `gender` says what
the bank must know of a fake given name. Different names in a case have different fakes.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from places import TESTS

from incognote.replace.surrogate.banks import name_bank
from incognote.replace.surrogate.people import PeopleSurrogates
from incognote.replace.surrogate.people_link import link
from incognote.replace.surrogate.people_parse import PersonMention, mention_at, name_key

FILE = TESTS / "cases" / "surrogates" / "names.jsonl"
CASES: list[dict[str, Any]] = [
    json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()
]
KEYS = (b"one key of the tests", b"another key of the tests", b"a third key of the tests")
MARK = re.compile(r"\[\[([A-Z]+)\|([^\]]*)\]\]")
SLOT = re.compile(r"\{(?P<name>[^}:]+)(?P<first>:1)?\}|(?P<any>\?)")
LETTER = r"[^\W\d_]"


def mentions_of(marked: str) -> list[PersonMention]:
    note = ""
    spans = []
    read = 0
    for match in MARK.finditer(marked):
        note += marked[read : match.start()]
        spans.append((len(note), len(note) + len(match[2]), match[1]))
        note += match[2]
        read = match.end()
    note += marked[read:]
    return [mention_at(note, *span) for span in spans]


def pattern_of(shape: str) -> tuple[str, list[tuple[str, bool]]]:
    """A regular expression for a shape, and what its groups stand for."""
    regex = ""
    slots = []
    read = 0
    for match in SLOT.finditer(shape):
        regex += re.escape(shape[read : match.start()])
        read = match.end()
        if match["any"]:
            regex += LETTER
        else:
            slots.append((match["name"], bool(match["first"])))
            regex += f"({LETTER})" if match["first"] else f"({LETTER}+)"
    return regex + re.escape(shape[read:]), slots


def case_of(word: str) -> str:
    if word.isupper():
        return "upper"
    return "lower" if word.islower() else "title"


def check_shapes(case: dict[str, Any], fakes: list[str]) -> dict[str, str]:
    """The fake of each name in a case, after the shapes are found to be kept."""
    bound: dict[str, str] = {}
    letters = []
    for shape, fake in zip(case["expect"], fakes, strict=True):
        regex, slots = pattern_of(shape)
        match = re.fullmatch(regex, fake)
        assert match, (shape, fake)
        for (name, first), found in zip(slots, match.groups(), strict=True):
            assert case_of(found) == case_of(name[0] if first else name), (shape, fake)
            if first:
                letters.append((name, found))
            else:
                assert bound.setdefault(name_key(name), found.lower()) == found.lower(), (
                    shape,
                    fake,
                )
    for name, letter in letters:
        assert bound[name_key(name)][0] == letter.lower(), (name, letter)
    return bound


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["why"])
def test_mentions_are_linked_and_fakes_are_written_as_the_case_says(case: dict[str, Any]) -> None:
    mentions = mentions_of(case["note"])
    linked = sorted(list(person.mentions) for person in link(mentions))
    assert linked == sorted(case["persons"]), case["why"]
    for key in KEYS:
        fakes = PeopleSurrogates(key, "patient").replace_all(mentions)
        if case["expect"] is None:
            continue
        bound = check_shapes(case, fakes)
        assert len({*bound.values()}) == len(bound), "two names became one"
        for name, gender in case.get("gender", {}).items():
            fake = bound[name_key(name)]
            entry = name_bank("en_US").find(fake)
            likely = entry.of.gender if entry else name_bank("en_US").likely_gender(fake)
            assert likely in ((gender,) if entry else (gender, "U")), (name, fake)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["why"])
def test_no_word_of_a_name_is_in_its_fake(case: dict[str, Any]) -> None:
    mentions = mentions_of(case["note"])
    kept = set("baby boy girl van der del dos von bin iii jnr mrs m.d phd arnp dr sr".split())
    for key in KEYS:
        fakes = PeopleSurrogates(key, "patient").replace_all(mentions)
        for mention, fake in zip(mentions, fakes, strict=True):
            real = {word.lower() for word in re.findall(rf"{LETTER}{{3,}}", mention.text)}
            assert not [word for word in real - kept if word in fake.lower()]


def test_there_are_enough_cases_and_none_is_said_twice() -> None:
    assert len({case["note"] for case in CASES}) == len(CASES)
    assert len(CASES) >= 150
