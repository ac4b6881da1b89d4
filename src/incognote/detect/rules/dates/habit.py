"""How a note writes its days: 30/4 or 4/30, and whether 2/52 means two weeks.

Outside the United States the day comes first, and 3/7, 2/52, 6/12 and 36/40 are days, weeks and
months of a duration, or weeks of a pregnancy.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from incognote.detect.first_words import first_words
from incognote.detect.pattern import FigurePattern, WordPattern
from incognote.detect.reading import Reading
from incognote.detect.rules.dates.calendar import FULL_MONTHS, ORDINAL, SHORT_MONTHS
from incognote.detect.rules.dates.numbers import Joined

WEEKS_OF_A_YEAR, WEEKS_OF_A_PREGNANCY = 52, 40
_MONTH = rf"(?:{FULL_MONTHS}|{SHORT_MONTHS})"
_DAY_AND_MONTH = FigurePattern(
    rf"(?<![\w/.,-])\d{{1,2}}(?:{ORDINAL})?[ -]{_MONTH}(?![^\W\d_])",
    re.IGNORECASE,
    needs=first_words(_MONTH),
    digits=[1, 2],
    then="[ snrtSNRT-]",
)
_MONTH_AND_DAY = WordPattern(
    rf"(?<![^\W_]){_MONTH}\.?[ ]\d{{1,2}}(?:{ORDINAL})?(?![\w/:])", re.IGNORECASE
)


class Habit(NamedTuple):
    """What a note does; `always`, if its dates in figures say so, and not only those in words."""

    day_first: bool = False
    always: bool = False
    fractions: bool = False


def habit_of(note: Reading, numbers: Sequence[Joined]) -> Habit:
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
