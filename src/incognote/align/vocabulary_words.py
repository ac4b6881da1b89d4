"""Words by their number in a vocabulary and by their letters, for a tagger of the BiLSTM kind.

The vocabulary is of words in small letters with every digit a 0 (Lample et al., 2016); what a word's
capitals and digits were, its letters say. Both are learned from the notes that teach.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from incognote.align.frame import Frame
from incognote.align.tokens import Integers, TokenOffsets, Tokens
from incognote.align.word_tokenizer import WordTokenizer
from incognote.align.words import table_of_words, words
from incognote.base.errors import AlignError

UNKNOWN = 1
"""The number of a word, and of a letter, that is in no vocabulary; 0 is none at all."""

FIRST = 2
PER_WORD = 24
"""Letters of a word that are read: of a longer one, half from its beginning and half from its end."""

_DIGIT = re.compile(r"\d")
_SURROGATE = re.compile("[\ud800-\udfff]")


def storable(word: str) -> bool:
    """Whether a file can hold it: half of a pair of surrogates is no character."""
    return not _SURROGATE.search(word)


def folded(word: str) -> str:
    """A word as the vocabulary has it.

    >>> folded("MRN7041")
    'mrn0000'
    """
    return _DIGIT.sub("0", word.lower())


@dataclass(frozen=True)
class VocabularyWords(WordTokenizer):
    """A row is a word's number, then the numbers of its letters, 0 after the last.

    words: folded, the most frequent first. letters: a text with each once.

    >>> VocabularyWords(words=("name", "0000"), letters="Name0", per_word=4).read(
    ...     "name 1987"
    ... ).ids.tolist()
    [[2, 1, 3, 4, 5], [3, 1, 1, 1, 1]]
    """

    words: Sequence[str]
    letters: str
    per_word: int = PER_WORD

    kind: ClassVar[str] = "vocabulary"

    def __post_init__(self) -> None:
        whole = isinstance(self.letters, str) and all(isinstance(word, str) for word in self.words)
        if not whole or not isinstance(self.per_word, int) or self.per_word < 2:
            raise AlignError("a vocabulary has words, letters, and 2 letters of a word or more")
        object.__setattr__(self, "words", tuple(self.words))

    @property
    def frame(self) -> Frame:
        """None: the network sees by itself where a window ends."""
        return Frame.around()

    @property
    def row(self) -> int:
        """How many numbers stand for a word."""
        return 1 + self.per_word

    @property
    def word_count(self) -> int:
        """How many numbers of words there are."""
        return FIRST + len(self.words)

    @property
    def letter_count(self) -> int:
        """How many numbers of letters there are."""
        return FIRST + len(self.letters)

    @property
    def rows_needed(self) -> int:
        return max(self.word_count, self.letter_count)

    def read(self, text: str) -> Tokens:
        spans = table_of_words(text)
        found = [text[start:end] for start, end in spans.tolist()]
        number_of: dict[str, int] = {}
        places = [number_of.setdefault(word, len(number_of)) for word in found]
        rows = np.zeros((len(number_of), self.row), np.int64)
        for row, word in zip(rows, number_of, strict=True):
            seen = self._seen(word)
            row[0] = self._words.get(folded(word), UNKNOWN)
            row[1 : 1 + len(seen)] = [self._letters.get(letter, UNKNOWN) for letter in seen]
        ids: Integers = rows[np.array(places, np.int64)]
        return Tokens(ids, TokenOffsets(spans[:, 0].copy(), spans[:, 1].copy()), 0)

    def _seen(self, word: str) -> str:
        if len(word) <= self.per_word:
            return word
        end = self.per_word // 2
        return word[: self.per_word - end] + word[-end:]

    @cached_property
    def _words(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words, FIRST)}

    @cached_property
    def _letters(self) -> dict[str, int]:
        return {letter: number for number, letter in enumerate(self.letters, FIRST)}


@dataclass(frozen=True)
class LearnedVocabulary:
    """A vocabulary, and how many of its words were seen more than once: these come first."""

    tokenizer: VocabularyWords
    common: int


def learn_vocabulary(
    texts: Iterable[str], *, min_count: int = 1, more: Iterable[str] = ()
) -> LearnedVocabulary:
    """All words that occur so often, all letters, and `more` words that are known from elsewhere."""
    counts: Counter[str] = Counter()
    letters: Counter[str] = Counter()
    for text in texts:
        counts.update(folded(text[start:end]) for start, end in words(text))
        letters.update(text)
    ranked = [
        word
        for word, count in sorted(counts.items(), key=lambda each: (-each[1], each[0]))
        if count >= min_count and storable(word)
    ]
    common = sum(counts[word] > 1 for word in ranked)
    others = sorted({folded(word) for word in more} - set(ranked))
    known = "".join(
        sorted(letter for letter in letters if storable(letter) and not letter.isspace())
    )
    tokenizer = VocabularyWords(words=(*ranked[:common], *others, *ranked[common:]), letters=known)
    return LearnedVocabulary(tokenizer, common + len(others))
