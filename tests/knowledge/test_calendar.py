"""Months and weekdays in each spelling are whole, and a name keeps its spelling when it moves."""

from __future__ import annotations

import pytest

from incognote.knowledge import calendar
from incognote.knowledge.calendar import MONTH_NAMES, WEEKDAY_NAMES, WORDS, later_days, rename


def test_a_spelling_has_a_name_for_every_place() -> None:
    assert {len(name.spelling) for name in MONTH_NAMES.values()} == {12}
    assert {len(name.spelling) for name in WEEKDAY_NAMES.values()} == {7}
    assert calendar.MONTHS[3] == "April"
    assert calendar.SHORT_WEEKDAYS[6] == "Sun"


def test_a_variant_is_read_and_never_written() -> None:
    variants = {word.name for word in WORDS if "variant" in word.flags}
    written = {name for meaning in MONTH_NAMES.values() for name in meaning.spelling}
    assert "Apirl" in variants
    assert not variants & written


@pytest.mark.parametrize(
    ("written", "place", "moved"),
    [
        ("SEPT.", 11, "DEC."),
        ("septembre", 11, "décembre"),
        ("Apirl", 0, "January"),
        ("Jan.", 4, "May"),
        ("ene.", 4, "may."),
        ("Mar", 2, "Mar"),
    ],
)
def test_a_month_moves_in_its_spelling(written: str, place: int, moved: str) -> None:
    assert rename(written, MONTH_NAMES, place) == moved


def test_weekdays_as_letters_move() -> None:
    assert later_days("MWF", 1) == "TThSa"
    assert later_days("MWF", 7) == "MWF"
