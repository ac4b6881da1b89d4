"""Operators that say less: dates to their year or month, ages to bands, ZIP codes to three digits.

`shift`, which moves dates and nothing else, is here too. They need no key but `shift`. Whatever one
of them cannot read becomes a tag with a remark, never the original.

A year that tells an age over 89 is a tag as well. It is reckoned from the note alone, so that output
does not depend on the day of the run: a year 90 or more before the note's latest one tells such an
age. Where the note has no later year, and for every date of birth, the year `as_of` counts if it is
later.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from incognote.document import Document, Span
from incognote.phi import OURS, KnownTypes
from incognote.replace.note_years import NoteYears
from incognote.replace.operators import KEPT, ReplacementWithRemark, Replacer, check_key
from incognote.replace.rewrite import Treatment
from incognote.replace.surrogate.ages import (
    CAPPED,
    AgeSurrogates,
    ages_of,
    is_doubtful,
    is_split,
    pieces_of,
)
from incognote.replace.surrogate.date_parse import beside, parse
from incognote.replace.surrogate.date_readings import ParsedDate, Point
from incognote.replace.surrogate.date_shift import OLDEST, DateSettings
from incognote.replace.surrogate.dates import REMARKS
from incognote.replace.surrogate.operator import (
    TAGGED,
    NoteSurrogates,
    Scope,
    certain_order,
    patient_of,
)
from incognote.replace.surrogate.settings import Avoided, SurrogateSettings
from incognote.replace.zip_areas import HIDDEN, ZipAreas, shipped_zip_areas

Precision = Literal["year", "month"]
YEARLESS = "yearless"
"""The remark on a date that names no year, such as a weekday, a holiday or 3/14."""
OVER = "capped"
"""The remark on an age over 89, and on a year that tells one."""
SPARSE = "sparse"
"""The remark on a ZIP code of a sparsely populated area."""


def tagged(span: Span, remark: str = TAGGED) -> ReplacementWithRemark:
    """The tag of a span that an operator could not replace otherwise."""
    return ReplacementWithRemark(f"[{span.type}]", remark)


def _kind(type: str, types: KnownTypes) -> str | None:
    """DATE, AGE or ZIP: what the operators here know, also as the category of a type of a site."""
    return type if type == "ZIP" else types.category_of(type)


# Dates


@dataclass(frozen=True)
class CoarseDates:
    """`3/14/2019` becomes `2019`, or with the precision of months `2019-03`."""

    precision: Precision = "year"
    as_of: int = Treatment.as_of
    settings: DateSettings = field(default_factory=DateSettings)
    avoided: Avoided = field(default_factory=Avoided, repr=False)
    types: KnownTypes = OURS

    def begin(self, document: Document) -> Replacer:
        """The years or months of a note; what is no date becomes a tag."""
        dates = NoteDates(document, self)
        return lambda span: (
            dates.replace(span) if _kind(span.type, self.types) == "DATE" else tagged(span)
        )


class NoteDates:
    """The dates of one note, read together."""

    def __init__(self, document: Document, operator: CoarseDates) -> None:
        self._document = document
        self._operator = operator
        dates, ages = (
            [span for span in document.spans if _kind(span.type, operator.types) == kind]
            for kind in ("DATE", "AGE")
        )
        settings = operator.settings
        order = certain_order(document, settings, operator.avoided)
        self._years = NoteYears(document, dates, ages, operator.as_of, settings, order)

    def replace(self, span: Span) -> str | ReplacementWithRemark:
        """What stands in a date's place."""
        text = self._document.text
        context = beside(self._years.context, text, span.start, span.end)
        parsed = parse(span.text, context)
        if parsed is None or _splits_a_date(parsed):
            return tagged(span)
        years = self._years
        birth = years.is_birth_date(parsed, span.start)
        if any(years.is_doubtful(parsed, point, span.start, birth) for point in parsed.points):
            return tagged(span)
        points = [point for point in _points_within(parsed) if point.year is not None]
        if not points:
            return tagged(span, YEARLESS)
        if any(years.tells_an_age_over_89(point.year or 0, birth) for point in points):
            return tagged(span, OVER)
        new = _written(parsed, points, self._operator.precision)
        return ReplacementWithRemark(new, KEPT) if new == span.text else new


def _splits_a_date(parsed: ParsedDate) -> bool:
    """Whether 2018-03-14 of 2018-03-14 to 2019-01-20 was read as a year and a day of another."""
    codes = "".join(token.code for token in parsed.tokens)
    years = (point.token("year") for point in parsed.points if point.unit == "year")
    return any(at is not None and codes.startswith("Y-n-n", at) for at in years)


def _points_within(parsed: ParsedDate) -> list[Point]:
    """The dates of the span itself, without what stands beside it."""
    return [
        point
        for point in parsed.points
        if any(parsed.first <= part.token < parsed.last for part in point.parts)
    ]


