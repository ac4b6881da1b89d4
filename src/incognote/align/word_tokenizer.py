"""Readers of words for models that know no tokens: each word (`align.words`) is a row of numbers.

A `WordTokenizer` stands where a model of tokens has its `tokenizers.Tokenizer`: in training, in a
checkpoint, in a model folder. It is written as JSON (`words.json`), which says its kind and settings.
A new kind is a subclass, named in `_kinds`.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from tokenizers import Tokenizer

from incognote.align.frame import Frame
from incognote.align.tokens import Integers, TokenOffsets, Tokens
from incognote.align.words import codes_of, table_of_words
from incognote.base.errors import AlignError
from incognote.base.files import JsonError, parse_json

VERSION = 1
"""Changes whenever words do, or a row: a model is used with those that it was trained on."""

WORDS = "words.json"
"""Its file, where a model of tokens has tokenizer.json."""


class WordTokenizer(ABC):
    """Texts as words, each a row of whole numbers; every kind is a frozen dataclass of its settings."""

    kind: ClassVar[str]
    parts_at_spaces: ClassVar[bool] = True
    """White space is in no word, so that stretches between it can be read by themselves."""

    @property
    @abstractmethod
    def frame(self) -> Frame:
        """The rows around a window, where the model takes any."""

    @property
    @abstractmethod
    def rows_needed(self) -> int:
        """One more than the highest number in any row."""

    @abstractmethod
    def read(self, text: str) -> Tokens:
        """Every word of a text, or each of its parts: ids [words, numbers of a row]."""

    def to_str(self) -> str:
        """All of it as JSON, which `from_str` reads."""
        settings = asdict(self)  # type: ignore[call-overload]
        return json.dumps({"version": VERSION, "kind": self.kind, **settings}, ensure_ascii=False)

    def save(self, path: str) -> None:
        """Write it, as `tokenizers.Tokenizer.save` does."""
        Path(path).write_text(self.to_str() + "\n", encoding="utf-8")

    @staticmethod
    def from_str(text: str) -> WordTokenizer:
        """What `to_str` wrote."""
        try:
            settings: Any = parse_json(text)
            version, kind = settings.pop("version"), settings.pop("kind")
            if version != VERSION:
                raise AlignError(
                    f"reads words of version {version!r}, and this incognote has {VERSION}; use the "
                    "incognote that the model was made for"
                )
            return _kinds()[kind](**settings)
        except (JsonError, KeyError, TypeError, AttributeError):
            raise AlignError("does not say how words are read; it is damaged") from None

    @staticmethod
    def from_file(path: Path) -> WordTokenizer:
        """From a file that was saved."""
        try:
            return WordTokenizer.from_str(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError):
            raise AlignError(f"{path}: missing, or not a file that can be read") from None
        except AlignError as error:
            raise AlignError(f"{path}: {error}") from None


PER_WORD = 50
"""Places for a word's bytes and its two marks, as published."""

BEGIN_SENTENCE, END_SENTENCE, BEGIN_WORD, END_WORD, PADDING = range(257, 262)
"""After the 256 bytes, and one more for all, for 0 stands where there is no word."""

_BYTES_FROM = np.array([0x80, 0x800, 0x10000])
"""The first characters that UTF-8 writes with two, three and four bytes."""


@dataclass(frozen=True)
class ByteWords(WordTokenizer):
    """ELMo's: a word is the bytes that it is written with, between two marks.

    As published, ELMo does not see the bytes beyond a row. Here a longer word is read as several,
    cut between characters, so that the model is given all of it.

    >>> ByteWords(per_word=5).read("ab abcd").offsets.ends.tolist()
    [2, 6, 7]
    """

    per_word: int = PER_WORD

    kind: ClassVar[str] = "bytes"

    def __post_init__(self) -> None:
        if not isinstance(self.per_word, int) or self.per_word < 6:  # 4 bytes and 2 marks
            raise AlignError(f"a word needs 6 places or more, not {self.per_word!r}")

    @property
    def frame(self) -> Frame:
        """The beginning and the end of a sentence."""
        begin, end = (tuple(row.tolist()) for row in self._marks())
        return Frame.around([begin], [end])

    @property
    def rows_needed(self) -> int:
        return PADDING + 1

    def _marks(self) -> Integers:
        rows = np.full((2, self.per_word), PADDING, np.int64)
        rows[:, :3] = [[BEGIN_WORD, mark, END_WORD] for mark in (BEGIN_SENTENCE, END_SENTENCE)]
        return rows

    def read(self, text: str) -> Tokens:
        written = np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)
        sizes = 1 + np.searchsorted(_BYTES_FROM, codes_of(text), "right")
        before = np.concatenate(([0], np.cumsum(sizes)))  # bytes before each character
        spans = self._cut(table_of_words(text), before)
        first = before[spans[:, 0]]
        counts = before[spans[:, 1]] - first
        ids = np.full((len(spans), self.per_word), PADDING, np.int64)
        ids[:, 0] = BEGIN_WORD
        row = np.repeat(np.arange(len(spans)), counts)
        column = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        ids[row, column + 1] = written[np.repeat(first, counts) + column].astype(np.int64) + 1
        ids[np.arange(len(spans)), counts + 1] = END_WORD
        return Tokens(ids, TokenOffsets(spans[:, 0].copy(), spans[:, 1].copy()), 0)

    def _cut(self, spans: Integers, before: Integers) -> Integers:
        """The words [words, 2], those with too many bytes in as few parts as hold them."""
        room = self.per_word - 2
        if not (before[spans[:, 1]] - before[spans[:, 0]] > room).any():
            return spans
        parts = []
        for begin, end in spans.tolist():
            while before[end] - before[begin] > room:
                cut = int(np.searchsorted(before, before[begin] + room, "right")) - 1
                parts.append((begin, cut))
                begin = cut
            parts.append((begin, end))
        return np.array(parts, np.int64)


def character_ids(words: Sequence[str], *, boundaries: bool = True) -> Integers:
    """The rows of one sentence as published, [words, 50], between the rows of its two boundaries.

    The bytes beyond a row are not seen.

    >>> character_ids(["a"])[1, :4].tolist()
    [259, 98, 260, 261]
    """
    rows = [list(word.encode("utf-8", "surrogatepass")[: PER_WORD - 2]) for word in words]
    marked = [[byte + 1 for byte in row] for row in rows]
    if boundaries:
        marked = [[BEGIN_SENTENCE], *marked, [END_SENTENCE]]
    ids = np.full((len(marked), PER_WORD), PADDING, dtype=np.int64)
    for place, row in enumerate(marked):
        ids[place, : len(row) + 2] = [BEGIN_WORD, *row, END_WORD]
    return ids


AnyTokenizer = Tokenizer | WordTokenizer
"""What a model's text goes through."""


def frame_of(tokenizer: AnyTokenizer) -> Frame:
    """What stands around a window."""
    return tokenizer.frame if isinstance(tokenizer, WordTokenizer) else Frame.of(tokenizer)


def _kinds() -> dict[str, type[WordTokenizer]]:
    from incognote.align.feature_words import FeatureWords
    from incognote.align.vocabulary_words import VocabularyWords

    return {each.kind: each for each in (ByteWords, VocabularyWords, FeatureWords)}
