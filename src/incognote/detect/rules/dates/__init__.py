"""Dates: every calendar expression, joined where one expression has several parts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping

from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import Pattern, WordPattern
from incognote.detect.rules.dates.context import date
from incognote.detect.rules.dates.days import (
    HOLIDAY_HEADS,
    WEEKDAY_HEADS,
    day_ordinals,
    holiday_at,
    schedules,
    weekday_at,
)
from incognote.detect.rules.dates.months import MONTH_HEADS, month_at
from incognote.detect.rules.dates.numeric import numeric_dates
from incognote.detect.rules.dates.years import YEAR_HEADS, year_word_at, years
from incognote.detect.rules.engine import Family, Finding, keep_distinct, keep_longest

WordParser = Callable[[str, int, int], Iterable[Finding]]

_HEADS: tuple[tuple[frozenset[str], WordParser], ...] = (
    (MONTH_HEADS, month_at),
    (WEEKDAY_HEADS, weekday_at),
    (HOLIDAY_HEADS, holiday_at),
    (YEAR_HEADS, year_word_at),
)
_BETWEEN = {
    ("weekday", "day"): Pattern(r"[.,]?[^\S\r\n]{0,2}(?:the[^\S\r\n])?"),
    ("holiday", "year"): Pattern(r",?[ ](?:of[ ])?"),
}
"""What may stand between two findings of these kinds that are one expression."""


def _parsers_by_word() -> Mapping[str, tuple[WordParser, ...]]:
    """Which parsers to try at which word: one look at each word, however many parsers there are."""
    parsers: defaultdict[str, tuple[WordParser, ...]] = defaultdict(tuple)
    for heads, parser in _HEADS:
        for head in heads:
            parsers[head] += (parser,)
    return dict(parsers)


_PARSERS = _parsers_by_word()
_WORD = WordPattern(r"[^\W\d_]+", words=frozenset(_PARSERS))


def _by_word(note: NoteIndex) -> Iterator[Finding]:
    text = note.text
    for match in _WORD.find(note):
        for parse in _PARSERS.get(match[0].lower(), ()):
            yield from parse(text, *match.span())


def _join(text: str, findings: Iterable[Finding]) -> Iterator[Finding]:
    """Make "Fri" and "2/15", or "Halloween" and "2019", one expression."""
    last: Finding | None = None
    for finding in keep_longest(text, keep_distinct(text, findings)):
        if last and _one_expression(text, last, finding):
            score = max(last.score, finding.score)
            last = date(last.start, finding.end, score, finding.kind)
            continue
        if last:
            yield last
        last = finding
    if last:
        yield last


def _one_expression(text: str, first: Finding, second: Finding) -> bool:
    between = _BETWEEN.get((first.kind, second.kind))
    return between is not None and bool(between.fullmatch(text, first.end, second.start))


FAMILY = Family(
    "dates",
    frozenset({"DATE"}),
    (numeric_dates, years, schedules, day_ordinals, _by_word),
    _join,
)
