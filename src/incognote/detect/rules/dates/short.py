"""Month and day, or month and two-digit year, with nothing else: 10/4, 03-14, 2/93.

The same shape writes pain scores, strengths, murmurs, pressures and tablets, so each candidate is
weighed: what its numbers can be, the words around it, and the other dates of the note.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from incognote.detect.pattern import Pattern
from incognote.detect.rules.dates.calendar import WEEKDAY_WORDS, Hit, month_and_day
from incognote.detect.rules.dates.context import (
    DATE_BEFORE,
    FRACTION_AFTER,
    SCORE_BEFORE,
    Around,
    around,
    words,
)
from incognote.detect.rules.dates.habit import (
    WEEKS_OF_A_PREGNANCY,
    WEEKS_OF_A_YEAR,
    Habit,
)
from incognote.detect.rules.dates.numbers import Joined

_NEEDED = 1.0
_NEEDED_WITHOUT_SLASH = 2.5
_SCORE_DENOMINATORS = frozenset({2, 3, 4, 5, 6, 7, 8, 9, 10})
_ROUND_DENOMINATORS = frozenset({15, 20, 24, 28, 30})
_EVEN_DENOMINATORS = _SCORE_DENOMINATORS | _ROUND_DENOMINATORS
_FRACTION_DENOMINATORS = _SCORE_DENOMINATORS | {12, 16, 32, 64}
_NEVER_DAYS = {(24, 7), (20, 10), (20, 5)}
"""All day and every day, an eye chart, two strengths."""
_STRONG_BEFORE = words(
    """
    on since dated date until till til thru through from by before after during between around
    seen dob lmp edd edc exp due admitted adm admission discharged disch scheduled f/u rtc labs
    onset started stop resume restart begin begins collected drawn dos doi signed dictated
    transcribed printed
    """
) | (WEEKDAY_WORDS - {"sat", "sun"})
_PARTS_OF_A_DAY = words("morning afternoon evening night day date week wk am pm eve")
_CLOCK_NEXT = Pattern(
    r"[ \t@,]{1,3}(?:at[ ])?(?:[01]?\d|2[0-3])(?::[0-5]\d|[0-5]\d(?![\d.])|[ ]?[ap]\.?m?\b)"
)
_RANGE_BEFORE = Pattern(r"\d[ ]?[-–][ ]?$")
_RANGE_NEXT = Pattern(r"[ ]?[-–][ ]?(?:1[0-2]|0?[1-9])/\d{1,2}(?![\d/])")
_LATE_DAY_NEXT = Pattern(r"[ ]?[-–][ ]?(?:1[0-2]|0?[1-9])/(?:1[3-9]|2\d|3[01])(?![\d/])")
_RANGE_OF_DATES = Pattern(r"(?<![\d/.])(?:1[0-2]|0?[1-9])/\d{1,2}[ ]?[-–][ ]?$")
_FULL_DATE_NEXT = Pattern(r"[ \t]{1,8}\d{1,2}/\d{1,2}/\d{2,4}")
_PAGE_OF = Pattern(r"[ \t]{4}[1-9]/[1-9]$")
_CLAUSE_END = Pattern(r"[ \t]*(?:[,;.:)?]|\r?\n|$)|[ ](?:and|at|by|with|w/|to|for)\b")
_COLUMN_AFTER = Pattern(r"[ \t]{2,}\S|[ \t]*\r?\n|[ \t]*:|$")
_UNIT_GLUED = Pattern(r"['\"”′″]|[^\W\d_]|\+")


def may_be_short(text: str, joined: Joined) -> bool:
    """Whether the numbers could be a month with a day or a two-digit year."""
    if joined.third or not joined.second.isdigit() or joined.separator == " ":
        return False
    if len(joined.first) > 2 or len(joined.second) > 2:
        return False
    first, second = int(joined.first), int(joined.second)
    fits = month_and_day(first, second) or (1 <= first <= 12 and len(joined.second) == 2)
    return fits and not _UNIT_GLUED.match(text, joined.end)


def short_dates(
    text: str, candidates: Sequence[Joined], dated: Sequence[Hit], habit: Habit
) -> list[Hit]:
    """The candidates that read as dates, given the dates already known in the note, and its habit."""
    months = _months_of(text, dated, habit)
    weights = [_weight(text, candidate, habit) for candidate in candidates]
    for index, (one, other) in enumerate(pairwise(candidates)):
        if _successive(text, one, other, habit):
            weights[index] += 0.7
            weights[index + 1] += 0.7
    for candidate, weight in zip(candidates, weights, strict=True):
        sure = weight >= 1.5 or (weight >= 1.0 and _day_of(candidate, habit) > 12)
        if sure and candidate.separator == "/":
            months.add(_month_of(candidate, habit))
    found: list[Hit] = []
    last: tuple[int, int, bool] = (-1, 0, False)
    for candidate, weight in zip(candidates, weights, strict=True):
        first, second = int(candidate.first), int(candidate.second)
        if candidate.separator == "/" and max(first, second) <= 31:
            weight += _of_month(_month_of(candidate, habit), months)
        weight += _like_the_last(text, candidate, last)
        separator = candidate.separator
        accepted = weight >= (_NEEDED if separator == "/" else _NEEDED_WITHOUT_SLASH)
        last = (candidate.end, second, accepted)
        if accepted:
            found.append(Hit(candidate.start, candidate.end, min(0.9, 0.5 + weight / 10), "day"))
    return found


def _month_of(candidate: Joined, habit: Habit) -> int:
    return min(_ordered(candidate, habit), key=lambda number: number > 12)


def _day_of(candidate: Joined, habit: Habit) -> int:
    return max(_ordered(candidate, habit)[::-1], key=lambda number: number > 12)


def _ordered(candidate: Joined, habit: Habit) -> tuple[int, int]:
    """What is the month by habit, and what the day; the first that can be one is the month."""
    first, second = int(candidate.first), int(candidate.second)
    return (second, first) if habit.day_first else (first, second)


def _successive(text: str, one: Joined, other: Joined, habit: Habit) -> bool:
    """Later days of one month, side by side: 4/4, 4/6."""
    return (
        _month_of(one, habit) == _month_of(other, habit)
        and one.separator == other.separator
        and _day_of(one, habit) < _day_of(other, habit)
        and other.start - one.end <= 12
        and not text[one.end : other.start].strip(" \t,;&")
    )


def _of_month(month: int, months: set[int]) -> float:
    """A note speaks of the days around its own dates."""
    if month in months:
        return 1.0
    return 0.5 if (month - 2) % 12 + 1 in months or month % 12 + 1 in months else 0.0


def _months_of(text: str, dated: Sequence[Hit], habit: Habit) -> set[int]:
    """The months that the note's full dates name, when they are written in digits."""
    months = set()
    for hit in dated:
        numbers = re.findall(r"\d+", text[hit.start : hit.end])
        if len(numbers) == 3:
            second = habit.day_first or len(numbers[0]) == 4
            month = int(numbers[1] if second else numbers[0])
            if 1 <= month <= 12:
                months.add(month)
    return months


