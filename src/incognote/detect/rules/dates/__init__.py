"""Dates: every calendar expression, joined where one expression has several parts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping

from incognote.detect.pattern import Pattern, WordPattern
from incognote.detect.reading import Reading
from incognote.detect.rules.dates import bare_month, holidays, weekdays, worded
from incognote.detect.rules.dates.calendar import Hit
from incognote.detect.rules.dates.habit import habit_of
from incognote.detect.rules.dates.numbers import Joined, joined_numbers
from incognote.detect.rules.dates.numeric import compact_dates, full_date
from incognote.detect.rules.dates.ordinals import day_ordinals
from incognote.detect.rules.dates.short import may_be_short, short_dates
from incognote.detect.rules.dates.weekdays import schedules
from incognote.detect.rules.dates.years import HEADS as YEAR_WORDS
from incognote.detect.rules.dates.years import year_word_at, years
from incognote.detect.rules.family import Family
from incognote.document import Span

WordRule = Callable[[str, int, int], Iterable[Hit]]

_BETWEEN_WEEKDAY_AND_DATE = Pattern(r"[.,]?[^\S\r\n]{0,2}(?:the[^\S\r\n])?")
_BETWEEN_HOLIDAY_AND_YEAR = Pattern(r",?[ ](?:of[ ])?")


def _rules_by_word() -> Mapping[str, tuple[WordRule, ...]]:
    """Which rules to try at which word: one look at each word, however many rules there are."""
    rules: defaultdict[str, tuple[WordRule, ...]] = defaultdict(tuple)
    for heads, rule in (
        (bare_month.HEADS, worded.month_at),
        (weekdays.HEADS, weekdays.weekday_at),
        (holidays.HEADS, holidays.holiday_at),
        (YEAR_WORDS, year_word_at),
    ):
        for head in heads:
            rules[head] += (rule,)
    return dict(rules)


_RULES = _rules_by_word()
_WORD = WordPattern(r"[^\W\d_]+", words=frozenset(_RULES))


def find(note: Reading) -> Iterator[Span]:
    """The dates of a note."""
    text = note.text
    for hit in _joined(text, _longest(_hits(note))):
        yield Span.of(text, hit.start, hit.end, "DATE", score=hit.score, source=FAMILY.source)


def _hits(note: Reading) -> list[Hit]:
    text = note.text
    hits: list[Hit] = []
    short: list[Joined] = []
    joined = list(joined_numbers(note))
    for numbers in joined:
        full = full_date(text, numbers)
        if full:
            hits.append(full)
        elif may_be_short(text, numbers):
            short.append(numbers)
    hits += compact_dates(note)
    if short:
        hits += short_dates(text, short, hits, habit_of(note, joined))
    for rule in (years, schedules, day_ordinals):
        hits += rule(note)
    for match in _WORD.find(note):
        for word_rule in _RULES.get(match[0].lower(), ()):
            hits += word_rule(text, *match.span())
    return hits


def _longest(hits: Iterable[Hit]) -> Iterator[Hit]:
    """Left to right, without those that begin inside an earlier or longer one."""
    reached = -1
    for hit in sorted(hits, key=lambda hit: (hit.start, -hit.end)):
        if hit.start >= reached:
            yield hit
            reached = hit.end


def _joined(text: str, hits: Iterable[Hit]) -> Iterator[Hit]:
    """Make "Fri" and "2/15", or "Halloween" and "2019", one expression."""
    held: Hit | None = None
    for hit in hits:
        if held and _one_expression(text, held, hit):
            held = Hit(held.start, hit.end, max(held.score, hit.score), hit.kind)
            continue
        if held:
            yield held
        held = hit
    if held:
        yield held


def _one_expression(text: str, first: Hit, second: Hit) -> bool:
    between = {
        ("weekday", "day"): _BETWEEN_WEEKDAY_AND_DATE,
        ("holiday", "year"): _BETWEEN_HOLIDAY_AND_YEAR,
    }.get((first.kind, second.kind))
    return between is not None and bool(between.fullmatch(text, first.end, second.start))


FAMILY = Family("dates", frozenset({"DATE"}), find)
