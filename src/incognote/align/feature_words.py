"""Words by what is seen of them: the features of a linear-chain CRF.

A word's own features are a row of numbers, one for each slot; 0 is a value that training did not see
often enough. Nothing around the word is in its row: what stands beside it, the network adds from the
rows of the neighbours. Layout (line ends, white space) and the case of the whole word come as word
shapes (`shapes.py`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from incognote.align.frame import Frame
from incognote.align.tokens import Integers, TokenOffsets, Tokens
from incognote.align.vocabulary_words import folded, storable
from incognote.align.word_tokenizer import WordTokenizer
from incognote.align.words import table_of_words
from incognote.base.errors import AlignError

DEFINITION = 1
"""Changes whenever the value of a slot does."""

_LONGEST_SHAPE, _LONGEST = 10, 12
_RUNS = re.compile(r"(.)\1+")


def _shape(word: str) -> str:
    """X for a capital, x for a small letter, 0 for a digit, others as they are.

    >>> _shape("McKay-3")
    'XxXxx-0'
    """
    return "".join(
        "0"
        if letter.isdigit()
        else "X"
        if letter.isupper()
        else "x"
        if letter.isalpha()
        else letter
        for letter in word[:_LONGEST_SHAPE]
    )


def _pattern(word: str) -> str:
    """The shape with each run as one; of digits with how many there are."""
    if word.isdigit():
        return f"0*{min(len(word), _LONGEST)}"
    return _RUNS.sub(r"\1", _shape(word))


NEAR: tuple[str, ...] = ("word", "pattern")
"""Slots that are also seen of the words around, and so is each gazetteer."""

OWN: tuple[str, ...] = (
    "written",
    "shape",
    "length",
    *(f"prefix{size}" for size in range(1, 5)),
    *(f"suffix{size}" for size in range(1, 5)),
)
"""Slots that are only seen of the word itself."""


def _values(word: str) -> Iterator[str]:
    """The values of a word by slot: those of NEAR, then those of OWN; "" where there is none."""
    low = folded(word)
    yield low
    yield _pattern(word)
    yield word
    yield _shape(word)
    yield str(min(len(word), _LONGEST))
    for size in range(1, 5):
        yield low[:size] if len(low) > size else ""
    for size in range(1, 5):
        yield low[-size:] if len(low) > size else ""


@dataclass(frozen=True)
class FeatureWords(WordTokenizer):
    """A row has the numbers of NEAR's values, of the gazetteers that have the word, and of OWN's.

    values: of each slot, NEAR's before OWN's. gazetteers: lists of folded words by name. Numbers of
    near slots are counted from 1 on, and so are those of own ones: they are of two tables.

    >>> tokenizer = FeatureWords(
    ...     values=[["mr"], ["Xx"], *([[]] * 11)], gazetteers={"names": ["ada"]}
    ... )
    >>> tokenizer.read("Mr Ada").ids[:, :3].tolist()
    [[1, 2, 0], [0, 2, 3]]
    """

    values: Sequence[Sequence[str]]
    gazetteers: Mapping[str, Sequence[str]]
    definition: int = DEFINITION

    kind: ClassVar[str] = "features"

    def __post_init__(self) -> None:
        if self.definition != DEFINITION:
            raise AlignError(
                f"has features of version {self.definition!r}, and this incognote has {DEFINITION}; "
                "use the incognote that the model was made for"
            )
        lists = [*self.values, *self.gazetteers.values()]
        if len(self.values) != len(NEAR) + len(OWN) or not all(
            isinstance(each, list | tuple) and all(isinstance(word, str) for word in each)
            for each in lists
        ):
            raise AlignError("features need a list of values for each slot")

    @property
    def frame(self) -> Frame:
        """None: beyond a note's edge there are no features."""
        return Frame.around()

    @property
    def near_slots(self) -> int:
        """How many of a row's numbers are of near features; they come first."""
        return len(NEAR) + len(self.gazetteers)

    @property
    def row(self) -> int:
        """How many numbers stand for a word."""
        return self.near_slots + len(OWN)

    @property
    def near_count(self) -> int:
        """How many numbers of near features there are."""
        return 1 + sum(map(len, self.values[: len(NEAR)])) + len(self.gazetteers)

    @property
    def own_count(self) -> int:
        """How many numbers of own features there are."""
        return 1 + sum(map(len, self.values[len(NEAR) :]))

    @property
    def rows_needed(self) -> int:
        return max(self.near_count, self.own_count)

    def read(self, text: str) -> Tokens:
        spans = table_of_words(text)
        found = [text[start:end] for start, end in spans.tolist()]
        number_of: dict[str, int] = {}
        places = [number_of.setdefault(word, len(number_of)) for word in found]
        rows: Integers = np.array([self._row(word) for word in number_of], np.int64)
        ids = rows.reshape(-1, self.row)[np.array(places, np.int64)]
        return Tokens(ids, TokenOffsets(spans[:, 0].copy(), spans[:, 1].copy()), 0)

    def _row(self, word: str) -> list[int]:
        numbers = [
            table.get(value, 0) for table, value in zip(self._tables, _values(word), strict=True)
        ]
        low = folded(word)
        first = self.near_count - len(self.gazetteers)
        listed = [number if low in words else 0 for number, words in enumerate(self._lists, first)]
        return [*numbers[: len(NEAR)], *listed, *numbers[len(NEAR) :]]

    @cached_property
    def _tables(self) -> list[dict[str, int]]:
        tables = []
        number = 1
        for place, values in enumerate(self.values):
            number = 1 if place == len(NEAR) else number
            tables.append({value: each for each, value in enumerate(values, number)})
            number += len(values)
        return tables

    @cached_property
    def _lists(self) -> list[frozenset[str]]:
        return [frozenset(words) for words in self.gazetteers.values()]


def learn_features(
    texts: Iterable[str], gazetteers: Mapping[str, Iterable[str]], *, min_count: int
) -> FeatureWords:
    """The values that occur so often in the texts, and the words of gazetteers folded."""
    found: Counter[str] = Counter()
    for text in texts:
        found.update(text[start:end] for start, end in table_of_words(text).tolist())
    counts: list[Counter[str]] = [Counter() for _ in (*NEAR, *OWN)]
    for word, count in found.items():
        for slot, value in zip(counts, _values(word), strict=True):
            if value and storable(value):
                slot[value] += count
    return FeatureWords(
        values=tuple(
            tuple(sorted(value for value, count in slot.items() if count >= min_count))
            for slot in counts
        ),
        gazetteers={
            name: tuple(sorted({folded(word) for word in words}))
            for name, words in gazetteers.items()
        },
    )
