"""A note as a model reads it: tokens, their shapes, and windows with the special tokens around."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from incognote.align.frame import Frame
from incognote.align.joined_tokens import NOTHING, OTHERS, JoinedTokens, alone, join
from incognote.align.shapes import AFTER, BEFORE, EDGE, FEATURES, NO_SHAPE, graded, shapes
from incognote.align.tokens import (
    Flags,
    Integers,
    TokenOffsets,
    TokenReader,
    Tokens,
    spaces,
    with_unknown,
)
from incognote.align.windows import Windows, windows
from incognote.align.word_tokenizer import AnyTokenizer, WordTokenizer, frame_of
from incognote.align.words import codes_of
from incognote.base.errors import AlignError

NO_OTHERS: Integers = np.full(OTHERS, NOTHING, np.int64)
"""What is joined to a special token."""

STRANGE = "\U00013000"
"""A letter that no clinical vocabulary has."""


@dataclass(frozen=True, eq=False)
class WindowInput:
    """What a model is given for one window, the frame included: all [tokens, …].

    A token's id is a number, or a row of them where the model reads words.

    `first` and `last` bound the tokens whose predictions are used.
    """

    ids: Integers
    segments: Integers | None
    shapes: Integers | None
    others: Integers | None
    first: int
    last: int


@dataclass(frozen=True, eq=False)
class Windowed:
    """Tokens as a model takes them: `ids` are of tokens, or of the first of those that are joined.

    `shapes` [tokens, features] and `others` [tokens, joined ones] are there if the model takes them.
    """

    ids: Integers
    shapes: Integers | None
    others: Integers | None
    windows: Windows
    frame: Frame

    def inputs(self) -> Iterator[WindowInput]:
        """Each window in order; none for a note without tokens."""
        return (self.input(number) for number in range(len(self.windows)))

    def input(self, number: int) -> WindowInput:
        """One window."""
        frame, over = self.frame, self.windows
        start, end = int(over.starts[number]), int(over.ends[number])
        ids = frame.put_around(self.ids[start:end])
        segments = None
        if frame.segmented:
            middle = np.zeros(end - start, np.int64)
            segments = np.concatenate((frame.before_segments, middle, frame.after_segments))
        shift = len(frame.before) - start
        return WindowInput(
            ids,
            None if segments is None else segments.astype(np.int64),
            self._framed(self.shapes, NO_SHAPE, start, end),
            self._framed(self.others, NO_OTHERS, start, end),
            int(over.owned[number]) + shift,
            int(over.owned[number + 1]) + shift,
        )

    def _framed(
        self, table: Integers | None, special: Integers, start: int, end: int
    ) -> Integers | None:
        """The rows of a window, and around them those of special tokens."""
        if table is None:
            return None
        edges = [np.tile(special, (len(side), 1)) for side in (self.frame.before, self.frame.after)]
        return np.concatenate((edges[0], table[start:end], edges[1]))


@dataclass(frozen=True, eq=False)
class TokenizedNote(Windowed):
    """One note's tokens and windows.

    offsets: what is judged. input_offsets: what the model reads of each, which may be more.
    """

    offsets: TokenOffsets
    input_offsets: TokenOffsets


class NoteReader:
    """Reads notes for one model: its tokenizer, window and overlap (in tokens, frame not counted).

    With `join`, tokens are joined as `joined_tokens.py` does. Where the model reads words, each is a
    token, and none are joined.
    """

    def __init__(
        self,
        tokenizer: AnyTokenizer,
        *,
        window: int,
        overlap: int,
        shape: bool = False,
        join: bool = False,
    ) -> None:
        self.window = window
        self.overlap = overlap
        self.shape = shape
        self.join = join
        self._reader: TokenReader | WordTokenizer
        if isinstance(tokenizer, WordTokenizer):
            if join:
                raise AlignError("this model reads words, and joins nothing: leave out --join")
            self._reader = tokenizer
        else:
            self._reader = TokenReader(tokenizer)
            self._unknown = int(self._reader.read(STRANGE).ids[0])
        self.frame = frame_of(tokenizer)
        self._memory = Memory(self._read, join=join, shape=shape)
        self._remembers = isinstance(self._reader, TokenReader) and self.parts_at_spaces

    def numbers_tokens_as(self, other: NoteReader) -> bool:
        """Whether both know the same tokens by the same numbers, and frame them alike."""
        return self.frame == other.frame and self._known() == other._known()

    def _known(self) -> WordTokenizer | dict[str, int]:
        reader = self._reader
        return reader if isinstance(reader, WordTokenizer) else reader.vocabulary

    def read_all(self, texts: Sequence[str]) -> list[TokenizedNote]:
        """The readings of several notes, in order; no character of a note is without a token."""
        read = self._memory.read if self._remembers else self._read
        return [self._reading(*read(text)) for text in texts]

    @property
    def parts_at_spaces(self) -> bool:
        """Whether each stretch between white space is read by itself."""
        return self._reader.parts_at_spaces

    def read_portion(
        self, text: str, begins: Sequence[int], before: int | None, after: int | None
    ) -> Read:
        """A portion of a note (`long_notes.py`), as it is read within the note.

        begins: where the tokenizer begins anew in it. before, after: the white space beside it as
        shapes have it, None at the note's beginning and end.
        """
        if begins and isinstance(
            self._reader, TokenReader
        ):  # words are the same however they are read
            read = self._with_shapes(text, self._reader.read_in_parts(text, begins))
        else:
            read = (self._memory.read if self._remembers else self._read)(text)
        if (rows := read[1]) is not None:
            for column, gap in ((BEFORE, before), (AFTER, after)):
                if gap is not None:
                    rows[rows[:, column] == NO_SHAPE[column] + EDGE, column] = (
                        NO_SHAPE[column] + gap
                    )
        return read

    def _reading(self, read: JoinedTokens, shapes: Integers | None) -> TokenizedNote:
        over = windows(len(read.ids), self.window, self.overlap)
        return TokenizedNote(
            read.ids, shapes, read.others, over, self.frame, read.offsets, read.input_offsets
        )

    def _read(self, text: str) -> Read:
        """The tokens of a text, and their shapes if the model takes these."""
        return self._with_shapes(text, self._reader.read(text))

    def _with_shapes(self, text: str, tokens: Tokens) -> Read:
        if isinstance(self._reader, WordTokenizer):  # a word has every character
            read = alone(tokens)
            return read, shapes(text, read.offsets) if self.shape else None
        tokens = with_unknown(text, tokens, self._unknown)
        read = join(text, tokens) if self.join else alone(tokens)
        return read, shapes(text, read.offsets, read.input_offsets) if self.shape else None


# What stands between white space is read once, and remembered for the notes that follow.
#
# Notes repeat themselves: most of their words have been read before. A tokenizer that parts text at
# white space reads each stretch between by itself, and so do the joining of tokens and all shapes but
# the space around. So what a stretch gives is the same wherever it stands.

STRETCHES, ROWS = 50_000, 150_000
"""How much is remembered; when there is more, all is forgotten."""

LONGEST = ROWS // 3
"""Characters of a text that surely finds room: none of them is more than three tokens."""

REMOVED_SPACE = re.compile("[\x0b\x0c\x1c-\x1f\x85]")
"""White space that a BERT tokenizer leaves out, joining what stands on both sides of it."""

LINE_ENDS = (0x0A, 0x2028, 0x2029)

Read = tuple[JoinedTokens, Integers | None]
"""The tokens of a text, and their shapes if these are asked for."""


class _Known:
    """Stretches by number, and the tokens of each, one after the other.

    `places` [tokens, 3] are a token's start, its end and the end of what is given of it, counted from the
    beginning of its stretch; `edges` [tokens, 2], whether it is at the stretch's beginning and end.
    Rows are only ever added, and a stretch is named after its rows are there: who reads needs no lock.
    """

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.first = np.zeros(STRETCHES + 1, np.int64)
        self.ids = np.empty(ROWS, np.int32)
        self.others = np.empty((ROWS, OTHERS), np.int32)
        self.shapes = np.empty((ROWS, len(FEATURES)), np.int8)
        self.places = np.empty((ROWS, 3), np.int32)
        self.edges = np.empty((ROWS, 2), bool)

    def add(self, stretches: Sequence[str], read: Read) -> bool:
        """Remember what was read, a stretch to the line; False if there is no room."""
        (tokens, shapes), begin = read, len(self.numbers)
        begin_row, count = int(self.first[begin]), len(tokens.ids)
        if begin + len(stretches) > STRETCHES or begin_row + count > ROWS:
            return False
        rows = slice(begin_row, begin_row + count)
        sizes = np.array([len(each) for each in stretches])
        lines = np.cumsum(sizes + 1) - sizes - 1
        offsets = tokens.offsets
        whose = np.searchsorted(lines, offsets.starts, "right") - 1
        places = np.stack((offsets.starts, offsets.ends, tokens.input_offsets.ends), axis=1)
        self.places[rows] = places - lines[whose, None]
        self.edges[rows, 0] = self.places[rows, 0] == 0
        self.edges[rows, 1] = self.places[rows, 2] == sizes[whose]
        self.ids[rows] = tokens.ids
        if tokens.others is not None:
            self.others[rows] = tokens.others
        if shapes is not None:
            self.shapes[rows] = shapes
        numbers = range(begin, begin + len(stretches))
        self.first[begin + 1 : begin + 1 + len(stretches)] = begin_row + np.cumsum(
            np.bincount(whose, minlength=len(stretches))
        )
        self.numbers.update(zip(stretches, numbers, strict=True))
        return True


class Memory:
    """Reads notes stretch by stretch; `read` reads what is new."""

    def __init__(self, read: Callable[[str], Read], *, join: bool, shape: bool) -> None:
        self._read = read
        self._join, self._shape = join, shape
        self._lock = threading.Lock()
        self._known = _Known()

    def read(self, text: str) -> Read:
        """The same as `read` of the whole text."""
        stretches = text.split()
        if not stretches or len(text) > LONGEST or REMOVED_SPACE.search(text):
            return self._read(text)
        known = self._known
        numbers = list(map(known.numbers.get, stretches))
        if None in numbers:
            known = self._learn(stretches)
            numbers = list(map(known.numbers.get, stretches))
        return self._put_together(text, np.array(numbers, np.int64), known)

    def _learn(self, stretches: Sequence[str]) -> _Known:
        """What is known, these stretches too."""
        distinct = dict.fromkeys(stretches)
        with self._lock:
            known = self._known
            new = [each for each in distinct if each not in known.numbers]
            if new and not known.add(new, self._read("\n".join(new))):
                known, new = _Known(), list(distinct)
                known.add(new, self._read("\n".join(new)))
            self._known = known
            return known

    def _put_together(self, text: str, numbers: Integers, known: _Known) -> Read:
        """A note from the tokens of its stretches."""
        edges = np.diff(np.concatenate(([True], spaces(text), [True])).astype(np.int8))
        starts, ends = np.flatnonzero(edges == -1), np.flatnonzero(edges == 1)
        first = known.first[numbers]
        count = known.first[numbers + 1] - first
        rows = np.arange(count.sum()) + np.repeat(first - np.cumsum(count) + count, count)
        begin, end, input_end = (known.places[rows] + np.repeat(starts, count)[:, None]).T.copy()
        ids, offsets = known.ids[rows].astype(np.int64), TokenOffsets(begin, end)
        tokens = alone(Tokens(ids, offsets, 0))
        if self._join:
            tokens = JoinedTokens(
                ids, known.others[rows].astype(np.int64), offsets, TokenOffsets(begin, input_end)
            )
        if not self._shape:
            return tokens, None
        shapes, at = known.shapes[rows].astype(np.int64), known.edges[rows]
        gaps = _gaps(text, starts, ends)
        for column, gap, there in ((BEFORE, gaps[:-1], at[:, 0]), (AFTER, gaps[1:], at[:, 1])):
            shapes[there, column] = np.repeat(gap, count)[there] + NO_SHAPE[column]
        return tokens, shapes


def _gaps(text: str, starts: Integers, ends: Integers) -> Integers:
    """The white space before each stretch and after the last one, as a shape has it."""
    begin, end = np.concatenate(([0], ends)), np.append(starts, len(text))
    lines = np.zeros(len(text) + 1, np.int64)
    np.cumsum(np.isin(codes_of(text), LINE_ENDS), out=lines[1:])
    edge: Flags = np.zeros(len(begin), bool)
    edge[[0, -1]] = True
    return graded(lines[end] - lines[begin], end - begin, edge)
