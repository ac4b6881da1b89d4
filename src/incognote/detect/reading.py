"""A note while it is being read: what many rules need of it is worked out once, on demand.

Most rules can only begin at certain words ("Mr", "MRN", "born") or at a number. Each word and each
number of the note is located once; a rule then looks at the few places where it may apply, instead
of at every character. Nothing of a note is kept once its reading is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Set
from functools import cached_property
from typing import Any, TypeVar

Answer = TypeVar("Answer")

_WORD = re.compile(r"[^\W\d_]+")
_LINE_END = re.compile(r"\n")
_GLUED = re.compile(r"([^\W\d_](?<![^\W\d_].)[a-z]+)[A-Z]")
_FIGURES = re.compile(r"\d+")
_CODE = re.compile(r"[A-Z](?<![^\W_].)[A-Z]{0,3}\d")
_SMALL = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


class Reading:
    """One note, its words and its numbers."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._answers: dict[Callable[..., Any], Any] = {}
        self._figures_of: dict[tuple[frozenset[int], frozenset[str]], list[int]] = {}

    @cached_property
    def small(self) -> str:
        """The text in lower case, every offset unchanged.

        Patterns without IGNORECASE run several times faster. Where `str.lower` makes a letter
        longer, only A to Z are changed.
        """
        lower = self.text.lower()
        return lower if len(lower) == len(self.text) else self.text.translate(_SMALL)

    @cached_property
    def words(self) -> dict[str, list[int]]:
        """Every run of letters, in lower case, and where it begins.

        A word glued to a value in capitals ("plateBKT9914") is there with and without it.
        """
        places: dict[str, list[int]] = {}
        for match in _WORD.finditer(self.small):
            word = match[0]
            if word in places:
                places[word].append(match.start())
            else:
                places[word] = [match.start()]
        for match in _GLUED.finditer(self.text):
            places.setdefault(match[1].lower(), []).append(match.start())
        return places

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The words without their places."""
        return frozenset(self.words)

    @cached_property
    def numbers(self) -> dict[str, list[int]]:
        """Every run of digits, and where it begins."""
        places: dict[str, list[int]] = {}
        for match in _FIGURES.finditer(self.text):
            places.setdefault(match[0], []).append(match.start())
        return places

    def figures_of(self, digits: frozenset[int], then: frozenset[str]) -> list[int]:
        """Where each run of so many digits begins that one of the characters `then` follows.

        None given means any.
        """
        if (digits, then) not in self._figures_of:
            self._figures_of[digits, then] = sorted(
                place
                for (length, following), places in self._shapes.items()
                if (not digits or length in digits) and (not then or following in then)
                for place in places
            )
        return self._figures_of[digits, then]

    @cached_property
    def _shapes(self) -> dict[tuple[int, str], list[int]]:
        """Places of numbers by their length and the character after them."""
        text = self.text
        shapes: dict[tuple[int, str], list[int]] = {}
        for figures, places in self.numbers.items():
            length = len(figures)
            for place in places:
                end = place + length
                shapes.setdefault((length, text[end : end + 1]), []).append(place)
        return shapes

    @cached_property
    def codes(self) -> list[int]:
        """Where a few capitals begin that a digit follows: K1A, SW10, GB29."""
        return [match.start() for match in _CODE.finditer(self.text)]

    @cached_property
    def lines(self) -> list[int]:
        """Where each line begins."""
        return [0, *(match.end() for match in _LINE_END.finditer(self.text))]

    def has(self, words: Set[str]) -> bool:
        """Whether any of the words occurs."""
        return not self.vocabulary.isdisjoint(words)

    def at(self, words: Set[str]) -> list[int]:
        """Where any of the words begins, in order."""
        found = self.vocabulary & words
        places = [place for word in found for place in self.words[word]]
        places.sort()
        return places

    def once(self, work: Callable[[Reading], Answer]) -> Answer:
        """The answer of `work`, which several rules ask for, worked out the first time."""
        if work not in self._answers:
            self._answers[work] = work(self)
        answer: Answer = self._answers[work]
        return answer
