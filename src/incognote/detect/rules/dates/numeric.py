"""Dates in digits: 3/14/2019, 2019-03-14, 20190314, and the short 10/4, 03-14, 2/93.

The shape of a short date also writes pain scores, strengths, murmurs, pressures and tablets, so
each candidate is weighed: what its numbers can be, the words around it, and the other dates of the
note.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from incognote.detect.first_words import first_words
from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import FigurePattern, Pattern, WordPattern
from incognote.detect.rules.dates.context import (
    APOSTROPHE,
    DATE_BEFORE,
    DOSE_UNITS,
    FRACTION_AFTER,
    MONTH,
    ORDINAL,
    SCORE_BEFORE,
    SPACE,
    WEEKDAY_WORDS,
    Around,
    around,
    date,
    full_year,
    month_and_day,
    plausible_year,
    words,
)
from incognote.detect.rules.engine import Finding

# Two or three numbers joined by a separator.

_JOINED = FigurePattern(
    rf"""
    \d(?<!\d\d)(?<!\d[.,:/]\d)(?<![$+]\d)\d{{0,3}}+
    (?:
      (?P<sep>[-/.‐‑–])(?P<second>{APOSTROPHE}?\d{{1,4}}+)(?:(?P=sep)(?P<third>\d{{1,4}}+))?+
    | {SPACE}?(?P<wide>[-/.–]){SPACE}?(?P<wide2>\d{{1,2}}+){SPACE}?(?P=wide){SPACE}?
      (?P<wide3>(?:19|20)\d\d)
    | (?<=\d\d\d\d)[ ](?P<spaced2>\d\d)[ ](?P<spaced3>\d\d)
    )
    (?!\d|[/.:]\d|/[-+]|,\d\d\d(?!\d)|[%°])
    """,
    re.VERBOSE,
    digits=[1, 2, 3, 4],
    then=rf"[-/.‐‑–](?:\d|{APOSTROPHE}|{SPACE})|[ \t\xa0][-/.–\d]",
)
_LEADING = Pattern(r"\d+")


class JoinedNumbers(NamedTuple):
    """Numbers as written, so that leading zeros can speak; `third` is empty for a pair."""

    start: int
    end: int
    separator: str
    first: str
    second: str
    third: str


def joined_numbers(note: NoteIndex) -> Iterator[JoinedNumbers]:
    """Every pair or triple of joined numbers, left to right."""
    text = note.text
    for match in _JOINED.find(note):
        groups = match.groupdict()
        leading = _LEADING.match(text, match.start())
        yield JoinedNumbers(
            match.start(),
            match.end(),
            groups["sep"] or groups["wide"] or " ",
            leading[0] if leading else "",
            groups["second"] or groups["wide2"] or groups["spaced2"],
            groups["third"] or groups["wide3"] or groups["spaced3"] or "",
        )


# Dates that say their year: 3/14/2019, 2019-03-14, 3.14.19, 10/2014, 20190314.

_ROMAN = FigurePattern(
    r"\d(?<![\w.]\d)\d?([./-])(?:I{1,3}|IV|VI{0,3}|IX|XI{0,2})\1(?:1[89]|20)\d\d(?!\d)",
    digits=[1, 2],
    then="[./-][IVX]",
)
_YEAR_FIRST = FigurePattern(
    r"(?P<date>[12](?<![\w.,/#$:-]\d)[09]\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))"
    r"(?:(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?(?:[.+-]\d{1,4})?)?(?![\w-]|\.\d)",
    digits=[8, 12, 14],
)
_YEAR_LAST = FigurePattern(
    r"[01](?<!\d\d)(?<![.,/#$-]\d)\d(?:0[1-9]|[12]\d|3[01])(?:19|20)?\d\d(?!\d)", digits=[6, 8]
)
_LABEL_BEFORE = Pattern(
    r"(?i)(?<![^\W_])(?:dob|dos|doa|dod|dt|dd|date|adm|admit|disch|seen|exp|coll(?:ected)?)"
    r"(?:[ ]of[ ](?:birth|service))?\s?[:=]?\s?$"
)
_AGE_AND_SEX_AFTER = Pattern(r"\s{1,3}\d{1,3}\s?(?:y/?o?\s?)?[MF]\b")
_RANGE_START = Pattern(r"(?:[/.'’-]\d{1,4}|\d)\s?[-–]\s?$")

_TRIPLET_BEFORE = words(
    """
    pca hpv version ver v software firmware fw build section sec § icd cpt ratio ports port hla
    apgar apgars vent settings abg vbg gas epidural basal ortho-novum tri-norinyl triphasil
    accession lot catalog part spetzler humalog novolog carb carbs icr isf insulin lispro
    aspart breakfast sets reps levels pressures shifts drains drain output outputs
    """
)
_TRIPLET_AFTER = DOSE_UNITS | words("wk wks week weeks day days mos months reps sets ports")
_DOSE_AFTER = words("mg mcg ml cc units meq mmol")
_ID_LABELS = words(
    """
    mrn mr acct account acc accession id no no. number num # case order ref lot serial sn s/n
    unit ein npi csn fin har visit encounter claim policy member group phone tel fax pager ssn
    rx upin dea lic license auth conf confirmation
    """
)


def full_date(text: str, numbers: JoinedNumbers) -> Finding | None:
    """The date that a pair or triple with a year spells, if it spells one."""
    strength = _triple(text, numbers) if numbers.third else _pair(text, numbers)
    if not strength:
        return None
    return date(numbers.start, numbers.end, strength)


def _triple(text: str, numbers: JoinedNumbers) -> float:
    _, _, separator, first, second, third = numbers
    if not second.isdigit():
        return 0.0
    if len(first) == 4:
        fits = len(third) <= 2 and len(second) <= 2 and plausible_year(int(first))
        fits = fits and month_and_day(int(second), int(third))
        return (0.7 if separator == " " else 0.97) if fits else 0.0
    if len(first) > 2 or len(second) > 2 or len(third) not in (2, 4):
        return 0.0
    if not (month_and_day(int(first), int(second)) and plausible_year(full_year(third))):
        return 0.0
    if len(third) == 4:
        return 0.97
    context = around(text, numbers.start, numbers.end)
    if context.previous_word.rstrip(".") in _TRIPLET_BEFORE or context.next == "ports":
        return 0.0
    if separator == "/":
        return 0.0 if context.next in _DOSE_AFTER else 0.93
    before = text[numbers.start - 1 : numbers.start]
    loose_dash = before != "" and before in "-–" and not _range(text, numbers)
    if (
        context.next.rstrip(".") in _TRIPLET_AFTER
        or before.isupper()
        or before == "#"
        or loose_dash
    ):
        return 0.0
    return 0.85


def _pair(text: str, numbers: JoinedNumbers) -> float:
    """10/2014, 9/'03, 2026-04 and the end of 3/14-16/2019."""
    _, _, separator, first, second, _ = numbers
    if separator == ".":
        return 0.0
    before = text[numbers.start - 1 : numbers.start]
    if before and before in "-–" and not _range(text, numbers):
        return 0.0
    if len(second) == 4 and second.isdigit() and len(first) <= 2:
        month = 1 <= int(first) <= 12 or (before != "" and before in "-–" and int(first) <= 31)
        if not (month and 1900 <= int(second) <= 2060):
            return 0.0
        return 0.9 if separator == "/" else 0.0 if before.isalnum() else 0.75
    if not second.isdigit():
        return 0.9 if len(first) <= 2 and len(second) == 3 and 1 <= int(first) <= 12 else 0.0
    if len(first) == 4 and len(second) == 2 and 1900 <= int(first) <= 2060:
        two_years = int(second) == (int(first) + 1) % 100
        return 0.8 if 1 <= int(second) <= 12 and not two_years and not before.isalnum() else 0.0
    return 0.0


