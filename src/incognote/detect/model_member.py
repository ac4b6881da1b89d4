"""One network of a model, over whole notes.

A batch has windows of one length only, so nothing is padded, and the networks that `export` writes
compute each window as if it were alone. Therefore a note's scores are the same to the last bit
alone, in any batch, in any order and on any number of threads.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np
from tokenizers import Tokenizer

from incognote.align import joined_tokens, shapes, word_tokenizer
from incognote.align.decode import Transitions, check_finite
from incognote.align.joined_tokens import JoinedTokens
from incognote.align.long_notes import LongNote, Portion
from incognote.align.note_reader import NoteReader, TokenizedNote, Windowed, WindowInput
from incognote.align.tags import Labels
from incognote.align.tokens import Flags, Integers, Scores, TokenOffsets
from incognote.align.windows import coverage, covers
from incognote.align.word_tokenizer import AnyTokenizer, WordTokenizer
from incognote.align.words import table_of_words
from incognote.base.errors import AlignError, ModelError, NotFiniteError
from incognote.onnx.model_folder import Member
from incognote.onnx.network_file import check_network
from incognote.onnx.sessions import Network

BATCH_TOKENS = 256
"""Tokens of a batch at most, unless one window has more: enough for matrices to be worth it, and
few enough that what a layer writes is still near when the next reads it (docs/performance.md).
"""

WINDOWS_AT_ONCE = 16
"""Of a long note; fewer at a time go to the network, and scores wait until a portion has them all."""

NOT_ALL_GIVEN = "not every character of the note was given to the model"

TRIAL = "a"
"""What a network is tried out with when it is opened."""

Place = tuple[int, int]
"""A note's number among those at hand, and a window's in it."""


TINY = 1e-12
"""What a probability is at least where its logarithm is taken."""


@dataclass(frozen=True, eq=False)
class ScoredTokens:
    """What one network says of a note: scores [tokens, labels], and how many characters it was given."""

    offsets: TokenOffsets
    scores: Scores
    read_characters: int


class DecidedTokens(NamedTuple):
    """Tokens, the tag of each, and how likely each label is there, [tokens, labels]."""

    offsets: TokenOffsets
    tags: Integers
    shares: Scores


class MemberNetwork:
    """A member of a model folder, opened; `transitions` are its CRF's, or only what BIO allows.

    `alone`: it takes one window at a time, so that notes gain nothing by company.
    """

    def __init__(
        self,
        folder: Path,
        member: Member,
        labels: Labels,
        *,
        files: Collection[str],
        threads: int,
    ) -> None:
        """`files` are those that the model folder lists: the network may name no other."""
        for what, version, here in (
            ("word shapes", member.shapes, shapes.VERSION),
            ("merged tokens", member.join, joined_tokens.VERSION),
            ("word rows", member.word_rows, word_tokenizer.VERSION),
        ):
            if version not in (None, here):
                raise ModelError(
                    f"{folder}: made with {what} of version {version}, and this incognote has {here}; "
                    "use the incognote that the model was made for"
                )
        self._labels = labels
        self._reader = open_reader(folder / member.tokenizer, member)
        check_network(folder / member.network, files)
        self._network = Network(folder / member.network, threads=threads)
        inputs = {"ids"} | ({"shapes"} if member.shapes else set())
        inputs |= {"others"} if member.join else set()
        inputs |= {"segments"} if self._reader.frame.segmented else set()
        if self._network.inputs != inputs or self._network.width != len(labels.names):
            raise ModelError(f"{folder}: {member.network} does not fit the model's description")
        self.alone = member.alone
        self.any_order = member.any_order
        self.at_spaces = self._reader.parts_at_spaces
        self._by_word = member.by_word
        self.has_crf = member.crf is not None
        self.transitions = _transitions(member, labels)
        self._try_out(folder / member.network)

    def _by_words(
        self, text: str, offsets: TokenOffsets, scores: Scores
    ) -> tuple[TokenOffsets, Scores]:
        return words_of(text, offsets, scores) if self._by_word else (offsets, scores)

    def _try_out(self, path: Path) -> None:
        """Refuse a network that cannot read a letter, before any note is given to it."""
        try:
            (trial,) = self.scores([TRIAL])
            check_finite(trial.scores)
        except NotFiniteError:
            raise ModelError(
                f"{path}: gives scores that are not finite numbers; the model is damaged: copy or "
                "export it again"
            ) from None
        except Exception as error:  # onnxruntime's errors share no public parent
            raise ModelError(
                f"{path}: does not run with the model's tokenizer and labels ({type(error).__name__}); "
                "the model is damaged: copy or export it again"
            ) from None

    def scores(self, texts: Sequence[str]) -> list[ScoredTokens]:
        """Every token of every note, scored in the window where it has most context."""
        readings = self._reader.read_all(texts)
        return [
            ScoredTokens(
                *self._by_words(text, reading.offsets, new_scores),
                _count_read(text, reading, flags),
            )
            for text, reading, (new_scores, flags) in zip(
                texts, readings, self._run(readings), strict=True
            )
        ]

    def scores_in_portions(self, text: str, portions: Sequence[Portion]) -> Iterator[ScoredTokens]:
        """The same of one long note, portion by portion; places are counted from each's beginning."""
        note = LongNote(self._reader, text, portions)
        scores = np.empty((0, len(self._labels.names)), np.float32)
        for some in note.some(WINDOWS_AT_ONCE):
            ((new_scores, fed),) = self._run([some])
            if not fed.all():
                raise AlignError(NOT_ALL_GIVEN)
            owned = some.windows.owned
            scores = np.concatenate((scores, new_scores[owned[0] : owned[-1]]))
            while note.waiting and len(scores) >= len(note.waiting[0][1].ids):
                portion, read = note.waiting.popleft()
                count = len(read.ids)
                yield self._portion(portion.of(text), read, scores[:count])
                scores = scores[count:]
        for portion, read in note.waiting:
            yield self._portion(portion.of(text), read, scores[: len(read.ids)])

    def _portion(self, text: str, read: JoinedTokens, scores: Scores) -> ScoredTokens:
        if len(scores) < len(read.ids) or not covers(text, read.input_offsets):
            raise AlignError(NOT_ALL_GIVEN)
        return ScoredTokens(*self._by_words(text, read.offsets, scores), len(text))

    def _run(self, readings: Sequence[Windowed]) -> list[tuple[Scores, Flags]]:
        """Scores of the tokens that windows own, and which tokens were fed."""
        width = len(self._labels.names)
        scores = [np.empty((len(reading.ids), width), np.float32) for reading in readings]
        fed = [np.zeros(len(reading.ids), bool) for reading in readings]
        for batch in _batches(readings, 1 if self.alone else None):
            windows = [readings[note].input(number) for note, number in batch]
            inputs = _inputs(windows)
            logits = self._network.run(**inputs)
            if logits.shape != (*inputs["ids"].shape[:2], width):
                raise AlignError("the network did not score every token that it was given")
            for (note, number), window, rows in zip(batch, windows, logits, strict=True):
                over = readings[note].windows
                owned = slice(over.owned[number], over.owned[number + 1])
                scores[note][owned] = rows[window.first : window.last]
                fed[note][over.starts[number] : over.ends[number]] = True
        return list(zip(scores, fed, strict=True))


