"""Numbers as they are said: figures, halves, and English words up to a hundred and some."""

from __future__ import annotations

from incognote.detect.rules.word_trie import trie

_UNITS = "one two three four five six seven eight nine".split()
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
DECADES = "teens twenties thirties forties fifties sixties seventies eighties nineties".split()

_JOINTS = ("-", " ", "\n", "-\n", "-\r\n", "\r\n")

WORDS = (
    trie(
        [*_UNITS, *_TEENS, *TENS, "one hundred", "a hundred"]
        + [f"{ten}{joint}{unit}" for ten in TENS for joint in _JOINTS for unit in _UNITS]
        + [f"one hundred{joint}{unit}" for joint in (" ", " and ") for unit in _UNITS],
        after="[A-Za-z0-9]",
    )
    + r"\b"
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