def _range(text: str, numbers: JoinedNumbers) -> bool:
    return _RANGE_START.search(text, max(0, numbers.start - 12), numbers.start) is not None


def compact_dates(note: NoteIndex) -> Iterator[Finding]:
    """Dates without separators: year first, or by their label or the age beside them."""
    text = note.text
    for match in _YEAR_FIRST.find(note):
        start, end = match.span("date")
        context = around(text, start, end)
        labels = {token.rstrip(".") for token in context.before[:3]}
        if not labels & _ID_LABELS and context.next not in _TRIPLET_AFTER:
            yield date(start, end, 0.7)
    for match in _YEAR_LAST.find(note):
        start, end = match.span()
        labelled = _LABEL_BEFORE.search(text, max(0, start - 20), start)
        beside_age = end - start == 6 and not text[start - 1 : start].isalnum()
        if labelled or (beside_age and _AGE_AND_SEX_AFTER.match(text, end)):
            yield date(start, end, 0.8)
    for match in _ROMAN.find(note):
        yield date(*match.span(), 0.9)


# How a note writes its days: 30/4 or 4/30. Outside the United States the day comes first, and 3/7,
# 2/52, 6/12 and 36/40 are days, weeks and months of a duration, or weeks of a pregnancy.

WEEKS_OF_A_YEAR, WEEKS_OF_A_PREGNANCY = 52, 40
_DAY_AND_MONTH = FigurePattern(
    rf"(?<![\w/.,-])\d{{1,2}}(?:{ORDINAL})?[ -]{MONTH}(?![^\W\d_])",
    re.IGNORECASE,
    needs=first_words(MONTH),
    digits=[1, 2],
    then="[ snrtSNRT-]",
)
_MONTH_AND_DAY = WordPattern(
    rf"(?<![^\W_]){MONTH}\.?[ ]\d{{1,2}}(?:{ORDINAL})?(?![\w/:])", re.IGNORECASE
)


