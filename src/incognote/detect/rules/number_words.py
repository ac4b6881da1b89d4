"""Numbers as they are said: figures, halves, and English words up to a hundred and some."""

from __future__ import annotations

from incognote.detect.reading import Reading

_UNITS = "one two three four five six seven eight nine".split()
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
DECADES = "teens twenties thirties forties fifties sixties seventies eighties nineties".split()

STARTS = frozenset([*_UNITS, *_TEENS, *TENS])
"""The words that a number in words begins with."""

_BLANK = r"[ \t\xa0.]{1,3}+"
_JOINT = rf"(?:-(?:\r?\n)?|{_BLANK}|\r?\n)"
_UNIT = f"(?:{'|'.join(_UNITS)})"

WORDS = (
    rf"(?<![A-Za-z0-9])(?i:(?:{'|'.join(TENS)})(?:{_JOINT}{_UNIT})?"
    rf"|(?:one|a){_BLANK}hundred(?:{_BLANK}(?:and{_BLANK})?{_UNIT})?|{'|'.join(_TEENS)}|{_UNIT})\b"
)
"""A number in words; a line may break inside it."""

_PART = r"(?:½|¼|¾|[ -]?1/2| \d{1,2}/12)?"

FIGURES = rf"(?:(?:1[01]\d|0?\d{{1,2}}){_PART}(?!\d))"
"""A number of years or months in figures, at most 119."""

FREE_FIGURES = (
    rf"\d(?<![\w.,/:;$%+].)(?<!\d-\d)(?<!ex[ -]\d)(?:(?<=1)[01]\d|(?<=0)\d\d|\d?){_PART}(?!\d)"
)
"""Figures that are no part of a larger number; starts with a digit, so that searches are quick."""

NUMBER = rf"(?:(?:{FIGURES}|{WORDS})(?: and a half)?)"


def said(note: Reading) -> list[int]:
    """Where a number in words may begin."""
    return note.at(STARTS | {"a"} if "hundred" in note.words else STARTS)
