"""Reading dates: what a note's dates say about each other, then each one, a range or a list."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date

from incognote.document import Order
from incognote.knowledge.calendar import MONTH_NAMES, MONTHS, SHORT_MONTHS
from incognote.knowledge.holidays import holiday_at
from incognote.replace.surrogate.date_readings import Context, ParsedDate, Point, readings
from incognote.replace.surrogate.date_tokens import Token, tokenise

_WIDTH_BESIDE = 32
_NUMBERS = re.compile(
    r"(?<![\d/.-])(\d{1,2})\s?([-/.])\s?(\d{1,2})(?:\s?\2\s?(\d{4}|\d{2}))?(?![\d/.-])"
)
_DATE = (
    r"(?P<date>\d{1,4}\s?([-/.])\s?\d{1,2}(?:\s?\2\s?\d{1,4})?(?!\d)"
    r"|[^\W\d_]{3,9}\.?\s\d{1,2}(?:st|nd|rd|th)?(?:,?\s\d{4})?(?!\d)"
    r"|\d{1,2}(?:st|nd|rd|th)?\s[^\W\d_]{3,9}\.?(?:,?\s\d{4})?(?!\d))"
)
_DATE_AFTER = re.compile(rf"[\s,;:(\[–—-]{{1,4}}(?:on\s)?{_DATE}")
_DATE_BEFORE = re.compile(rf"(?<!\d){_DATE}[\s,;:(\[–—-]{{1,4}}(?:on\s)?$")
_WORD = re.compile(r"[^\W\d_]+")
_FULL = frozenset(name.lower() for name in MONTHS) - {"may"}
_SHORT = frozenset(name.lower() for name in (*SHORT_MONTHS, "Sept")) - {"may"}


def read_note(
    dates: Iterable[str],
    order: Order = "mdy",
    certain: Order | None = None,
    *,
    latest: int | None = None,
) -> Context:
    """How the dates of a note are to be read, from the texts of its DATE spans.

    A date that can be read in one order only, such as 3/14/19, decides for those that can be
    read in both; if the note has none, or as many of each, `order` does. A year first (19/3/14)
    looks like a day first: with `ymd` the note is not asked. A `certain` order is taken whatever
    the note says. Two digits are no year after the `latest`, if there is one.
    """
    texts = list(dates)
    context = Context(
        order=certain or _order(texts, order),
        padded=_padded(texts),
        short_months=_short_months(texts),
        latest=latest,
    )
    days = _days(texts, context)
    return replace(context, around=_around(days), days=frozenset(day for day, full in days if full))


def beside(context: Context, text: str, start: int, end: int) -> Context:
    """The context of one span: the note's, with the text on either side of the span.

    Dates just beside a span matter to a holiday, which is one of them: `Christmas Day, 12/25/2018`.
    """
    before, after = text[max(0, start - _WIDTH_BESIDE) : start], text[end : end + _WIDTH_BESIDE]
    near: list[Point] = []
    if holiday_at(text[start:end] or " ", 0):
        for match in (_DATE_AFTER.match(after), _DATE_BEFORE.search(before)):
            parsed = parse(match["date"], context) if match else None
            near += parsed.points if parsed else ()
    return replace(context, before=before, after=after, days_beside=tuple(near))


def _order(texts: Iterable[str], otherwise: Order) -> Order:
    return otherwise if otherwise == "ymd" else order_by(*order_votes(texts)) or otherwise


def order_votes(texts: Iterable[str]) -> tuple[int, int]:
    """How much dates that can be read in one order only speak for the month first, and the day."""
    month_first = day_first = 0
    for text in texts:
        for match in _NUMBERS.finditer(text):
            first, second = int(match[1]), int(match[3])
            weight = 3 if match[4] else 1
            month_first += weight * (first <= 12 < second <= 31)
            day_first += weight * (second <= 12 < first <= 31)
    return month_first, day_first


def order_by(month_first: int, day_first: int) -> Order | None:
    """The order that votes decide; None if they are even."""
    if month_first == day_first:
        return None
    return "mdy" if month_first > day_first else "dmy"


def _padded(texts: Iterable[str]) -> bool | None:
    with_zero = without = 0
    for text in texts:
        for match in _NUMBERS.finditer(text):
            with_zero += match[1][0] == "0" or (match[3][0] == "0" and match[4] is not None)
            without += len(match[1]) == 1 or len(match[3]) == 1
    return None if with_zero == without else with_zero > without


def _short_months(texts: Iterable[str]) -> bool | None:
    words = Counter(
        word.lower() in _SHORT
        for text in texts
        for word in _WORD.findall(text)
        if word.lower() in MONTH_NAMES and word.lower() in _SHORT | _FULL
    )
    return None if words[True] == words[False] else words[True] > words[False]


def _days(texts: Iterable[str], context: Context) -> list[tuple[date, bool]]:
    """The days and years of the note's dates, and whether each is a whole date.

    A date counts once: that of birth may stand at the head of every page.
    """
    days: list[tuple[date, bool]] = []
    for text in dict.fromkeys(texts):
        parsed = parse(text, context)
        for point in parsed.points if parsed else ():
            if point.year is None or point.unit not in ("day", "month", "year"):
                continue
            whole = point.unit == "day" and bool(point.month and point.day)
            month, day = (point.month or 7, min(point.day or 1, 28)) if whole else (7, 1)
            exact = _existing(point.year, month, point.day or 1) if whole else None
            days.append((exact or date(point.year, month, day), whole))
    return days


def _existing(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _around(days: list[tuple[date, bool]]) -> date | None:
    """The middle one of the note's full dates in the year that has most of them."""
    full = [day for day, whole in days if whole]
    years = Counter(day.year for day in full or (day for day, _ in days))
    if not years:
        return None
    year = max(years, key=lambda year: (years[year], year))
    in_year = sorted(day for day in full if day.year == year)
    return in_year[len(in_year) // 2] if in_year else date(year, 7, 1)


# Reading a date: one point, or a range or list whose points share a month or a year.

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
_THREE_PARTS = re.compile(r"(?<!-)(?:Y-[Mmn]-n|n-[Mmn]-[Yn]|Y--n)(?!-)")
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
    if _names_no_day(tokens, context):
        return None
    points = _series(tokens, 0, len(tokens), context, _MOST_POINTS)
    if _lacking(points):
        beside = _with_text_before(tokens, context) or _with_text_after(tokens, context)
        if beside:
            return beside
    if not points:
        points = next(((point,) for point in readings(tokens, 0, len(tokens), context)), None)
    if not points or _runs_backwards(tokens, points):
        return None
    return ParsedDate(tuple(tokens), _shared(points), context, 0, len(tokens))


def _names_no_day(tokens: Sequence[Token], context: Context) -> bool:
    """Whether a part is written as a day that there is not, such as 2019-03-00: no range of years."""
    codes = "".join(token.code for token in tokens)
    return any(
        not any(point.unit == "day" for point in readings(tokens, *match.span(), context))
        for match in _THREE_PARTS.finditer(codes)
    )


def _runs_backwards(tokens: Sequence[Token], points: Points) -> bool:
    """2019-00, but not 1999-00: two years of which the last, of two digits, is before the first."""
    if [point.unit for point in points] != ["year", "year"] or any(p.loose for p in points):
        return False
    first, last = points
    at = last.token("year")
    short = at is not None and len(tokens[at].text) == 2
    return short and (last.year or 0) < (first.year or 0)


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
    fallback: Points | None = None
    for at, joint in _joints(tokens, start, end):
        points = _join(tokens, at, context, most, joint is _RANGE)
        if points and joint is _YEARS and not _two_years(tokens, points):
            continue
        if points and not any(point.loose for point in points):
            return points
        fallback = fallback or points
    return fallback


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


def _join(
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
            first = len(earlier) - start
            everything = (*earlier[start:], *tokens)
            return ParsedDate(everything, _shared(points), context, first, len(everything))
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
            points = _join(tokens, (0, start, end, len(tokens)), context, 2, False)
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
