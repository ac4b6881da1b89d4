"""What a tokenizer may drop of a piece: its capitals, digits, accents and the space around it.

An uncased encoder reads `ROSA`, `Rosa` and `rosa` as one, and a line's end as nothing. These
features are taken from the note itself, so that a model may be given them beside the ids.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import cache

import numpy as np

from incognote.align.units import Flags, Integers, Units
from incognote.align.words import words

VERSION = 1
"""Changes whenever a feature does: a model is used with the features it was trained on."""

FEATURES: Mapping[str, int] = {
    "case": 6,  # no letters, lower, one capital, several, capitalized, mixed
    "word_case": 6,  # the same of the word that the piece is in
    "digits": 9,  # of the word: none; only 1, 2, 3, 4, 5-6, 7-8, more; digits and letters
    "before": 6,  # nothing, a space, more white space, a line's end, an empty line, the note's start
    "after": 6,
    "accents": 2,
}
ROWS = sum(FEATURES.values())
"""The rows of one table for all features; a piece has one row of each feature."""

_OFFSETS = np.cumsum([0, *FEATURES.values()])[:-1]
NO_SHAPE: Integers = _OFFSETS.astype(np.int64)
"""The rows of a special piece, or of one that stands for white space only."""

_SPACE, _LINE, _LOWER, _UPPER, _DIGIT, _OTHER = range(6)
_LINES = frozenset("\n\v\f\x85\u2028\u2029")
_DIGIT_COUNTS = np.array([0, 1, 2, 3, 4, 5, 5, 6, 6, 7])
_MIXED_DIGITS = 8


def shapes(text: str, units: Units, given: Units | None = None) -> Integers:
    """For each unit its rows, [units, features].

    What is `given` of a unit may end after it; then what comes after that is what counts.
    """
    rows = np.tile(NO_SHAPE, (len(units), 1))
    solid = units.solid
    if not solid.size:
        return rows
    kinds, accented = _characters(text)
    starts, ends = units.starts[solid], units.ends[solid]
    word_starts, word_ends = _words_around(text, starts)
    before, after = _gaps(kinds)
    found = (
        _case(kinds, starts, ends),
        _case(kinds, word_starts, word_ends),
        _digits(kinds, word_starts, word_ends),
        before[starts],
        after[(given or units).ends[solid]],
        _count(accented, starts, ends) > 0,
    )
    rows[solid] += np.stack([feature.astype(np.int64) for feature in found], axis=1)
    return rows


@cache
def _kind(code: int) -> tuple[int, bool]:
    """The kind of a character, and whether it is a letter with an accent or beyond ASCII."""
    character = chr(code)
    if character.isspace():
        return (_LINE if character in _LINES else _SPACE), False
    if character.isdecimal():
        return _DIGIT, False
    if character.isupper():
        return _UPPER, code > 127
    if character.isalpha():
        return _LOWER, code > 127
    return _OTHER, unicodedata.combining(character) > 0


def _characters(text: str) -> tuple[Integers, Flags]:
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    distinct, place = np.unique(codes, return_inverse=True)
    known = [_kind(code) for code in distinct.tolist()]
    kinds = np.array([kind for kind, _ in known], np.int64)
    accents = np.array([accent for _, accent in known])
    return kinds[place], accents[place]


def _words_around(text: str, starts: Integers) -> tuple[Integers, Integers]:
    """The word that holds each place."""
    table = np.array(words(text), np.int64).reshape(-1, 2)
    place = np.searchsorted(table[:, 0], starts, "right") - 1
    return table[place, 0], table[place, 1]


def _count(flags: Flags, starts: Integers, ends: Integers) -> Integers:
    """How many of the characters of each stretch are flagged."""
    running = np.concatenate(([0], np.cumsum(flags)))
    counts: Integers = running[ends] - running[starts]
    return counts


def _case(kinds: Integers, starts: Integers, ends: Integers) -> Integers:
    upper = _count(kinds == _UPPER, starts, ends)
    lower = _count(kinds == _LOWER, starts, ends)
    capitalized = (upper == 1) & (kinds[starts] == _UPPER)
    conditions = [
        upper + lower == 0,
        upper == 0,
        (upper == 1) & (lower == 0),
        lower == 0,
        capitalized,
    ]
    return np.select(conditions, list(range(5)), 5)


def _digits(kinds: Integers, starts: Integers, ends: Integers) -> Integers:
    digits = _count(kinds == _DIGIT, starts, ends)
    plain = _DIGIT_COUNTS[np.minimum(digits, 9)]
    return np.where((digits > 0) & (digits < ends - starts), _MIXED_DIGITS, plain)


def _gaps(kinds: Integers) -> tuple[Integers, Integers]:
    """The white space before and after each place between characters, [characters + 1]."""
    size = len(kinds)
    solid = kinds > _LINE
    places = np.arange(size)
    last = np.concatenate(([0], np.maximum.accumulate(np.where(solid, places + 1, 0))))
    following = np.append(np.where(solid, places, size), size)
    following = np.minimum.accumulate(following[::-1])[::-1]
    here = np.arange(size + 1)
    lines = np.concatenate(([0], np.cumsum(kinds == _LINE)))

    def graded(run: Integers, breaks: Integers, edge: Flags) -> Integers:
        conditions = [edge, breaks > 1, breaks == 1, run > 1, run == 1]
        return np.select(conditions, [5, 4, 3, 2, 1], 0)

    before = graded(here - last, lines[here] - lines[last], last == 0)
    after = graded(following - here, lines[following] - lines[here], following == size)
    return before, after
