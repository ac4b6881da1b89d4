"""A tokenizer's pieces with their exact place in the note."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from tokenizers import Encoding, Tokenizer
from tokenizers.pre_tokenizers import ByteLevel

from incognote.align.units import AlignError, Flags, Integers, Units, spaces, within

_SURROGATE = re.compile("[\ud800-\udfff]")
_BYTES = tuple(f"<0x{byte:02X}>" for byte in range(256))


@dataclass(frozen=True, eq=False)
class Pieces:
    """The pieces of one note: all of it, and no special tokens.

    `units` has a place for each id. White space at either end of a piece is left out, so a piece
    that stands for white space only is empty; the byte pieces of one character all have that
    character. A character that the tokenizer drops (a stripped accent, a zero-width or control
    character) is given to the piece directly before it, else directly after it, so that hiding
    the piece hides it too; `dropped` counts these, for the model never saw them.
    """

    ids: Integers
    units: Units
    dropped: int


class PieceReader:
    """Reads notes with a private copy of a tokenizer.

    The copy never truncates or pads, whatever its file says, and reads `[MASK]` or `</s>` in a
    note as the text that it is. The caller's tokenizer stays as it was. A tokenizer whose model
    has no piece for an unknown character is refused: the library then fails, or skips the
    character and reports the rest of the word in the wrong place.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        written = tokenizer.to_str()
        if not _has_a_piece_for_everything(json.loads(written)):
            raise AlignError(
                "the tokenizer has no piece for unknown characters; give it an unknown token"
            )
        copy = Tokenizer.from_str(written)
        copy.no_truncation()
        copy.no_padding()
        copy.encode_special_tokens = True
        self._tokenizer = copy

    def read(self, text: str) -> Pieces:
        """The pieces of one note."""
        return self.read_all([text])[0]

    def read_all(self, texts: Sequence[str]) -> list[Pieces]:
        """The pieces of several notes, the same as one by one, in less time."""
        readable = [_SURROGATE.sub("\ufffd", text) for text in texts]
        encodings = self._tokenizer.encode_batch(readable, add_special_tokens=False)
        return [_placed(text, encoding) for text, encoding in zip(texts, encodings, strict=True)]


def _has_a_piece_for_everything(written: Any) -> bool:
    """Judge a `tokenizer.json`."""
    model = written["model"]
    if model["type"] == "Unigram":
        return model["unk_id"] is not None
    vocabulary = model["vocab"]
    if model.get("unk_token") in vocabulary:
        return True
    if model.get("byte_fallback"):
        return all(byte in vocabulary for byte in _BYTES)
    steps = json.dumps([written["normalizer"], written["pre_tokenizer"]])
    return '"ByteLevel"' in steps and all(byte in vocabulary for byte in ByteLevel.alphabet())


def _placed(text: str, encoding: Encoding) -> Pieces:
    offsets = np.array(encoding.offsets, dtype=np.int64).reshape(-1, 2)
    blank = spaces(text)
    starts, ends = _trimmed(offsets[:, 0], offsets[:, 1], blank)
    seen = within(Units(starts, ends), len(text))
    dropped = int(np.count_nonzero(~seen & ~blank))
    if dropped:
        _claim_dropped(starts, ends, blank)
    return Pieces(np.array(encoding.ids, dtype=np.int64), Units(starts, ends), dropped)


def _trimmed(starts: Integers, ends: Integers, blank: Flags) -> tuple[Integers, Integers]:
    """Offsets without white space at their ends, put into reading order by widening only."""
    size = len(blank)
    places = np.arange(size)
    next_solid = np.append(np.where(blank, size, places), size)
    next_solid = np.minimum.accumulate(next_solid[::-1])[::-1]
    last_solid = np.concatenate(([0], np.maximum.accumulate(np.where(blank, 0, places + 1))))
    trimmed_starts = np.minimum(next_solid[starts], ends)
    trimmed_ends = np.maximum(last_solid[ends], trimmed_starts)
    solid = trimmed_ends > trimmed_starts
    trimmed_starts[solid] = np.minimum.accumulate(trimmed_starts[solid][::-1])[::-1]
    trimmed_ends[solid] = np.maximum.accumulate(trimmed_ends[solid])
    return trimmed_starts, trimmed_ends


def _claim_dropped(starts: Integers, ends: Integers, blank: Flags) -> None:
    """Stretch pieces over the characters beside them that no piece has, in place."""
    size = len(blank)
    places = np.arange(size)
    next_blank = np.append(np.where(blank, places, size), size)
    next_blank = np.minimum.accumulate(next_blank[::-1])[::-1]
    last_blank = np.concatenate(([0], np.maximum.accumulate(np.where(blank, places + 1, 0))))
    solid = np.flatnonzero(ends > starts)
    first, last = starts[solid], ends[solid]
    following = np.append(first, size)[np.searchsorted(first, last)]
    last = np.minimum(next_blank[last], following)
    before = np.concatenate(([0], last))[np.searchsorted(last, first, "right")]
    starts[solid] = np.maximum(last_blank[first], before)
    ends[solid] = last