class Habit(NamedTuple):
    """What a note does; `always`, if its dates in figures say so, and not only those in words."""

    day_first: bool = False
    always: bool = False
    fractions: bool = False


def habit_of(note: NoteIndex, numbers: Sequence[JoinedNumbers]) -> Habit:
    """What full dates in figures show, and without such those that name their month."""
    pairs = [(int(n.first), n.second) for n in numbers if not n.third and len(n.first) <= 2]
    fractions = any(second == str(WEEKS_OF_A_YEAR) and first < 52 for first, second in pairs)
    full = [
        (int(n.first), int(n.second))
        for n in numbers
        if n.third and len(n.first) <= 2 and len(n.second) <= 2 and n.second.isdigit()
    ]
    days = sum(12 < first <= 31 and second <= 12 for first, second in full)
    months = sum(first <= 12 < second <= 31 for first, second in full)
    if days or months:
        return Habit(days > months, days > months, fractions)
    days = sum(1 for _ in _DAY_AND_MONTH.find(note))
    months = sum(1 for _ in _MONTH_AND_DAY.find(note))
    return Habit(days > months or fractions, fractions, fractions)


# Month and day, or month and two-digit year: 10/4, 03-14, 2/93.

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


def may_be_short(text: str, numbers: JoinedNumbers) -> bool:
    """Whether the numbers could be a month with a day or a two-digit year."""
    if numbers.third or not numbers.second.isdigit() or numbers.separator == " ":
        return False
    if len(numbers.first) > 2 or len(numbers.second) > 2:
        return False
    first, second = int(numbers.first), int(numbers.second)
    fits = month_and_day(first, second) or (1 <= first <= 12 and len(numbers.second) == 2)
    return fits and not _UNIT_GLUED.match(text, numbers.end)


def short_dates(
    text: str, candidates: Sequence[JoinedNumbers], dated: Sequence[Finding], habit: Habit
) -> list[Finding]:
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
    dates: list[Finding] = []
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
            dates.append(date(candidate.start, candidate.end, min(0.9, 0.5 + weight / 10)))
    return dates


def _month_of(candidate: JoinedNumbers, habit: Habit) -> int:
    return min(_ordered(candidate, habit), key=lambda number: number > 12)


def _day_of(candidate: JoinedNumbers, habit: Habit) -> int:
    return max(_ordered(candidate, habit)[::-1], key=lambda number: number > 12)


def _ordered(candidate: JoinedNumbers, habit: Habit) -> tuple[int, int]:
    """What is the month by habit, and what the day; the first that can be one is the month."""
    first, second = int(candidate.first), int(candidate.second)
    return (second, first) if habit.day_first else (first, second)


def _successive(text: str, one: JoinedNumbers, other: JoinedNumbers, habit: Habit) -> bool:
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


def _months_of(text: str, dated: Sequence[Finding], habit: Habit) -> set[int]:
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


def _like_the_last(text: str, candidate: JoinedNumbers, last: tuple[int, int, bool]) -> float:
    """Dates come in lists, and so do scores: the neighbour's verdict carries over."""
    end, denominator, accepted = last
    between = text[end : candidate.start] if 0 <= candidate.start - end <= 24 else "\n"
    if end < 0 or "\n" in between:
        return 0.0
    if accepted:
        return 1.5 if re.fullmatch(r"[\s,;&/+–-]{1,24}|,? ?(?:and|to|or|thru) ?", between) else 0.0
    return -1.5 if denominator == int(candidate.second) else 0.0


def _weight(text: str, candidate: JoinedNumbers, habit: Habit) -> float:
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


def _by_habit(candidate: JoinedNumbers, habit: Habit) -> float:
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


def _of_numbers(candidate: JoinedNumbers) -> float:
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


def _of_words_after(context: Around, candidate: JoinedNumbers) -> float:
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


def numeric_dates(note: NoteIndex) -> Iterator[Finding]:
    """Every date in digits; the full ones say how to read the short ones."""
    text = note.text
    dates: list[Finding] = []
    candidates: list[JoinedNumbers] = []
    pairs_and_triples = list(joined_numbers(note))
    for numbers in pairs_and_triples:
        full = full_date(text, numbers)
        if full:
            dates.append(full)
        elif may_be_short(text, numbers):
            candidates.append(numbers)
    dates += compact_dates(note)
    if candidates:
        dates += short_dates(text, candidates, dates, habit_of(note, pairs_and_triples))
    yield from dates
