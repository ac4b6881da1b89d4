"""Weekdays by their letters: MWF, TTS, M/W/F, TuThSa."""

from __future__ import annotations

import re

from incognote.replace.surrogate.dates.letters import in_case_of

_DAYS = {"m": 0, "mo": 0, "t": 1, "tu": 1, "w": 2, "we": 2, "th": 3, "r": 3, "f": 4, "fr": 4}
_DAYS |= {"sa": 5, "s": 5, "su": 6, "sn": 6}
_DAY = re.compile(r"mo|tu|th|we|fr|sa|su|sn|[mtwrfs]", re.IGNORECASE)
LETTERS = re.compile(
    r"(?:M|T[uh]?|W|R|F|S[aun]?)+|(?:m|t[uh]?|w|r|f|s[aun]?)+|(?:M|T[UH]?|W|R|F|S[AUN]?)+|Mo|We|Fr"
)
"""A word that is nothing but days of the week."""

_WRITTEN = {
    0: ("M", "Mo"), 1: ("T", "Tu"), 2: ("W", "We"), 3: ("Th", "Th"), 4: ("F", "Fr"),
    5: ("Sa", "Sa"), 6: ("Su", "Su"),
}  # fmt: skip


def later_days(letters: str, days: int) -> str:
    """The same number of days, each so much later, in letters of the same kind.

    >>> later_days("MWF", 1)
    'TThSa'
    """
    if days % 7 == 0:
        return letters
    written = []
    seen: set[int] = set()
    for match in _DAY.finditer(letters):
        day = _DAYS[match[0].lower()]
        if day == 1 and match[0].lower() == "t" and day in seen:
            day = 3
        seen.add(day)
        short, long = _WRITTEN[(day + days) % 7]
        written.append(in_case_of(long if len(match[0]) > 1 and day != 3 else short, match[0]))
    return "".join(written)
