"""The formats of a single date, as patterns over token codes.

Named groups are the parts; `a`, `b` and `c` are numbers whose meaning the order of the note's
dates decides. Codes: n one or two digits, Y a year of four, y a year in words, o and k a day in
words, M month, R roman month, W weekday, m weekdays by letter, S season, Q quarter, H holiday,
z the s of a decade, K a decade in words, s an ordinal's ending, T a time of day, F fiscal year,
f of, h the, v early or late, i on or since, p night, e school (year), + and, > to.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

_BEFORE = r"[hvifaeF>+_(.,\-]*?"
_AFTER = r"(?:[_,ih]*T)?[_.,;:)pe@a]*"
_GLUE = r"[_,./\-fha(]{0,6}"
_LOOSE = r"[_,.fhae]{0,6}"
_SEPARATOR = r"_?(?P<{}>[-/.])_?"
_AGAIN = r"_?(?P={})_?"
_WEEKDAY = rf"(?:(?P<w>W){_GLUE}|)"
_WEEKDAY_AFTER = r"(?:[_,(\-]{1,3}(?P<v>W)|)"
_DAY = r"(?P<d>[nok])(?P<s>s)?"
_MONTH = r"(?P<m>M)"
_YEAR = r"'?(?P<y>[Yyn])"
_MARKED_YEAR = r"(?:'(?P<yq>n)|(?P<y>[Yy]))"

_PATTERNS = {
    "month day year": f"{_WEEKDAY}{_MONTH}{_LOOSE}{_DAY}{_LOOSE}{_YEAR}{_WEEKDAY_AFTER}",
    "month-day-year": f"{_WEEKDAY}{_MONTH}{_SEPARATOR.format('g')}{_DAY}{_AGAIN.format('g')}{_YEAR}",
    "day month year": f"{_WEEKDAY}{_DAY}{_GLUE}{_MONTH}{_GLUE}{_YEAR}{_WEEKDAY_AFTER}",
    "year month day": f"(?P<y>Y){_GLUE}{_MONTH}{_GLUE}{_DAY}{_WEEKDAY_AFTER}",
    "month year": f"{_MONTH}(?:{_GLUE}{_MARKED_YEAR}|[-/](?P<yn>n))",
    "month day": f"{_WEEKDAY}{_MONTH}{_LOOSE}{_DAY}{_WEEKDAY_AFTER}",
    "day month": f"{_WEEKDAY}{_DAY}{_GLUE}{_MONTH}{_WEEKDAY_AFTER}",
    "year month": f"(?P<y>Y){_GLUE}{_MONTH}",
    "month": _MONTH,
    "a/b/c": f"{_WEEKDAY}(?P<a>n){_SEPARATOR.format('g')}(?P<b>n){_AGAIN.format('g')}'?(?P<c>[Yn]){_WEEKDAY_AFTER}",
    "a b c": f"{_WEEKDAY}(?P<a>n)_(?P<b>n)_(?P<c>Y)",
    "abc": "(?P<a>n)(?P<b>n)(?P<c>[Yn])",
    "y/a/b": f"{_WEEKDAY}(?P<y>Y){_SEPARATOR.format('g')}(?P<a>n){_AGAIN.format('g')}(?P<b>n){_WEEKDAY_AFTER}",
    "y a b": "(?P<y>Y)_?(?P<a>n)_?(?P<b>n)",
    "roman": f"(?P<d>n){_SEPARATOR.format('g')}(?P<r>R){_AGAIN.format('g')}(?P<y>[Yn])",
    "n/year": "(?P<n>n)_?[-/.]_?(?:'(?P<yq>n)|(?P<y>Y))",
    "year-n": "(?P<y>Y)(?:_?[-/.]_?)?(?P<n>n)",
    "a/b": f"{_WEEKDAY}(?P<a>n)_?[-/.]_?(?P<b>n){_WEEKDAY_AFTER}",
    "season": f"(?P<t>S){_LOOSE}{_YEAR}(?:[-/](?P<y2>[Yn]))?|(?P<y3>Y)_(?P<t2>S)|(?P<t3>S)",
    "quarter": f"(?P<q>Q)[_,/\\-fh]{{0,5}}F?_?{_YEAR}|(?P<y3>Y)_?-?(?P<q2>Q)|(?P<q3>Q)",
    "decade": "'?(?P<z>[Yn])z|(?P<z2>K)",
    "holiday": f"(?P<h>H)(?:{_LOOSE}{_MARKED_YEAR})?|(?P<y3>Y)_(?P<h2>H)",
    "weekday day": f"(?P<w>W){_LOOSE}{_DAY}",
    "weekdays": r"[Wm](?:[_,/\-+>]{1,3}[Wm])*",
    "year": _MARKED_YEAR,
    "fiscal year": r"[ea_]*F[_\-]*(?:'?(?P<yn>n)|(?P<y>Y))",
    "day, year": r"(?P<d>[no])(?P<s>s)?[_,.]{1,3}(?P<y>[Yy])",
    "day": _DAY,
}  # fmt: skip

_FORMATS = {
    name: re.compile(f"{_BEFORE}(?:{pattern}){_AFTER}") for name, pattern in _PATTERNS.items()
}


@lru_cache(maxsize=4096)
def fitting(codes: str) -> tuple[tuple[str, Mapping[str, int]], ...]:
    """The formats that fit, in order, with where each group was found.

    Notes repeat few shapes, and codes tell nothing of a date, so that they may be remembered.
    """
    found = []
    for name, pattern in _FORMATS.items():
        match = pattern.fullmatch(codes)
        if match:
            groups = match.groupdict().items()
            at = {group: match.start(group) for group, code in groups if code and group != "g"}
            found.append((name, at))
    return tuple(found)
