"""A note as a model reads it: pieces, their shapes, and windows with the special pieces around."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from tokenizers import Tokenizer

from incognote.align.joining import NOTHING, OTHERS, Joined, alone, joined
from incognote.align.memory import Memory, Read
from incognote.align.pieces import PieceReader, Pieces, with_unknown
from incognote.align.shapes import AFTER, BEFORE, EDGE, NO_SHAPE, shapes
from incognote.align.units import Integers, Units
from incognote.align.windows import Windows, windows
from incognote.base.errors import AlignError

NO_OTHERS: Integers = np.full(OTHERS, NOTHING, np.int64)
"""What is joined to a special piece."""

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
            raise AlignError("the tokenizer reads a letter as no token of its own")
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
    """What a model is given for one window, the frame included: all [units, …].

    `first` and `last` bound the units whose predictions are used.
    """

    ids: Integers
    segments: Integers | None
    shapes: Integers | None
    others: Integers | None
    first: int
    last: int


@dataclass(frozen=True, eq=False)
class Windowed:
    """Units as a model takes them: `ids` are of pieces, or of the first of those that are joined.

    `shapes` [units, features] and `others` [units, pieces] are there if the model takes them.
    """

    ids: Integers
    shapes: Integers | None
    others: Integers | None
    windows: Windows
    frame: Frame

    def inputs(self) -> Iterator[WindowInput]:
        """Each window in order; none for a note without units."""
        return (self.input(number) for number in range(len(self.windows)))

    def input(self, number: int) -> WindowInput:
        """One window."""
        frame, over = self.frame, self.windows
        start, end = int(over.starts[number]), int(over.ends[number])
        ids = np.concatenate((frame.before, self.ids[start:end], frame.after))
        segments = None
        if frame.segmented:
            middle = np.zeros(end - start, np.int64)
            segments = np.concatenate((frame.before_segments, middle, frame.after_segments))
        shift = len(frame.before) - start
        return WindowInput(
            ids.astype(np.int64),
            None if segments is None else segments.astype(np.int64),
            self._framed(self.shapes, NO_SHAPE, start, end),
            self._framed(self.others, NO_OTHERS, start, end),
            int(over.owned[number]) + shift,
            int(over.owned[number + 1]) + shift,
        )

    def _framed(
        self, table: Integers | None, special: Integers, start: int, end: int
    ) -> Integers | None:
        """The rows of a window, and around them those of special pieces."""
        if table is None:
            return None
        edges = [np.tile(special, (len(side), 1)) for side in (self.frame.before, self.frame.after)]
        return np.concatenate((edges[0], table[start:end], edges[1]))


@dataclass(frozen=True, eq=False)
class Reading(Windowed):
    """One note's units and windows.

    units: what is judged. given: what the model reads of each, which may be more.
    """

    units: Units
    given: Units


class NoteReader:
    """Reads notes for one model: its tokenizer, window and overlap (in units, frame not counted).

    A unit is a piece; with `join`, what `align/joining.py` joins.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        *,
        window: int,
        overlap: int,
        shape: bool = False,
        join: bool = False,
    ) -> None:
        self.frame = Frame.of(tokenizer)
        self.window = window
        self.overlap = overlap
        self.shape = shape
        self.join = join
        self._reader = PieceReader(tokenizer)
        self._unknown = int(self._reader.read(STRANGE).ids[0])
        self._memory = Memory(self._read, join=join, shape=shape)

    def numbers_pieces_as(self, other: NoteReader) -> bool:
        """Whether both know the same pieces by the same numbers, and frame them alike."""
        return self.frame == other.frame and self._reader.vocabulary == other._reader.vocabulary

    def read_all(self, texts: Sequence[str]) -> list[Reading]:
        """The readings of several notes, in order; no character of a note is without a piece."""
        read = self._memory.read if self._reader.parts_at_spaces else self._read
        return [self._reading(*read(text)) for text in texts]

    @property
    def parts_at_spaces(self) -> bool:
        """Whether each stretch between white space is read by itself."""
        return self._reader.parts_at_spaces

    def read_portion(
        self, text: str, begins: Sequence[int], before: int | None, after: int | None
    ) -> Read:
        """A portion of a note (`portions.py`), as it is read within the note.

        begins: where the tokenizer begins anew in it. before, after: the white space beside it as
        shapes have it, None at the note's beginning and end.
        """
        if begins:
            read = self._as_units(text, self._reader.read_in_parts(text, begins))
        else:
            read = (self._memory.read if self.parts_at_spaces else self._read)(text)
        if (rows := read[1]) is not None:
            for column, gap in ((BEFORE, before), (AFTER, after)):
                if gap is not None:
                    rows[rows[:, column] == NO_SHAPE[column] + EDGE, column] = (
                        NO_SHAPE[column] + gap
                    )
        return read

    def _reading(self, read: Joined, shapes: Integers | None) -> Reading:
        over = windows(len(read.ids), self.window, self.overlap)
        return Reading(read.ids, shapes, read.others, over, self.frame, read.units, read.given)

    def _read(self, text: str) -> Read:
        """The units of a text, and their shapes if the model takes these."""
        return self._as_units(text, self._reader.read(text))

    def _as_units(self, text: str, pieces: Pieces) -> Read:
        pieces = with_unknown(text, pieces, self._unknown)
        read = joined(text, pieces) if self.join else alone(pieces)
        return read, shapes(text, read.units, read.given) if self.shape else None
