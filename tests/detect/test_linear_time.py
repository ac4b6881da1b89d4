"""Nothing takes more than linear time: each part of detection reads pumped-up pieces of its cases.

Four times the text may take about four times as long; a quadratic rule would take sixteen times.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from time import process_time

import pytest
from rule_cases import load

from incognote.detect.known import KnownValues
from incognote.detect.note_index import NoteIndex
from incognote.detect.propagate import propagate
from incognote.detect.rules import FAMILIES
from incognote.detect.rules.engine import Family
from incognote.detect.vetoes import VETOES, VETOES_OF, Veto
from incognote.document import Span

SHORT, FACTOR, LIMIT = 4_000, 4, 11
TRIVIAL = 0.02
TRIES = 6
PUMPS = [
    *"a A 1 . - / ( ) , : # @ ' \n \t".split(" "),
    *["  ", "1/1/", "1-", "(1", "Dr. ", "Mr. A", "A. ", "Aa ", "AA, ", "a.", "a@a.", "1.1.", "J."],
    *["MRN ", "No: ", "Lot ", "St ", "of the ", "'s ", "a-", "x1 ", "\r\n", "é", "--", "1 1 "],
    *["1/1-", "2019-", "May ", "March 1-", "M/W/", "Ab, ", "MD ", "son ", "Name: ", "aA", "a'a'"],
]
EVERY_VETO = dict.fromkeys(veto for group in (VETOES, *VETOES_OF.values()) for veto in group)
Find = Callable[[str], object]


def seconds(find: Find, text: str) -> float:
    began = process_time()
    find(text)
    return process_time() - began


def grows_too_fast(find: Find, pump: str) -> bool:
    """Measured again before it is believed: the machine may have been busy."""
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


def fragments(name: str, texts: Sequence[str]) -> list[str]:
    chance = random.Random(name)
    pieces = []
    for _ in range(40):
        text = chance.choice(texts)
        start = chance.randrange(len(text))
        pieces.append(text[start : start + chance.randint(1, 14)])
    return pieces


def cases(name: str) -> list[str]:
    return [case.text for case in load(name)]


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_rules(family: Family) -> None:
    def find(text: str) -> object:
        return list(family.find(NoteIndex(text)))

    pumps = [*PUMPS, *fragments(family.name, cases(family.name))]
    assert not [pump for pump in pumps if grows_too_fast(find, pump)]


@pytest.mark.parametrize("veto", EVERY_VETO, ids=lambda veto: veto.__name__)
def test_vetoes(veto: Veto) -> None:
    def find(text: str) -> object:
        return list(veto(NoteIndex(text)))

    mentions = [
        "Foley ",
        "Foley-",
        "cardiology ",
        "Spanish ",
        "120/80 ",
        "7:1",
        "5x5",
        "BP ",
        "L4-",
    ]
    pumps = [*PUMPS, *mentions, *fragments("vetoes", cases("vetoes"))]
    assert not [pump for pump in pumps if grows_too_fast(find, pump)]


ROW = KnownValues(
    (
        ("PATIENT", "Okafor, Ngozi M"),
        ("DATE", "1958-03-14"),
        ("MEDICALRECORD", "00471-9926"),
        ("PHONE", "(914) 705-3381"),
        ("STREET", "18 Quarry Ln, Apt 4, Dunmore, PA 18512"),
        ("EMAIL", "ngozi@mail.example"),
        ("AGE", "61"),
    )
)


def test_known_values() -> None:
    def find(text: str) -> object:
        return ROW.find(NoteIndex(text))

    mentions = [
        "Okafor ",
        "Ngozi M. ",
        "okafor,",
        "N.",
        "18 ",
        "18 Quarry ",
        "3/14/",
        "3/14-",
        "14-3/",
        "14 Mar ",
        "0-0-4",
        "914-",
    ]
    pumps = [*PUMPS, *mentions, *fragments("known", cases("known"))]
    assert not [pump for pump in pumps if grows_too_fast(find, pump)]


def test_propagation() -> None:
    """Of a name, a facility and a number, each said at the start and perhaps on and on."""
    head = "Ngozi de la Okafor, Harlan Creek Clinic, 914-705-3381. "
    origins = ((0, 18, "PATIENT"), (20, 39, "HOSPITAL"), (41, 53, "PHONE"))

    def find(text: str) -> object:
        text = head + text
        return propagate(NoteIndex(text), [Span.of(text, *origin) for origin in origins])

    mentions = ["Okafor ", "Ngozi de ", "N. de la ", "Harlan ", "Harlan Creek ", "Harlan  ", "914-"]
    mentions += ["914-705-3381 ", "Harlan Creek Clinic ", "O'", "Okafor's "]
    pumps = [*PUMPS, *mentions, *fragments("propagate", cases("propagate"))]
    assert not [pump for pump in pumps if grows_too_fast(find, pump)]


def test_propagation_of_many() -> None:
    """As many numbers as there is text for: each may stand anywhere else."""

    def find(text: str) -> object:
        count = len(text) // 10
        text = " ".join(f"{place:07d}-{place % 7}" for place in range(count))
        places = range(0, len(text) - 9, 10)
        return propagate(
            NoteIndex(text), [Span.of(text, place, place + 9, "PHONE") for place in places]
        )

    assert not grows_too_fast(find, "0")
