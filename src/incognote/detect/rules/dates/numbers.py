"""Two or three numbers joined by a separator: the raw material of numeric dates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from incognote.detect.pattern import FigurePattern, Pattern
from incognote.detect.reading import Reading
from incognote.detect.rules.dates.calendar import APOSTROPHE, SPACE

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


class Joined(NamedTuple):
    """Numbers as written, so that leading zeros can speak; `third` is empty for a pair."""

    start: int
    end: int
    separator: str
    first: str
    second: str
    third: str


def joined_numbers(note: Reading) -> Iterator[Joined]:
    """Every pair or triple of joined numbers, left to right."""
    text = note.text
    for match in _JOINED.find(note):
        groups = match.groupdict()
        leading = _LEADING.match(text, match.start())
        yield Joined(
            match.start(),
            match.end(),
            groups["sep"] or groups["wide"] or " ",
            leading[0] if leading else "",
            groups["second"] or groups["wide2"] or groups["spaced2"],
            groups["third"] or groups["wide3"] or groups["spaced3"] or "",
        )
