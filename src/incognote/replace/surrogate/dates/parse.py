"""Reading a date: one point, or a range or list whose points share a month or a year."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from incognote.replace.surrogate.dates.parsed import Context, ParsedDate, Point
from incognote.replace.surrogate.dates.readings import readings
from incognote.replace.surrogate.dates.tokens import Token, tokenise

LONGEST = 160
"""More characters than any date has; longer spans are not read."""
_MOST_TOKENS = 48
_MOST_POINTS = 4
_BESIDE = 24
"""How much of the text beside a span is looked at for the other half of a range."""

Points = tuple[Point, ...]

_RANGE = re.compile(r"_?[->]_?|,?_?\+_?")
_LIST = re.compile(r"_?[,;]_?")
_YEARS = re.compile(r"/")
"""What stands between the points of a range, of a list, and of two years as in 2018/19."""
_ENDS_IN_JOINT = re.compile(
    r"(?i)(?:\d|\d(?:st|nd|rd|th)|[a-z]{3})\s?(?:[-‐‑–—]|\s(?:to|thru|through|and|or|&)\s)\s?$"
)
_STARTS_WITH_JOINT = re.compile(r"(?i)\s?(?:[-‐‑–—]|(?:to|thru|through|and|or|&)\s)\s?\w")
_SPACED_DIGITS = re.compile(r"(?<=\d)\s+(?=\d)")
_BROKEN_WORD = re.compile(r"(?<=[^\W\d_])(?:-\s{0,3}\n\s{0,12}|\s)(?=[a-z])")


def parse(text: str, context: Context | None = None) -> ParsedDate | None:
    """The date that a span of a note is, or nothing if it cannot be understood."""
    context = context or Context()
    if not text or len(text) > LONGEST:
        return None
    return (
        _parse(text, context)
        or _parse(_BROKEN_WORD.sub("", text), context)
        or _parse(_SPACED_DIGITS.sub("", text), context)
    )


def _parse(text: str, context: Context) -> ParsedDate | None:
    tokens = tokenise(text)
    if len(tokens) > _MOST_TOKENS or any(token.code == "X" for token in tokens):
        return None
    points = _series(tokens, 0, len(tokens), context, _MOST_POINTS)
    if _lacking(points):
        beside = _with_text_before(tokens, context) or _with_text_after(tokens, context)
        if beside:
            return beside
    if not points:
        points = next(((point,) for point in readings(tokens, 0, len(tokens), context)), None)
    if not points:
        return None
    return ParsedDate(tuple(tokens), _shared(points), context, 0, len(tokens))


def _lacking(points: Points | None) -> bool:
    """Whether the other half of a range may tell more: 16 of 3/14-16, 22, 2010, 3/14 of 3/14-16/19."""
    if not points:
        return True
    return len(points) == 1 and points[0].unit in ("day", "month") and points[0].year is None


def _series(
    tokens: Sequence[Token], start: int, end: int, context: Context, most: int
) -> Points | None:
    """One date, else two or more with joints between them."""
    for point in readings(tokens, start, end, context):
        if not point.loose:
            return (point,)
    found: Points | None = None
    for at, joint in _joints(tokens, start, end):
        points = _joined(tokens, at, context, most, joint is _RANGE)
        if points and joint is _YEARS and not _two_years(tokens, points):
            continue
        if points and not any(point.loose for point in points):
            return points
        found = found or points
    return found


def _joints(
    tokens: Sequence[Token], start: int, end: int
) -> Iterator[tuple[tuple[int, int, int, int], re.Pattern[str]]]:
    codes = "".join(token.code for token in tokens[start:end])
    for joint in (_RANGE, _LIST, _YEARS):
        for match in joint.finditer(codes):
            left, right = start + match.start(), start + match.end()
            if start < left and right < end:
                yield (start, left, right, end), joint


def _two_years(tokens: Sequence[Token], points: Points) -> bool:
    """2018/19, but not 45/67/19."""
    first = points[0].token("year")
    return len(points) == 2 and first is not None and tokens[first].code == "Y"


def _joined(
    tokens: Sequence[Token], at: tuple[int, int, int, int], context: Context, most: int, mixed: bool
) -> Points | None:
    """The points on both sides of a joint: of one unit at best, else each sure by itself."""
    start, left_end, right_start, end = at
    lefts = list(readings(tokens, start, left_end, context))
    if not lefts:
        return None
    rights: list[Points] = [(point,) for point in readings(tokens, right_start, end, context)]
    if not rights and most > 2:
        more = _series(tokens, right_start, end, context, most - 1)
        rights = [more] if more else []
    for left in lefts:
        for right in rights:
            if _agree(left, right[0]):
                return (left, *right)
    for left in lefts:
        for right in rights:
            holiday = "holiday" in (left.unit, right[0].unit)
            if (mixed or holiday) and not left.loose and not right[0].loose:
                return (left, *right)
    return None


def _agree(left: Point, right: Point) -> bool:
    if left.unit != right.unit:
        return False
    if left.unit == "day":
        return left.month is not None or right.month is not None or (left.loose and right.loose)
    if left.unit == "month" and left.loose:
        return not right.loose
    if left.unit == "year" and right.loose:
        return not left.loose
    return not left.loose


def _with_text_before(tokens: Sequence[Token], context: Context) -> ParsedDate | None:
    before = context.before[-_BESIDE:]
    if not _ENDS_IN_JOINT.search(before):
        return None
    earlier = tokenise(before)
    for start in range(len(earlier)):
        points = _across((*earlier[start:], *tokens), len(earlier) - start, context)
        if points:
            shown = len(earlier) - start
            everything = (*earlier[start:], *tokens)
            return ParsedDate(everything, _shared(points), context, shown, len(everything))
    return None


def _with_text_after(tokens: Sequence[Token], context: Context) -> ParsedDate | None:
    after = context.after[:_BESIDE]
    if not _STARTS_WITH_JOINT.match(after):
        return None
    later = tokenise(after)
    for end in range(len(later), 0, -1):
        everything = (*tokens, *later[:end])
        points = _across(everything, len(tokens), context)
        if points:
            return ParsedDate(everything, _shared(points), context, 0, len(tokens))
    return None


def _across(tokens: Sequence[Token], border: int, context: Context) -> Points | None:
    """Two points of one unit, joined where the span begins or ends."""
    codes = "".join(token.code for token in tokens)
    for match in _RANGE.finditer(codes):
        start, end = match.span()
        if border in (start, end) and start > 0 and end < len(tokens):
            points = _joined(tokens, (0, start, end, len(tokens)), context, 2, False)
            if points and any(point.month or point.unit == "year" for point in points):
                return points
    return None


def _shared(points: Points) -> Points:
    """Lend months and years from one point to another, as in March 14-16, 2019."""
    return tuple(_with_years(list(_with_months(points))))


def _with_months(points: Points) -> Iterator[Point]:
    for place, point in enumerate(points):
        lenders = [*range(place - 1, -1, -1), *range(place + 1, len(points))]
        lender = next((i for i in lenders if points[i].month and points[i].day), None)
        if point.unit == "day" and point.month is None and lender is not None:
            yield replace(point, month=points[lender].month, lender=lender)
        else:
            yield point


def _with_years(points: list[Point]) -> list[Point]:
    """The year of a range often stands at its end; a range may cross New Year."""
    for place in range(len(points) - 2, -1, -1):
        points[place] = _year_from(points[place], points[place + 1], -1)
    for place in range(1, len(points)):
        points[place] = _year_from(points[place], points[place - 1], 1)
    return points


def _year_from(point: Point, other: Point, step: int) -> Point:
    if point.unit == "year" and other.unit == "year" and point.loose and point.year and other.year:
        return replace(point, year=other.year + (point.year - other.year) % 100)
    if point.year is not None or other.year is None or point.month is None or other.month is None:
        return point
    own, others = (point.month, point.day or 0), (other.month, other.day or 0)
    crosses = own > others if step < 0 else own < others
    return replace(point, year=other.year + (step if crosses else 0))
