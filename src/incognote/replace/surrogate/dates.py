"""The dates and ages of one patient's notes, read together and moved by one shift.

>>> patient = DateSurrogates(b"a secret of the site", "patient 17")
>>> note = read_note(["3/14/19", "Mar 28", "Monday"], order="mdy")
>>> patient.replace("Monday", note).kind
'coincides'
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from typing import Literal

from incognote.document import Document, FieldValue, Order, Span
from incognote.replace.operators import ReplacementWithRemark
from incognote.replace.surrogate.ages import AgeReplacement, AgeSurrogates
from incognote.replace.surrogate.date_parse import beside, parse, read_note
from incognote.replace.surrogate.date_readings import Context, ParsedDate, Point
from incognote.replace.surrogate.date_shift import (
    OLDEST,
    DateSettings,
    age_shift,
    shift_of,
    shift_of_note,
    shifted_age,
)
from incognote.replace.surrogate.date_write import shift

REMARKS = {"tag": "tagged", "coincides": "coincides", "kept": "kept", "capped": "capped"}
"""What the audit calls the ways of dates and ages that it counts; a plain shift is not counted."""

_BIRTH = re.compile(
    r"(?i)(?:\bd\.?\s?o\.?\s?b\b\.?|\bbirth\s?-?(?:date|day)|\bdate\s+of\s+birth|\bborn(?:\s+(?:on|in))?|\bbday"
    r"|(?<![a-z])b\.)(?:\s?\([^()\n]{0,16}\))?[\s:.,=_(#-]{0,24}$"
)
_BEFORE = 48


def is_birth_date(text: str, start: int) -> bool:
    """Whether the words before a place of a note say that a date of birth follows."""
    return _BIRTH.search(text[max(0, start - _BEFORE) : start]) is not None


class Calendar:
    """What stands in the place of each DATE and AGE span of a note."""

    def __init__(
        self,
        document: Document,
        key: bytes,
        patient: str,
        settings: DateSettings,
        order: Order | None = None,
        values: Sequence[FieldValue] = (),
    ) -> None:
        """With an `order`, dates are read so whatever the note's others tell.

        `values` are those of the row's columns: where the note mentions a day of theirs, it is read
        and moved as in the column.
        """
        self._document = document
        self._columns = [
            ColumnDate.of(value, order or settings.order, settings)
            for value in values
            if value.type == "DATE"
        ]
        self._otherwise = settings.order
        self._order = order
        days = shift_of_note(document, key, patient, settings)
        self._dates = DateSurrogates(key, patient, settings, days)
        self._ages = AgeSurrogates(key, patient, settings)

    def replace(self, span: Span) -> str | ReplacementWithRemark:
        """The date or age in a span's place."""
        date = span.type == "DATE"
        new: Replacement | AgeReplacement = (
            self._date(span)
            if date
            else self._ages.replace(span.text, alone=self._document.value_type is not None)
        )
        remark = REMARKS.get(new.kind)
        return new.text if remark is None else ReplacementWithRemark(new.text, remark)

    def _date(self, span: Span) -> Replacement:
        text = self._document.text
        for column in self._columns:
            if parsed := column.mention(span.text, self._context):
                return self._dates.replace_in_column(span.text, parsed, birth=column.birth)
        birth = is_birth_date(text, span.start)
        context = beside(self._context, text, span.start, span.end)
        return self._dates.replace(span.text, context, birth=birth)

    @cached_property
    def _context(self) -> Context:
        return read_note(
            (span.text for span in self._document.spans if span.type == "DATE"),
            self._otherwise,
            self._order,
        )


@dataclass(frozen=True)
class ColumnDate:
    """A date in a column of a row, and how it is read: by itself, so that it is the same wherever it
    stands.
    """

    text: str = field(repr=False)
    context: Context
    birth: bool
    day: date | None = field(repr=False)

    @classmethod
    def of(cls, value: FieldValue, order: Order, settings: DateSettings) -> ColumnDate:
        """What a value says, read in an order where it does not tell by itself."""
        context = read_note([value.text], order, value.order)
        if context.padded is None:  # 23/11/1937 may become 01/08/1940: columns have one width
            context = replace(context, padded=True)
        day = _day_of(parse(value.text, context))
        if value.birth and day is not None and day.year > settings.as_of.year:  # 48 is 1948
            context = replace(context, around=date(settings.as_of.year - 10, 7, 1))
            day = _day_of(parse(value.text, context))
        return cls(value.text, context, value.birth, day)

    def mention(self, text: str, context: Context) -> ParsedDate | None:
        """A text as this date, if it is a mention of it as the column or the note writes dates."""
        parsed = parse(text, self.context)
        if text == self.text or (self.day is not None and _day_of(parsed) == self.day):
            return parsed
        parsed = parse(text, context) if self.birth else None
        return parsed if self.day is not None and _day_of(parsed) == self.day else None


