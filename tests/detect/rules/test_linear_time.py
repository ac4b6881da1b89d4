"""No rule takes more than linear time: each family reads pumped-up pieces of its own cases.

Four times the text may take about four times as long; a quadratic rule would take sixteen times.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from time import process_time

import pytest
from rule_cases import load

from incognote.detect.reading import Reading
from incognote.detect.rules.family import Family
from incognote.detect.rules.registry import FAMILIES

SHORT, FACTOR, LIMIT = 6_000, 4, 11
TRIVIAL = 0.02
TRIES = 6
PUMPS = [
    *"a A 1 . - / ( ) , : # @ ' \n \t".split(" "),
    *["  ", "1/1/", "1-", "(1", "Dr. ", "Mr. A", "A. ", "Aa ", "AA, ", "a.", "a@a.", "1.1.", "J."],
    *["MRN ", "No: ", "Lot ", "St ", "of the ", "'s ", "a-", "x1 ", "\r\n", "é", "--", "1 1 "],
    *["1/1-", "2019-", "May ", "March 1-", "M/W/", "Ab, ", "MD ", "son ", "Name: "],
]


def seconds(find: Callable[[str], object], text: str) -> float:
    began = process_time()
    find(text)
    return process_time() - began


def grows_too_fast(family: Family, pump: str) -> bool:
    """Measured again before it is believed: the machine may have been busy."""

    def find(text: str) -> object:
        return list(family.find(Reading(text)))

    short = (pump * SHORT)[:SHORT]
    long = (pump * SHORT * FACTOR)[: SHORT * FACTOR]
    best_short = best_long = float("inf")
    for _ in range(TRIES):
        best_long = min(best_long, seconds(find, long))
        if best_long < TRIVIAL:
            return False
        best_short = min(best_short, seconds(find, short))
        if best_long < LIMIT * best_short:
            return False
    return True


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_time_grows_with_the_length_and_no_faster(family: Family) -> None:
    chance = random.Random(family.name)
    texts = [case.text for case in load(family.name)]
    fragments = []
    for _ in range(40):
        text = chance.choice(texts)
        start = chance.randrange(len(text))
        fragments.append(text[start : start + chance.randint(1, 14)])
    slow = [pump for pump in [*PUMPS, *fragments] if grows_too_fast(family, pump)]
    assert not slow