def _written(parsed: ParsedDate, points: list[Point], precision: Precision) -> str:
    """The years or months of a date, each once; a range keeps its ends, a list its members."""
    names = list(dict.fromkeys(_name(point, precision) for point in points))
    if len(names) == 2 and _is_range(parsed, points):
        return ("-" if all(name.isdigit() for name in names) else " to ").join(names)
    return ", ".join(names)


def _name(point: Point, precision: Precision) -> str:
    if point.unit == "decade":
        return f"{point.year}s"
    if precision == "month" and point.month is not None and point.unit in ("day", "month"):
        return f"{point.year:04}-{point.month:02}"
    return f"{point.year:04}"


def _is_range(parsed: ParsedDate, points: list[Point]) -> bool:
    end = max(part.token for part in points[0].parts)
    start = min(part.token for part in points[-1].parts)
    return any(token.code in "->/" for token in parsed.tokens[end + 1 : start])


# Dates, ages and ZIP codes


@dataclass(frozen=True)
class Generalise:
    """Ages become bands (`60-64`), dates their year, ZIP codes three digits; over 89 is `90+`.

    A width of 1 leaves ages under 90 as they are written.
    """

    dates: CoarseDates = field(default_factory=CoarseDates)
    width: int = Treatment.width
    zip_areas: ZipAreas = field(default_factory=shipped_zip_areas)

    def begin(self, document: Document) -> Replacer:
        """What each span becomes; what is none of the three becomes a tag."""
        dates = NoteDates(document, self.dates)
        value = document.value_type is not None
        by_kind: dict[str | None, Callable[[Span], str | ReplacementWithRemark]] = {
            "DATE": dates.replace,
            "AGE": self._age,
            "ZIP": lambda span: self._zip(span, value),
        }
        types = self.dates.types
        if document.value_type is not None:
            by_kind["AGE"] = lambda span: tagged(span) if is_split(span.text) else self._age(span)
        return lambda span: by_kind.get(_kind(span.type, types), tagged)(span)

    def _age(self, span: Span) -> str | ReplacementWithRemark:
        if self.width > 1:
            return age_band(span, self.width)
        new = AgeSurrogates(b"", "").replace(span.text)
        if new.kind == "tag":
            return tagged(span)
        return ReplacementWithRemark(new.text.replace("++", "+"), REMARKS[new.kind])

    def _zip(self, span: Span, value: bool) -> str | ReplacementWithRemark:
        new = self.zip_areas.shown(span.text, value=value)
        if new is None:
            return tagged(span)
        return ReplacementWithRemark(new, SPARSE) if new == HIDDEN else new


def age_band(span: Span, width: int) -> str | ReplacementWithRemark:
    """`63-year-old` becomes `60-64-year-old`, `6 months` becomes `0-4 years`, 93 becomes `90+`."""
    pieces = pieces_of(span.text)
    ranges = None if pieces is None or is_doubtful(pieces) else ages_of(span.text)
    if not pieces or not ranges:
        return tagged(span)
    low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
    number = [place for place, piece in enumerate(pieces) if piece.code in "ntgxe"]
    exact = [place for place, piece in enumerate(pieces) if piece.code in "ntgxshe"]
    start, end = number[0], exact[-1] + 1
    unit = " years" if any(piece.code in "gxsy" for piece in pieces[start:end]) else ""
    before, after = (
        "".join(piece.text for piece in part) for part in (pieces[:start], pieces[end:])
    )
    if high > OLDEST:
        after = after.removeprefix("+")
    if low > OLDEST:
        return ReplacementWithRemark(f"{before}{CAPPED}{unit}{after}", OVER)
    low = low // width * width
    if high > OLDEST:
        return ReplacementWithRemark(f"{before}{low}+{unit}{after}", OVER)
    high = min(high // width * width + width - 1, OLDEST)
    band = str(low) if low == high else f"{low}-{high}"
    return f"{before}{band}{unit}{after}"


# Dates moved, and nothing else


@dataclass(frozen=True)
class Shift:
    """Dates move as the surrogate operator moves them, by the same key; ages over 89 become 90+.

    Whatever else it is asked to replace becomes a tag.
    """

    key: bytes = field(repr=False)
    settings: SurrogateSettings = field(default_factory=SurrogateSettings)
    avoided: Avoided = field(default_factory=Avoided, repr=False)
    types: KnownTypes = OURS

    def __post_init__(self) -> None:
        check_key(self.key)

    def begin(self, document: Document) -> Replacer:
        """The moved dates of a note."""
        patient = patient_of(document)
        scope = Scope(self.key, patient, patient)
        surrogates = NoteSurrogates(document, scope, self.settings, self.avoided, self.types)

        def shift(span: Span) -> str | ReplacementWithRemark:
            moves = self.types.as_date_or_age(span.type) in ("DATE", "AGE")
            return surrogates.replace(span) if moves else tagged(span)

        return shift