def _like_the_last(text: str, candidate: Joined, last: tuple[int, int, bool]) -> float:
    """Dates come in lists, and so do scores: the neighbour's verdict carries over."""
    end, denominator, accepted = last
    between = text[end : candidate.start] if 0 <= candidate.start - end <= 24 else "\n"
    if end < 0 or "\n" in between:
        return 0.0
    if accepted:
        return 1.5 if re.fullmatch(r"[\s,;&/+–-]{1,24}|,? ?(?:and|to|or|thru) ?", between) else 0.0
    return -1.5 if denominator == int(candidate.second) else 0.0


def _weight(text: str, candidate: Joined, habit: Habit) -> float:
    context = around(text, candidate.start, candidate.end)
    weight = _of_numbers(candidate) if candidate.separator != "/" else _by_habit(candidate, habit)
    score_like = int(candidate.second) in _EVEN_DENOMINATORS
    weight += _of_words_before(context, score_like) + _of_words_after(context, candidate)
    if _FULL_DATE_NEXT.match(text, candidate.end):
        weight -= 2.0
    if _LATE_DAY_NEXT.match(text, candidate.end):
        weight += 3.5
    elif _RANGE_NEXT.match(text, candidate.end) or _RANGE_OF_DATES.search(
        text, max(0, candidate.start - 8), candidate.start
    ):
        weight += 2.5
    if _CLOCK_NEXT.match(text, candidate.end):
        weight += 1.5
    before = text[candidate.start - 1 : candidate.start]
    if (
        before
        and before in "-–"
        and not _RANGE_BEFORE.search(text, candidate.start - 3, candidate.start)
    ):
        weight -= 3
    elif before and (before.isalpha() or before in "#=<>~^_*'\"."):
        weight -= 1.0
    elif text[candidate.start - 2 : candidate.start].isspace() and context.previous.isdigit():
        weight += 0.8
    if candidate.separator != "/" and not _CLAUSE_END.match(text, candidate.end):
        weight -= 1.0
    if _PAGE_OF.search(text, max(0, candidate.start - 4), candidate.end) and context.line_end:
        weight -= 1.0
    if context.line_start:
        weight += 1.0
        if _COLUMN_AFTER.match(text, candidate.end):
            weight += 0.7
    return weight


