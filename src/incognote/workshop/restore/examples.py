"""Pairs to learn from: stretches of well-written notes, and how they would be dictated."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import lru_cache

import numpy as np

from incognote.align.tokens import Integers
from incognote.base.errors import TrainError
from incognote.workshop.restore.vocabulary import Vocabulary
from incognote.workshop.restore.words import words_of

LEAST, MOST = 16, 72
"""Words of a stretch; it may begin and end anywhere, as windows of a note do."""
MOST_TOKENS = 320
"""A stretch with more on either side, such as a ruled line, teaches nothing and is left out."""


class Examples:
    """The stretches of some texts; every epoch cuts them elsewhere.

    Tokens of all words lie end to end: those of word n from `_sources[n]` to `_sources[n + 1]`.
    """

    def __init__(self, texts: Iterable[str], vocabulary: Vocabulary, *, seed: int = 0) -> None:
        self.vocabulary, self.seed = vocabulary, seed
        marks = vocabulary.mark_ids
        source: list[int] = []
        target: list[int] = []
        sources, targets, documents = [0], [0], [0]
        for text in texts:
            for word in words_of(text):
                source += vocabulary.of_word(word.spoken)
                target += vocabulary.of_word(word.text)
                if word.mark:
                    target.append(marks[word.mark])
                sources.append(len(source))
                targets.append(len(target))
            documents.append(len(sources) - 1)
        if len(sources) == 1:
            raise TrainError("the text has no words to learn from")
        self._source, self._target = np.array(source, np.int32), np.array(target, np.int32)
        self._sources, self._targets = np.array(sources), np.array(targets)
        self._documents = np.array(documents)
        self._stretches = lru_cache(maxsize=2)(self._cut)

    @property
    def words(self) -> int:
        """How many words there are."""
        return len(self._sources) - 1

    @property
    def fingerprint(self) -> str:
        """Of the tokens, and of how they are cut."""
        digest = hashlib.sha256(f"{LEAST} {MOST} {MOST_TOKENS} {self.seed}".encode())
        for part in (self._source, self._target, self._sources, self._targets, self._documents):
            digest.update(part.tobytes())
        digest.update(self.vocabulary.tokenizer.to_str().encode())
        return digest.hexdigest()

    def lengths(self, epoch: int) -> Integers:
        """Tokens of each pair's longer side, with the end."""
        begins, ends = self._stretches(epoch)
        return np.asarray(
            np.maximum(
                self._sources[ends] - self._sources[begins],
                self._targets[ends] - self._targets[begins],
            )
            + 1
        )

    def pair(self, epoch: int, number: int) -> tuple[list[int], list[int]]:
        """A stretch as it would be dictated, and as it is written."""
        begins, ends = self._stretches(epoch)
        begin, end = begins[number], ends[number]
        source = self._source[self._sources[begin] : self._sources[end]].tolist()
        target = self._target[self._targets[begin] : self._targets[end]].tolist()
        return [*source, self.vocabulary.end_id], [*target, self.vocabulary.end_id]

    def _cut(self, epoch: int) -> tuple[Integers, Integers]:
        """The first word of each stretch, and the one after its last."""
        draws = np.random.default_rng((self.seed, epoch))
        begins: list[int] = []
        for first, last in zip(self._documents[:-1], self._documents[1:], strict=True):
            sizes = draws.integers(LEAST, MOST + 1, size=(last - first) // LEAST + 2)
            cuts = first + np.cumsum(sizes) - int(draws.integers(0, MOST))
            begins += [int(first), *cuts[(cuts > first) & (cuts < last)].tolist()]
        cut = np.array([*begins, self.words])
        starts, ends = cut[:-1], cut[1:]
        longer = np.maximum(
            self._sources[ends] - self._sources[starts], self._targets[ends] - self._targets[starts]
        )
        fits = (longer < MOST_TOKENS) & (ends > starts)
        return starts[fits], ends[fits]
