"""A note as a model reads it: pieces, their shapes, and windows with the special pieces around."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from tokenizers import Tokenizer

from incognote.align.pieces import PieceReader, Pieces, with_unknown
from incognote.align.shapes import NO_SHAPE, shapes
from incognote.align.units import AlignError, Integers, Units
from incognote.align.windows import Windows, windows

STRANGE = "\U00013000"
"""A letter that no clinical vocabulary has."""


@dataclass(frozen=True)
class Frame:
    """The special pieces before and after a window, and their segments ([CLS] … [SEP])."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    before_segments: tuple[int, ...]
    after_segments: tuple[int, ...]

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> Frame:
        """As the tokenizer's own template has them; none if it has no template."""
        if tokenizer.truncation or tokenizer.padding:  # a copy takes its time
            tokenizer = Tokenizer.from_str(tokenizer.to_str())
            tokenizer.no_truncation()
            tokenizer.no_padding()
        encoding = tokenizer.encode("a")
        special = np.array(encoding.special_tokens_mask, bool)
        own = np.flatnonzero(~special)
        if not own.size:
            raise AlignError("the tokenizer reads a letter as no piece of its own")
        first, last = int(own[0]), int(own[-1]) + 1
        ids, segments = encoding.ids, encoding.type_ids
        return cls(
            tuple(ids[:first]),
            tuple(ids[last:]),
            tuple(segments[:first]),
            tuple(segments[last:]),
        )

    def __len__(self) -> int:
        return len(self.before) + len(self.after)

    @property
    def segmented(self) -> bool:
        """Whether a special piece has a segment of its own (XLNet's <cls>)."""
        return any((*self.before_segments, *self.after_segments))


@dataclass(frozen=True, eq=False)
class WindowInput:
    """What a model is given for one window, the frame included: all [pieces, …].

    `first` and `last` bound the pieces whose predictions are used.
    """

    ids: Integers
    segments: Integers | None
    shapes: Integers | None
    first: int
    last: int


@dataclass(frozen=True, eq=False)
class Reading:
    """One note's pieces and windows; `shapes` [pieces, features] if the model takes them."""

    pieces: Pieces
    shapes: Integers | None
    windows: Windows
    frame: Frame

    @property
    def units(self) -> Units:
        """The pieces' places."""
        return self.pieces.units

    def inputs(self) -> Iterator[WindowInput]:
        """Each window in order; none for a note without pieces."""
        return (self.input(number) for number in range(len(self.windows)))

    def input(self, number: int) -> WindowInput:
        """One window."""
        frame, over = self.frame, self.windows
        start, end = int(over.starts[number]), int(over.ends[number])
        ids = np.concatenate((frame.before, self.pieces.ids[start:end], frame.after))
        segments = None
        if frame.segmented:
            middle = np.zeros(end - start, np.int64)
            segments = np.concatenate((frame.before_segments, middle, frame.after_segments))
        rows = None
        if self.shapes is not None:
            edges = [np.tile(NO_SHAPE, (len(side), 1)) for side in (frame.before, frame.after)]
            rows = np.concatenate((edges[0], self.shapes[start:end], edges[1]))
        shift = len(frame.before) - start
        return WindowInput(
            ids.astype(np.int64),
            None if segments is None else segments.astype(np.int64),
            rows,
            int(over.owned[number]) + shift,
            int(over.owned[number + 1]) + shift,
        )


class NoteReader:
    """Reads notes for one model: its tokenizer, window and overlap (in pieces, frame not counted)."""

    def __init__(self, tokenizer: Tokenizer, *, window: int, overlap: int, shape: bool) -> None:
        self.frame = Frame.of(tokenizer)
        self.window = window
        self.overlap = overlap
        self.shape = shape
        self._reader = PieceReader(tokenizer)
        self._unknown = int(self._reader.read(STRANGE).ids[0])

    def numbers_pieces_as(self, other: NoteReader) -> bool:
        """Whether both know the same pieces by the same numbers, and frame them alike."""
        return self.frame == other.frame and self._reader.vocabulary == other._reader.vocabulary

    def read_all(self, texts: Sequence[str]) -> list[Reading]:
        """The readings of several notes, in order; no character of a note is without a piece."""
        found = self._reader.read_all(texts)
        return [self._reading(text, pieces) for text, pieces in zip(texts, found, strict=True)]

    def _reading(self, text: str, pieces: Pieces) -> Reading:
        pieces = with_unknown(text, pieces, self._unknown)
        return Reading(
            pieces,
            shapes(text, pieces.units) if self.shape else None,
            windows(len(pieces.ids), self.window, self.overlap),
            self.frame,
        )
