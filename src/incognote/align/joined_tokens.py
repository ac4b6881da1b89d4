"""A word's tokens, and the punctuation that closes it, joined into one token.

A word in a note is one and a half tokens, and a comma is a token too. A model that reads them joined
has a third less to read. What follows a joined token's first token is given beside it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from incognote.align.tokens import Flags, Integers, TokenOffsets, Tokens, spaces
from incognote.align.words import Codes, codes_of, per_character, table_of_words

VERSION = 1
"""Changes whenever joined tokens do: a model is used with those that it was trained on."""

OTHERS = 3
"""Tokens beyond the first that a joined token has at most; a longer word is several joined tokens."""

NOTHING = -1
"""In place of an other token where there is none."""

CLOSING = ".,;:!?)]}'\"%\u2019\u201d\u2026"
_CLOSING = np.isin(np.arange(ord(max(CLOSING)) + 2), [ord(mark) for mark in CLOSING])


@dataclass(frozen=True, eq=False)
class JoinedTokens:
    """Joined tokens of a note.

    ids: the first token of each. others: those after it, [joined tokens, OTHERS], NOTHING where none is;
    None where nothing is joined.
    offsets: what is judged, the word without the punctuation that closes it. input_offsets: all that
    was joined.
    """

    ids: Integers
    others: Integers | None
    offsets: TokenOffsets
    input_offsets: TokenOffsets


def alone(tokens: Tokens) -> JoinedTokens:
    """Each token by itself."""
    return JoinedTokens(tokens.ids, None, tokens.offsets, tokens.offsets)


def join(text: str, tokens: Tokens) -> JoinedTokens:
    """Every token in one joined token, in order."""
    starts, ends = tokens.offsets.starts, tokens.offsets.ends
    codes = codes_of(text)
    closing = _closing(text, codes, starts, ends)
    begins = _begins(text, codes, starts, ends, closing)
    count = np.arange(len(starts))
    slot = (count - np.maximum.accumulate(np.where(begins, count, 0))) % (OTHERS + 1)
    first = np.flatnonzero(slot == 0)
    number = np.cumsum(slot == 0) - 1
    others = np.full((len(first), OTHERS), NOTHING, np.int64)
    later = slot > 0
    others[number[later], slot[later] - 1] = tokens.ids[later]
    if not len(first):
        nowhere = TokenOffsets(first, first)
        return JoinedTokens(tokens.ids, others, nowhere, nowhere)
    whole = np.maximum.reduceat(ends, first)
    word = np.maximum.reduceat(np.where(closing & later, 0, ends), first)
    return JoinedTokens(
        tokens.ids[first],
        others,
        TokenOffsets(starts[first], word),
        TokenOffsets(starts[first], whole),
    )


def _closing(text: str, codes: Codes, starts: Integers, ends: Integers) -> Flags:
    """Whether a token is of punctuation that nothing but such follows before white space."""
    size = len(codes)
    marks = _CLOSING[np.minimum(codes, len(_CLOSING) - 1)]
    following = np.append(np.where(marks, size, np.arange(size)), size)
    following = np.minimum.accumulate(following[::-1])[::-1]
    then = following[starts]
    flags: Flags = (starts < ends) & (ends <= then) & np.append(spaces(text), True)[then]
    return flags


def _begins(text: str, codes: Codes, starts: Integers, ends: Integers, closing: Flags) -> Flags:
    """Whether a token begins a joined one, however long."""
    size = len(starts)
    if not size:
        return np.zeros(0, bool)
    word = np.searchsorted(table_of_words(text)[:, 0], starts, "right")
    solid = starts < ends
    beside = np.zeros(size, bool)
    beside[1:] = solid[1:] & solid[:-1] & (starts[1:] <= ends[:-1])
    before = np.roll(np.arange(size), 1)
    letters = per_character(codes, _is_letter).astype(bool)
    first, last = np.minimum(starts, len(codes) - 1), np.maximum(ends, 1) - 1
    same_word = word == word[before]
    closes = closing & (closing[before] | letters[last[before]])
    again = ~letters[first] & (first == last) & (codes[first] == codes[last[before]])
    flags: Flags = ~(beside & (same_word | closes | again))
    return flags


def _is_letter(code: int) -> bool:
    """Whether a character is a letter or digit."""
    return chr(code).isalnum()
