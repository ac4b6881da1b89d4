"""What a tokenizer may drop of a token: its capitals, digits, accents and the space around it.

An uncased encoder reads `ROSA`, `Rosa` and `rosa` as one, and a line's end as nothing. These
features are taken from the note itself, so that a model may be given them beside the ids.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import cache

import numpy as np

from incognote.align.tokens import Flags, Integers, TokenOffsets
from incognote.align.words import codes_of, per_character, table_of_words

VERSION = 1
"""Changes whenever a feature does: a model is used with the features it was trained on."""

FEATURES: Mapping[str, int] = {
    "case": 6,  # no letters, lower, one capital, several, capitalized, mixed
    "word_case": 6,  # the same of the word that the token is in
    "digits": 9,  # of the word: none; only 1, 2, 3, 4, 5-6, 7-8, more; digits and letters
    "before": 6,  # nothing, a space, more white space, a line's end, an empty line, the note's start
    "after": 6,
    "accents": 2,
}
ROWS = sum(FEATURES.values())
"""The rows of one table for all features; a token has one row of each feature."""

_OFFSETS = np.cumsum([0, *FEATURES.values()])[:-1]
BEFORE, AFTER = (list(FEATURES).index(name) for name in ("before", "after"))
NO_SHAPE: Integers = _OFFSETS.astype(np.int64)
"""The rows of a special token, or of one that stands for white space only."""

EDGE = 5
"""White space that the note begins or ends with, as `before` and `after` have it."""

_SPACE, _LINE, _LOWER, _UPPER, _DIGIT, _OTHER = range(6)
_LINES = frozenset("\n\v\f\x85\u2028\u2029")
_ACCENTED = 8
"""Added to the kind of a letter with an accent or beyond ASCII, and to that of an accent."""

# By capitals (none, one, more), other letters (none, some) and whether the first is a capital.
_CASES = np.array([[[0, 0], [1, 1]], [[2, 2], [5, 4]], [[3, 3], [5, 5]]])
_DIGIT_COUNTS = np.array([0, 1, 2, 3, 4, 5, 5, 6, 6, 7])
_MIXED_DIGITS = 8


def shapes(text: str, offsets: TokenOffsets, input_offsets: TokenOffsets | None = None) -> Integers:
    """For each token its rows, [tokens, features].

    What a model is given of a token (`input_offsets`) may end after it; then what comes after that
    is what counts.
    """
    rows = np.tile(NO_SHAPE, (len(offsets), 1))
    solid = offsets.solid
    if not solid.size:
        return rows
    known = per_character(codes_of(text), _kind)
    kinds, accented = known % _ACCENTED, known >= _ACCENTED
    starts, ends = offsets.starts[solid], offsets.ends[solid]
    word_starts, word_ends = _words_around(text, starts)
    upper, lower = _running(kinds == _UPPER), _running(kinds == _LOWER)
    before, after = _gaps(kinds, starts, (input_offsets or offsets).ends[solid])
    features = (
        _case(upper, lower, starts, ends),
        _case(upper, lower, word_starts, word_ends),
        _digits(_running(kinds == _DIGIT), word_starts, word_ends),
        before,
        after,
        _count(_running(accented), starts, ends) > 0,
    )
    rows[solid] += np.stack(features, axis=1)
    return rows


@cache
def _kind(code: int) -> int:
    """The kind of a character."""
    character = chr(code)
    if character.isspace():
        return _LINE if character in _LINES else _SPACE
    if character.isdecimal():
        return _DIGIT
    accented = _ACCENTED * (code > 127)
    if character.isupper():
        return _UPPER + accented
    if character.isalpha():
        return _LOWER + accented
    return _OTHER + _ACCENTED * (unicodedata.combining(character) > 0)


def _words_around(text: str, starts: Integers) -> tuple[Integers, Integers]:
    """The word that holds each place."""
    table = table_of_words(text)
    place = np.searchsorted(table[:, 0], starts, "right") - 1
    return table[place, 0], table[place, 1]


def _running(flags: Flags) -> Integers:
    """How many characters are flagged up to each place between them, [characters + 1]."""
    running = np.zeros(len(flags) + 1, np.int64)
    np.cumsum(flags, out=running[1:])
    return running


def _count(running: Integers, starts: Integers, ends: Integers) -> Integers:
    """How many of the characters of each stretch are flagged."""
    counts: Integers = running[ends] - running[starts]
    return counts


def _case(upper: Integers, lower: Integers, starts: Integers, ends: Integers) -> Integers:
    capitals, others = _count(upper, starts, ends), _count(lower, starts, ends)
    first = _count(upper, starts, starts + 1)
    cases: Integers = _CASES[np.minimum(capitals, 2), np.minimum(others, 1), first]
    return cases


def _digits(running: Integers, starts: Integers, ends: Integers) -> Integers:
    digits = _count(running, starts, ends)
    plain = _DIGIT_COUNTS[np.minimum(digits, 9)]
    return np.where((digits > 0) & (digits < ends - starts), _MIXED_DIGITS, plain)


def _gaps(kinds: Integers, starts: Integers, ends: Integers) -> tuple[Integers, Integers]:
    """The white space before each start and after each end."""
    solid = np.flatnonzero(kinds > _LINE)
    lines = _running(kinds == _LINE)
    size = len(kinds)
    last = np.append(solid + 1, 0)[np.searchsorted(solid, starts) - 1]
    following = np.append(solid, size)[np.searchsorted(solid, ends)]

    def between(starts: Integers, ends: Integers, edge: Flags) -> Integers:
        return graded(_count(lines, starts, ends), ends - starts, edge)

    return between(last, starts, last == 0), between(ends, following, following == size)


def gap_within(space: str) -> int:
    """White space between two tokens, as `before` and `after` have it."""
    lines = sum(space.count(end) for end in _LINES)
    return int(graded(np.array(lines), np.array(len(space)), np.array(False)))


def graded(lines: Integers, characters: Integers, edge: Flags) -> Integers:
    """White space by its line ends and characters; `edge`: the note begins or ends with it."""
    breaks = np.minimum(lines, 2)
    plain = np.where(breaks > 0, breaks + 2, np.minimum(characters, 2))
    return np.where(edge, EDGE, plain)
