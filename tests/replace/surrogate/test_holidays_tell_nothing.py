"""A holiday beside its date tells no more of the shift than the date does, whatever the key."""

from __future__ import annotations

from datetime import date

import pytest

from benchmarks.holidays import HOLIDAYS, contradicts, outputs, possible, replaced
from incognote.document import Document
from incognote.formats.inline import parse
from incognote.knowledge.holidays import holiday_at, holiday_named, nearest_day
from incognote.replace import parse_operators, rewrite
from incognote.replace.surrogate.date_shift import DateSettings, shifts

SETTINGS = DateSettings()
KEY = b"a key of the tests"


def test_every_shift_stays_possible_and_name_and_date_agree() -> None:
    for output in sorted(set(outputs(3, SETTINGS))):
        assert not contradicts(output), output
        assert possible(output, SETTINGS) == len(shifts(SETTINGS)), output


@pytest.mark.parametrize("name", HOLIDAYS)
def test_no_shift_writes_the_name_of_a_holiday(name: str) -> None:
    holiday = holiday_named(name)
    assert holiday
    day = nearest_day(holiday, date(2018, 7, 1))
    for days in shifts(SETTINGS):
        output = replaced(name, day, days)
        assert output
        assert not any(holiday_at(output, place) > place for place in range(len(output)))
        assert not contradicts(output)


@pytest.mark.parametrize(
    "note",
    [
        "Admitted [[DATE|Christmas Day]], [[DATE|12/25/2018]], seen [[DATE|6/3/2010]].",
        "Admitted [[DATE|12/25/2018]] ([[DATE|Christmas Day]]), seen [[DATE|6/3/2010]].",
        "Admitted on [[DATE|Christmas]]. [[DATE|6/3/2010]] [[DATE|6/4/2010]] [[DATE|12/25/2018]]",
        "[[DATE|Christmas Day, 12/25/2018]] after [[DATE|6/3/2010]]",
        "[[DATE|Diwali]] ([[DATE|November 7, 2018]]), [[DATE|1/2/2019]]",
    ],
)
def test_a_holiday_and_its_date_stay_one_day_wherever_they_stand(note: str) -> None:
    """Also where the note is of another year, and where the moon tells the holiday."""
    text, spans = parse(note)
    for number in range(40):
        operators = parse_operators("surrogate", key=KEY + bytes([number]))
        output = rewrite(Document("", text, spans, "p"), operators).document
        shown = " ".join(span.text for span in output.spans)
        name = next(each for each in shown.replace(",", "").split() if each[0].isalpha())
        assert "Christmas" not in shown
        assert "Diwali" not in shown
        assert name.endswith("day") or same_day(shown), shown


def same_day(shown: str) -> bool:
    """Whether `December 3 … 12/3/2019` is of one day."""
    from incognote.knowledge.calendar import MONTHS

    words = shown.replace(",", "").split()
    place = next(at for at, word in enumerate(words) if word in MONTHS)
    return f"{MONTHS.index(words[place]) + 1}/{words[place + 1]}/" in shown
