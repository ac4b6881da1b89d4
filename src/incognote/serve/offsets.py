"""Offsets as clients count them: code points as here, UTF-16 units as JavaScript and Java do, or bytes.

An offset within a character (the second half of a pair) is refused: it cannot be meant.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from incognote.base.errors import UserError

Unit = Literal["codepoint", "utf16", "utf8"]


class OffsetError(UserError, ValueError):
    """An offset that is no place between two characters of its text."""


class Offsets:
    """The places between the characters of a text, counted in one unit."""

    def __init__(self, text: str, unit: Unit) -> None:
        self._length = len(text)
        self._places: npt.NDArray[np.int64] | None = None
        if unit != "codepoint" and not text.isascii():
            code = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
            widths = 1 + (code > 0xFFFF).astype(np.int64)
            if unit == "utf8":
                widths += (code > 0x7F).astype(np.int64) + ((code > 0x7FF) & (code <= 0xFFFF))
                widths += code > 0xFFFF
            self._places = np.concatenate([np.zeros(1, np.int64), np.cumsum(widths)])

    def of(self, offset: int) -> int:
        """A code point's offset in the unit."""
        return offset if self._places is None else int(self._places[offset])

    def code_point(self, offset: int) -> int:
        """The reverse."""
        if self._places is None:
            if not 0 <= offset <= self._length:
                raise OffsetError("an offset lies outside the text")
            return offset
        place = int(np.searchsorted(self._places, offset))
        if place > self._length or self._places[place] != offset:
            raise OffsetError("an offset lies outside the text, or within a character")
        return place
