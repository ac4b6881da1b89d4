"""Capitals: lists in upper case made readable, and values put into the case of their place."""

from __future__ import annotations

import re

_SMALL = {"of", "the", "and", "at", "for", "in", "on", "de", "la", "del", "y", "by"}
_KEPT = {
    "VA",
    "UCLA",
    "USC",
    "USA",
    "LTAC",
    "ICU",
    "ENT",
    "YMCA",
    "AFB",
    "CBOC",
    "MRI",
    "II",
    "III",
}
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def place_case(name: str) -> str:
    """`ST. MARY'S HOSPITAL OF THE VALLEY` as `St. Mary's Hospital of the Valley`."""
    if not name.isupper():
        return " ".join(name.split())

    def cased(match: re.Match[str]) -> str:
        word = match[0]
        if word in _KEPT or (2 < len(word) < 5 and not set(word) & set("AEIOUY'’")):
            return word
        if match.start() and word.lower() in _SMALL:
            return word.lower()
        return surname_case(word.capitalize())

    return " ".join(_WORD.sub(cased, name).split())


def surname_case(name: str) -> str:
    """`Mcdonald` as `McDonald`, `O'brien` as `O'Brien`."""
    if len(name) > 4 and name.startswith("Mc"):
        return "Mc" + name[2:].capitalize()
    if len(name) > 3 and name[1:2] in "'’" and name[0] in "OD":
        return name[:2] + name[2:].capitalize()
    return name


def like(value: str, model: str) -> str:
    """`value` in the case of `model`, where the model's case says something."""
    letters = [char for char in model if char.isalpha()]
    if len(letters) < 2:
        return value
    if all(char.isupper() for char in letters):
        return value.upper()
    if all(char.islower() for char in letters):
        return value.lower()
    return value