def _day_of(parsed: ParsedDate | None) -> date | None:
    """The day, if a text is of one whole date."""
    if parsed is None or len(parsed.points) != 1 or not parsed.full:
        return None
    point = parsed.points[0]
    if point.holiday is not None:
        return None
    try:
        return date(point.year or 0, point.month or 0, point.day or 0)
    except ValueError:
        return None


# The dates of one patient: shifted, and never kept.

Kind = Literal["shifted", "coincides", "tag"]
TAG = "[DATE]"


@dataclass(frozen=True)
class Replacement:
    """What stands in a date's place, and what the audit counts it as.

    `coincides` is a weekday, month or year that is the same after the shift; `tag` is a
    date that could not be read.
    """

    text: str = field(repr=False)
    kind: Kind


@dataclass(frozen=True)
class DateSurrogates:
    """One patient's calendar: one shift for all dates of all their notes, by default the key's."""

    key: bytes = field(repr=False)
    patient: str = field(repr=False)
    settings: DateSettings = field(default_factory=DateSettings)
    days: int = field(default=0, repr=False)

    def __post_init__(self) -> None:
        if not self.days:
            object.__setattr__(self, "days", shift_of(self.key, self.patient, self.settings))

    def replace(self, text: str, context: Context, *, birth: bool = False) -> Replacement:
        """What replaces a DATE span; `birth` says that it is a date of birth."""
        parsed = parse(text, context)
        if parsed is not None and birth:
            parsed = birth_move(parsed, self.key, self.patient, self.settings)
        return self._shifted(text, parsed)

    def replace_in_column(self, text: str, parsed: ParsedDate, *, birth: bool) -> Replacement:
        """What replaces a date of a column, or a mention of its day; an age is reckoned by the
        settings' date, so that a day of birth is the same in every table and note.
        """
        if birth:
            alone = replace(parsed, context=replace(parsed.context, around=None))
            moved = birth_move(alone, self.key, self.patient, self.settings)
            parsed = replace(moved, context=parsed.context)
        return self._shifted(text, parsed)

    def _shifted(self, text: str, parsed: ParsedDate | None) -> Replacement:
        if parsed is None:
            return Replacement(TAG, "tag")
        new = shift(parsed, self.days)
        if "".join(new.split()) != "".join(text.split()):
            return Replacement(new, "shifted")
        return Replacement(TAG, "tag") if parsed.full else Replacement(new, "coincides")


# Birth dates that agree with the ages shown.
#
# A birth date moves by the patient's shift like any other date, so that it agrees with every age
# in the notes. Where ages are shifted, its year moves along. Where the person is over 89 on the
# note's date, the year is set so that the age it implies there is 90, as the age itself reads 90+.


def birth_move(parsed: ParsedDate, key: bytes, patient: str, settings: DateSettings) -> ParsedDate:
    """The birth date whose year fits the ages, before the patient's shift."""
    years = age_shift(key, patient, settings)
    points = tuple(
        point
        if point.year is None
        else replace(point, year=point.year - _older(point, years, parsed.context, settings))
        for point in parsed.points
    )
    return replace(parsed, points=points)


def _older(point: Point, years: int, context: Context, settings: DateSettings) -> int:
    """By how many years the person is made older."""
    age = _age(point, context, settings)
    if age > OLDEST:
        return OLDEST + 1 - age
    return shifted_age(age, years) - age if age >= 0 else 0


def _age(point: Point, context: Context, settings: DateSettings) -> int:
    """Full years at the note's date; if the note has no later date, at the settings' date.

    A year alone is taken from its start, which gives the higher of the two possible ages.
    """
    year = point.year or 0
    day = context.around
    if day is None or day.year <= year:
        day = settings.as_of
    birthday = (point.month or 1, point.day or 1)
    return day.year - year - ((day.month, day.day) < birthday)
