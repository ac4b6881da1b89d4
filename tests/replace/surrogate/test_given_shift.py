"""A note that says by how many days its dates move: they do, in every spelling, and by nothing else."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote import Deidentifier, Document, Span
from incognote.document import DocumentError
from incognote.replace.surrogate.date_shift import DateSettings
from incognote.replace.surrogate.settings import SurrogateSettings

KEY = b"k" * 32
SPELLINGS: list[Callable[[date], str]] = [
    lambda day: f"{day:%Y-%m-%d}",
    lambda day: f"{day.month}/{day.day}/{day.year}",
    lambda day: f"{day:%B} {day.day}, {day.year}",
    lambda day: f"{day:%A}, {day:%B} {day.day}, {day.year}",
]


def moved(text: str, days: int, settings: SurrogateSettings | None = None) -> str:
    from incognote.replace import parse_operators, rewrite

    document = Document("n", text, (Span.of(text, 0, len(text), "DATE"),), "p", shift=days)
    operators = parse_operators("surrogate", key=KEY, surrogates=settings)
    return rewrite(document, operators).document.text


@given(
    day=st.dates(date(1940, 1, 1), date(2029, 12, 31)),
    days=st.integers(-36_000, 36_000).filter(bool),
    spell=st.sampled_from(SPELLINGS),
)
def test_a_date_in_any_spelling_moves_by_exactly_so_many_days(
    day: date, days: int, spell: Callable[[date], str]
) -> None:
    assert moved(spell(day), days) == spell(day + timedelta(days))


def test_the_range_of_the_settings_is_not_asked() -> None:
    narrow = SurrogateSettings(DateSettings(earliest=7, latest=7))
    assert moved("2019-03-14", -400, narrow) == "2018-02-07"


def test_a_note_of_python_moves_by_its_own_shift_and_the_result_does_not_tell_it() -> None:
    deidentify = Deidentifier("surrogate", key=KEY, detector="rules")
    text = "Date of birth: 4/1/1961. Seen on 3/14/2019 and, two weeks later, on 3/28/2019."
    result = deidentify(Document("n", text, patient="p", shift=10))
    assert result.text == (
        "Date of birth: 4/11/1961. Seen on 3/24/2019 and, two weeks later, on 4/7/2019."
    )
    assert result.output.shift is None


@pytest.mark.parametrize("days", [0, 36_001, -36_001, True, 1.5])
def test_what_is_no_shift_makes_no_document(days: int) -> None:
    with pytest.raises(DocumentError, match="a shift of"):
        Document("n", "text", shift=days)