def words_of(text: str, offsets: TokenOffsets, scores: Scores) -> tuple[TokenOffsets, Scores]:
    """A token for each word (`align.words`), scored as the first of its tokens is."""
    solid = offsets.solid
    if not solid.size:
        return TokenOffsets(solid, solid), scores[:0]
    starts, ends = offsets.starts[solid], offsets.ends[solid]
    word = np.searchsorted(table_of_words(text)[:, 0], starts, "right")
    first = np.flatnonzero(np.diff(word, prepend=-1))
    return TokenOffsets(starts[first], np.maximum.reduceat(ends, first)), scores[solid[first]]


def first_window(folder: Path, member: Member, text: str) -> dict[str, Integers]:
    """What a member's network is given for the first window of a text, [1, tokens, …]."""
    reading = open_reader(folder / member.tokenizer, member).read_all([text])[0]
    return _inputs([reading.input(0)])


def _inputs(windows: Sequence[WindowInput]) -> dict[str, Integers]:
    """Windows of one length as a network takes them, [windows, tokens, …]."""
    inputs = {"ids": np.stack([window.ids for window in windows])}
    for name in ("segments", "shapes", "others"):
        if getattr(windows[0], name) is not None:
            inputs[name] = np.stack([getattr(window, name) for window in windows])
    return inputs


def open_reader(path: Path, member: Member) -> NoteReader:
    """What reads notes for a member."""
    try:
        return NoteReader(
            open_tokenizer(path, member),
            window=member.window,
            overlap=member.overlap,
            shape=member.shapes is not None,
            join=member.join is not None,
        )
    except AlignError as error:
        raise ModelError(f"{path}: {error}") from None
    except Exception:  # the library raises bare exceptions
        raise ModelError(f"{path}: not a tokenizer that can be read") from None


def open_tokenizer(path: Path, member: Member) -> AnyTokenizer:
    """The file that a member names: of tokens, or of words."""
    if member.word_rows is not None:
        return WordTokenizer.from_str(path.read_text(encoding="utf-8"))
    return Tokenizer.from_file(str(path))


def _transitions(member: Member, labels: Labels) -> Transitions:
    if member.any_order:
        return Transitions.any_order(labels)
    valid = Transitions.valid(labels)
    if member.crf is None:
        return valid
    return Transitions(
        valid.between + np.array(member.crf.between),
        valid.start + np.array(member.crf.start),
        valid.end + np.array(member.crf.end),
    )


def _batches(readings: Sequence[Windowed], most: int | None) -> Iterator[list[Place]]:
    """All windows, those of one length together, at most so many."""
    lengths: dict[Place, int] = {
        (note, number): int(length) + len(reading.frame)
        for note, reading in enumerate(readings)
        for number, length in enumerate(reading.windows.ends - reading.windows.starts)
    }
    for length, group in groupby(sorted(lengths, key=lengths.__getitem__), lengths.__getitem__):
        places = list(group)
        size = most or max(1, BATCH_TOKENS // length)
        for begin in range(0, len(places), size):
            yield places[begin : begin + size]


def _count_read(text: str, reading: TokenizedNote, fed: Flags) -> int:
    """The characters that the network was given, white space and all: the whole note, or an error."""
    if not fed.all() or not coverage(text, reading.input_offsets, reading.windows).whole:
        raise AlignError(NOT_ALL_GIVEN)
    return len(text)
