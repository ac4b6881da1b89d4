"""Restores notes of any length, without torch.

A note is read in windows of words that overlap; what a word becomes is taken from the window in which it
lies farthest from an edge. The search may choose case and marks only, and what it gives is put into the
text word by word, so that white space and words stay whatever the network says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from incognote.base.errors import ModelError
from incognote.onnx.sequence_folder import TOKENIZER, SequenceNetworks
from incognote.workshop.restore.spelling import Spelling
from incognote.workshop.restore.vocabulary import Vocabulary
from incognote.workshop.restore.words import Restored, Word, rewritten, words_of
from incognote.workshop.sequence_to_sequence.search import beam_search, greedy

TASK = "restore"
WORDS, OVERLAP = 64, 20
"""Words of a window, and how many of them the next one has too."""
MOST_TOKENS = 240
"""Tokens of a window at most."""
LONGEST_WORD = 60
"""A word of more tokens, such as a ruled line, stays as it is and is not read."""
AT_ONCE = 16
"""Windows that are decoded side by side."""


@dataclass(frozen=True)
class Window:
    """Words `begin` to `end` are read; what those from `first` to `last` become is taken from it."""

    begin: int
    end: int
    first: int
    last: int


class Restorer:
    """A model that `incognote train-restore` left, ready to restore texts."""

    def __init__(self, folder: Path, *, beams: int = 1, threads: int = 1) -> None:
        self.networks = SequenceNetworks(folder, threads=threads)
        described = self.networks.described
        if described.task != TASK:
            raise ModelError(
                f"{folder}: was trained for {described.task!r}; give the folder of "
                "`incognote train-restore`"
            )
        self.vocabulary = Vocabulary(folder / TOKENIZER)
        if self.vocabulary.size != described.vocabulary_size:
            raise ModelError(f"{folder}: the vocabulary is not that of the networks; copy it again")
        self.beams = beams

    def restore(self, text: str) -> str:
        """The text with case and punctuation; its words and white space are those of the text."""
        words = words_of(text)
        return rewritten(text, words, self.restored(words))

    def restored(self, words: Sequence[Word]) -> list[Restored]:
        """What each word becomes."""
        decisions = [Restored(word.text, "") for word in words]
        sizes = [len(self.vocabulary.of_word(word.spoken)) for word in words]
        readable = [number for number, size in enumerate(sizes) if size <= LONGEST_WORD]
        windows = list(windows_of([sizes[number] for number in readable]))
        for start in range(0, len(windows), AT_ONCE):
            some = windows[start : start + AT_ONCE]
            parts = [[words[readable[n]] for n in range(w.begin, w.end)] for w in some]
            for window, found in zip(some, self._decoded(parts), strict=True):
                for number in range(window.first, window.last):
                    decisions[readable[number]] = found[number - window.begin]
        return decisions

    def _decoded(self, parts: Sequence[Sequence[Word]]) -> Iterator[list[Restored]]:
        described, end = self.networks.described, self.vocabulary.end_id
        spellings = [Spelling(words, self.vocabulary) for words in parts]
        sources = [
            [token for word in words for token in self.vocabulary.of_word(word.spoken)] + [end]
            for words in parts
        ]
        longest = [min(described.longest, spelling.most_tokens) for spelling in spellings]
        start = described.start_id
        if self.beams == 1:
            found = greedy(
                self.networks,
                sources,
                start_id=start,
                end_id=end,
                longest=longest,
                constraints=spellings,
            )
        else:
            found = [
                hypotheses[0]
                for hypotheses in beam_search(
                    self.networks,
                    sources,
                    start_id=start,
                    end_id=end,
                    longest=longest,
                    beams=self.beams,
                    constraints=spellings,
                )
            ]
        for spelling, hypothesis in zip(spellings, found, strict=True):
            yield spelling.restored(token for token in hypothesis.tokens if token != end)


def windows_of(sizes: Sequence[int]) -> Iterator[Window]:
    """Windows over words of so many tokens each; together they take every word once."""
    ends = np.cumsum(sizes)
    count, begin, first = len(sizes), 0, 0
    while first < count:
        before = int(ends[begin - 1]) if begin else 0
        most = int(np.searchsorted(ends, before + MOST_TOKENS, side="right"))
        end = min(begin + WORDS, max(most, begin + 1), count)
        following = end if end == count else max(end - OVERLAP, begin + 1)
        last = count if end == count else max((following + end + 1) // 2, first + 1)
        yield Window(begin, end, first, last)
        begin, first = following, last
