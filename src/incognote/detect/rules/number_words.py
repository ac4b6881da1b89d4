"""Numbers as they are said: figures, halves, and English words up to a hundred and some."""

from __future__ import annotations

_UNITS = "one|two|three|four|five|six|seven|eight|nine"
_TEENS = "ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
DECADES = "teens|twenties|thirties|forties|fifties|sixties|seventies|eighties|nineties"

WORDS = (
    rf"(?:(?i:one hundred(?: and)?(?:[ -](?:{_UNITS}))?|(?:{TENS})(?:(?:-\r?\n?|[ ]|\r?\n)(?:{_UNITS})\b)?"
    rf"|{_TEENS}|{_UNITS})\b)"
)
"""A number in words; a line may break inside it."""

FIGURES = r"(?:(?:1[01]\d|0?\d{1,2})(?:½|¼|¾| ?1/2| \d{1,2}/12)?(?!\d))"
"""A number of years or months in figures, at most 119."""

NUMBER = rf"(?:(?:{FIGURES}|{WORDS})(?i: and a half)?)"
