"""Each line of the case files: a number and the shape of its fake, or numbers that belong together.

In `numbers.jsonl` the fake fits the pattern and passes the check. In `numbers_same.jsonl` mentions
of a group in `same` have one fake and groups differ; of each pair in `ends` (`begins`) the first
ends (begins) with the second; each triple in `last` has so many characters in common at the end.
In `numbers_handles.jsonl` `{doe}` is the fake of Doe, a single letter its initial, `{farah:5}` its
first five letters, `#` a digit, `?` a letter and `*` anything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from places import TESTS

from incognote.document import Document
from incognote.formats.inline import parse
from incognote.knowledge.check_digits import (
    dea_check,
    gs1_check,
    iban_check,
    is_luhn,
    nhs_check,
    vin_check,
)
from incognote.replace import apply, parse_operators
from incognote.replace.surrogate.number_shapes import NumberMention, compact
from incognote.replace.surrogate.numbers import NumberSurrogates

FOLDER = TESTS / "cases" / "surrogates"
KEYS = tuple(f"key number {number:02} of the tests".encode() for number in range(6))
CHECKS: dict[str, Callable[[str], bool]] = {
    "luhn": is_luhn,
    "npi": lambda fake: is_luhn("80840" + fake),
    "dea": lambda fake: dea_check(fake[2:8]) == fake[8],
    "nhs": lambda fake: nhs_check(fake[:9]) == fake[9],
    "vin": lambda fake: vin_check(fake) == fake[8],
    "iban": lambda fake: iban_check(fake[:2], fake[4:]) == fake[2:4],
    "gtin": lambda fake: gs1_check(fake[2:15]) == fake[15],
}


def cases(name: str) -> list[Any]:
    lines = (FOLDER / name).read_text(encoding="utf-8").splitlines()
    return [pytest.param(case, id=case["why"]) for case in map(json.loads, lines)]


def fakes_of(note: str, key: bytes) -> list[str]:
    text, spans = parse(note)
    output = apply(Document("", text, spans, "patient 17"), parse_operators("surrogate", key=key))
    return [span.text for span in output.spans]


@pytest.mark.parametrize("case", cases("numbers.jsonl"))
def test_a_fake_has_the_shape_and_passes_the_check(case: dict[str, str]) -> None:
    mention = NumberMention(case["text"], case["type"], case.get("before", ""))
    for key in KEYS:
        (fake,) = NumberSurrogates(key, "patient 17").replace_all([mention])
        assert fake is not None
        assert re.fullmatch(case["fits"], fake), fake
        assert compact(fake) != compact(case["text"])
        if "check" in case:
            assert CHECKS[case["check"]](compact(fake)), fake


@pytest.mark.parametrize("case", cases("numbers_same.jsonl"))
def test_what_is_one_number_stays_one(case: dict[str, Any]) -> None:
    for key in KEYS:
        fakes = list(map(compact, fakes_of(case["note"], key)))
        groups = [{fakes[place] for place in group} for group in case["same"]]
        assert all(len(group) == 1 for group in groups), fakes
        assert len(set.union(set(), *groups)) == len(groups), fakes
        for whole, part in case.get("ends", ()):
            assert fakes[whole].endswith(fakes[part]), fakes
        for whole, part in case.get("begins", ()):
            assert fakes[whole].startswith(fakes[part]), fakes
        for one, other, size in case.get("last", ()):
            assert fakes[one][-size:] == fakes[other][-size:], fakes


@pytest.mark.parametrize("case", cases("numbers_handles.jsonl"))
def test_a_login_shows_the_fake_of_the_name_that_it_shows(case: dict[str, Any]) -> None:
    _, spans = parse(case["note"])
    for key in KEYS:
        name, *fakes = fakes_of(case["note"], key)
        real = re.findall(r"[^\W\d_]+", spans[0].text.lower())
        fake = re.findall(r"[^\W\d_]+", name.lower())
        by_word = dict(zip(real, fake, strict=True))
        for expected, found in zip(case["expect"], fakes, strict=True):
            assert re.fullmatch(pattern_of(expected, by_word), found), (name, found)


def pattern_of(shape: str, by_word: dict[str, str]) -> str:
    def slot(match: re.Match[str]) -> str:
        word = match[1].lower()
        real = next(real for real in by_word if real.startswith(word))
        fake = by_word[real][: int(match[2])] if match[2] else by_word[real]
        fake = fake[0] if len(word) == 1 else fake
        return fake.upper() if match[1].isupper() else fake

    literal = re.sub(r"\{(\w+)(?::(\d))?\}", slot, shape)
    return re.escape(literal).replace(r"\*", ".*").replace(r"\?", "[a-z]").replace(r"\#", r"\d")
