"""Words: a maximal run of letters and digits, or one other non-space character.

Unicode needs three additions, so that one word to the eye is one word here:

- a combining mark belongs to the character before it: an accent typed on its own, the vowel
  signs of Devanagari, a variation selector after a symbol. Marks with nothing before them but
  white space are one word together;
- an invisible character (zero-width joiner, non-joiner or space, soft hyphen, direction mark)
  between the letters and digits of one word does not split it;
- an invisible character anywhere else is a word by itself, so that a span beside it can be
  expressed exactly.

The underscore is neither letter nor digit. White space lies in no word; everything else lies in
exactly one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from incognote.align.tokens import Integers

INVISIBLE = "\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff"
"""Format characters without width, as the inside of a character class."""

_ASCII = re.compile(r"[A-Za-z0-9]+|\S")
_SPACE, _SIGN, _LETTER, _COMBINES = range(4)
_MARK_BLOCKS = (range(0x300, 0x20000), range(0xE0100, 0xE01F0))


def words(text: str) -> list[tuple[int, int]]:
    """The words of a note in order, as (start, end)."""
    pattern = _ASCII if text.isascii() else _unicode()
    return [match.span() for match in pattern.finditer(text)]


def table_of_words(text: str) -> Integers:
    """The same as a table [words, 2], in less time where nothing combines."""
    kinds = per_character(codes_of(text), _kind)
    if (kinds == _COMBINES).any():
        return np.array(words(text), np.int64).reshape(-1, 2)
    kinds = np.concatenate(([_SPACE], kinds, [_SPACE]))
    edge = (kinds[1:] != _LETTER) | (kinds[:-1] != _LETTER)  # no word goes on over it
    starts = np.flatnonzero(edge & (kinds[1:] != _SPACE))
    ends = np.flatnonzero(edge & (kinds[:-1] != _SPACE))
    return np.stack([starts, ends], axis=1)


@cache
def _kind(code: int) -> int:
    character = chr(code)
    if character.isalnum():
        return _LETTER
    if character.isspace():
        return _SPACE
    return _COMBINES if unicodedata.category(character)[0] in "MC" else _SIGN


def combining_marks() -> str:
    """All combining marks (category M), as the inside of a character class."""
    runs: list[list[int]] = []
    for block in _MARK_BLOCKS:
        for code in block:
            if unicodedata.category(chr(code))[0] != "M":
                continue
            if runs and runs[-1][1] == code - 1:
                runs[-1][1] = code
            else:
                runs.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in runs)


@cache
def _unicode() -> re.Pattern[str]:
    """Built on the first note that is not ASCII: it takes some milliseconds."""
    letter, mark, invisible = r"[^\W_]", f"[{combining_marks()}]", f"[{INVISIBLE}]"
    return re.compile(
        rf"{letter}++(?:{mark}++|{letter}++|{invisible}++(?={letter}|{mark}))*+|\S{mark}*+"
    )


# What is known of each character of a note, asked once for each that occurs in it

Codes = npt.NDArray[np.uint32]


def codes_of(text: str) -> Codes:
    """Its code points."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def per_character(codes: Codes, known: Callable[[int], int]) -> npt.NDArray[Any]:
    """What is known of each, a small number."""
    size = int(codes.max(initial=0)) + 1
    occurs = np.zeros(size, bool)
    occurs[codes] = True
    distinct = np.flatnonzero(occurs)
    table = np.empty(size, np.int8)
    table[distinct] = [known(code) for code in distinct.tolist()]
    return table[codes]
