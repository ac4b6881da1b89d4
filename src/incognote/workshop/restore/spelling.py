"""Which tokens may follow, so that a restored text spells the words that it was given.

A hypothesis knows how many characters of the words it has spelled. It may go on with any token that
spells the next ones in whatever case, put one mark after a word, and end where all is spelled. So a
search can choose case and marks only, and no word is lost, invented or moved.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from incognote.workshop.restore.vocabulary import BEGINS, Vocabulary, spelled
from incognote.workshop.restore.words import Restored, Word, takes_mark


class Place(NamedTuple):
    """Characters spelled so far, and whether the last token was a mark."""

    spelled: int
    marked: bool


class Spelling:
    """What may follow in one sequence of words; marks and capitals that are there are kept."""

    def __init__(self, words: Sequence[Word], vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.words = words
        self.written = "".join(spelled(word.text) for word in words)
        lowered = "".join(spelled(word.spoken) for word in words)
        # A letter whose small form is two, such as İ, is read as it stands.
        self.text = lowered if len(lowered) == len(self.written) else self.written
        ends = np.cumsum([len(spelled(word.text)) for word in words]).tolist()
        self._word_ending_at = dict(zip(ends, words, strict=True))
        self._has_capitals = [
            word.text != word.spoken for word in words for _ in spelled(word.text)
        ]

    @property
    def most_tokens(self) -> int:
        """Tokens at most: one for each character and each mark, and the end."""
        return len(self.text) + len(self.words) + 1

    def begin(self) -> Place:
        """Nothing is spelled."""
        return Place(0, False)

    def allowed(self, place: Place) -> npt.NDArray[np.int64]:
        """The tokens that may come next."""
        at, marked = place
        word = self._word_ending_at.get(at)
        forced = None if word is None else self._forced(word)
        if forced is not None and not marked:
            return np.array([forced])
        numbers = self._next_letters(at)
        if word is not None and not marked and takes_mark(word):
            numbers += self.vocabulary.mark_ids.values()
        return np.array(numbers)

    def advance(self, place: Place, token: int) -> Place:
        """The place after a token."""
        if self._is_mark(place, token):
            return Place(place.spelled, True)
        size = 1 if token == self.vocabulary.unknown_id else len(self.vocabulary.texts[token])
        return Place(place.spelled + size, False)

    def restored(self, tokens: Iterable[int]) -> list[Restored]:
        """The words as the tokens write them."""
        place = self.begin()
        texts, marks = [""] * len(self.words), [""] * len(self.words)
        number = -1
        for token in tokens:
            if self._is_mark(place, token):
                marks[number] = self.vocabulary.texts[token]
            else:
                after = self.advance(place, token)
                known = self.vocabulary.texts[token]
                text = known or self.written[place.spelled : after.spelled]
                if text.startswith(BEGINS):
                    number += 1
                texts[number] += text.removeprefix(BEGINS)
            place = self.advance(place, token)
        return [Restored(text, mark) for text, mark in zip(texts, marks, strict=True)]

    def _is_mark(self, place: Place, token: int) -> bool:
        """A token such as `.` is a mark at the end of a word, and within one a letter like others."""
        at = place.spelled
        ends = at in self._word_ending_at and token in self.vocabulary.mark_ids.values()
        return ends and not place.marked

    def _forced(self, word: Word) -> int | None:
        return self.vocabulary.mark_ids.get(word.mark)

    def _next_letters(self, at: int) -> list[int]:
        if at == len(self.text):
            return [self.vocabulary.end_id]
        keeps = self._has_capitals[at]
        found: list[int] = []
        for size in range(1, min(self.vocabulary.longest, len(self.text) - at) + 1):
            spelling = self.text[at : at + size]
            if size > 1 and spelling[-1] == BEGINS:
                break
            for token in self.vocabulary.by_spelling.get(spelling.lower(), ()):
                if not keeps or self.vocabulary.texts[token] == self.written[at : at + size]:
                    found.append(token)
        return found or [self.vocabulary.unknown_id]