def _by_habit(candidate: Joined, habit: Habit) -> float:
    """The same, by how the note writes its days."""
    first, second = int(candidate.first), int(candidate.second)
    if second in (WEEKS_OF_A_YEAR, WEEKS_OF_A_PREGNANCY):
        return -1.5
    zero = candidate.first[0] == "0" or candidate.second[0] == "0"
    if habit.fractions and second in (7, 12) and not zero:
        return -1.2
    if habit.always and first <= 12 < second <= 31:
        return -1.5
    if habit.day_first and second <= 12 < first <= 31 and (first, second) not in _NEVER_DAYS:
        return 1.2
    return _of_numbers(candidate)


def _of_numbers(candidate: Joined) -> float:
    """How readily the bare numbers are a date rather than a fraction or score."""
    first, second = int(candidate.first), int(candidate.second)
    if candidate.separator == ".":
        return -1.5
    if candidate.separator != "/":
        zero = candidate.first[0] == "0" and candidate.second[0] == "0"
        return 0.7 if zero else 0.0
    if first == 24 and second == 7:
        return -4
    if candidate.first[0] == "0" or candidate.second[0] == "0":
        return 1.5
    if second > 31:
        return 1.0 if second > 50 and second % 10 else 0.0
    if first > 12:
        return -0.7
    if first > second or second not in _SCORE_DENOMINATORS:
        return 1.2 - (0.3 if second in _ROUND_DENOMINATORS else 0)
    if second in (5, 6, 10):
        return 0.2
    return 0.1 if first == second else 0.5


def _of_words_before(context: Around, score_like: bool) -> float:
    word = context.previous_word
    if context.previous == "," and context.before[1:2] and context.before[1] in WEEKDAY_WORDS:
        return 2.5
    bare = word.rstrip(".")
    if not context.before and context.above:
        bare = context.above.rstrip(".")
        return 1.0 if bare in _STRONG_BEFORE else -2.0 if bare in SCORE_BEFORE else 0.0
    if bare in _STRONG_BEFORE:
        return 2.5
    if bare in SCORE_BEFORE:
        return -3.0 if score_like else -1.5
    if word == "of" and set(context.before[1:2]) & _PARTS_OF_A_DAY:
        return 2.5
    if bare in DATE_BEFORE:
        return 1.2
    weight = 0.0
    if score_like and context.previous not in ".;" and set(context.before[1:3]) & SCORE_BEFORE:
        weight -= 1.0
    if set(context.before[1:3]) & _STRONG_BEFORE:
        weight += 1.0
    if context.previous.isdigit():
        numbered = context.before[1:2] in (("#",), ("@",)) or len(context.previous) == 4
        weight += 0.3 if numbered else -0.8
    elif bare in ("in", "to"):
        weight += 0.7
    elif context.previous in ("→", ">"):
        weight -= 1.2
    elif context.previous in ("(", ":", ";"):
        weight += 0.6
    elif context.previous in ("/", "+", "=", "x", "#", "<", ">", "*", "~"):
        weight -= 0.8
    return weight


def _of_words_after(context: Around, candidate: Joined) -> float:
    word = context.next.rstrip(".") or context.next
    beyond = [token.rstrip(".") for token in context.after[1:4]]
    if (
        context.next == "in."
        or word in FRACTION_AFTER
        or (word == "pain" and candidate.second == "10")
    ):
        return -2.5 if int(candidate.second) in _FRACTION_DENOMINATORS else -0.8
    if "murmur" in beyond or (word in ("-", "–") and beyond[1:2] and beyond[1] in FRACTION_AFTER):
        return -2.0
    if word in (":", ")", ";"):
        return 0.6
    return 0.2 if word in (",", ".") else 0.0
