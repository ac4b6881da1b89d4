"""A note while it is being read: what many rules need of it is worked out once, on demand.

Most rules can only begin at certain words ("Mr", "MRN", "born") or at a number. Each word and each
number of the note is located once; a rule then looks at the few places where it may apply, instead
of at every character. Nothing of a note is kept once its reading is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Set
from functools import cached_property
from typing import Any, TypeVar

Answer = TypeVar("Answer")

_WORD = re.compile(r"[^\W\d_]+")
_LINE_END = re.compile(r"\n")
_INNER_CAPITAL = re.compile(r"[A-Z](?<=[a-z].)")
_LETTERS = "".join(chr(code) if chr(code).isalpha() else " " for code in range(128))
_FIGURES = re.compile(r"\d+")
_CODE = re.compile(r"[A-Z](?<![^\W_].)[A-Z]{0,3}\d")
_SMALL = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


class Reading:
    """One note, its words and its numbers."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._answers: dict[Callable[..., Any], Any] = {}

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
        for word, place in self._located():
            if word in places:
                places[word].append(place)
            else:
                places[word] = [place]
        for place, end in self._glued():
            places.setdefault(self.small[place:end], []).append(place)
        return places

    def _located(self) -> Iterator[tuple[str, int]]:
        small = self.small
        if not small.isascii():
            for match in _WORD.finditer(small):
                yield match[0], match.start()
            return
        place = 0  # three times as fast as the pattern
        for word in small.translate(_LETTERS).split():
            place = small.find(word, place)
            yield word, place
            place += len(word)

    def _glued(self) -> Iterator[tuple[int, int]]:
        text = self.text
        for capital in _INNER_CAPITAL.finditer(text):
            start = end = capital.start()
            while start and "a" <= text[start - 1] <= "z":
                start -= 1
            start -= text[start - 1 : start].isupper()
            if not text[start - 1 : start].isalpha():
                yield start, end

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The words without their places."""
        return frozenset(self.words)

    @cached_property
    def accented(self) -> Set[str]:
        """The words with letters beyond those of ASCII."""
        if self.text.isascii():
            return frozenset()
        return {word for word in self.vocabulary if not word.isascii()}

    @cached_property
    def numbers(self) -> dict[str, list[int]]:
        """Every run of digits, and where it begins."""
        places: dict[str, list[int]] = {}
        for match in _FIGURES.finditer(self.text):
            places.setdefault(match[0], []).append(match.start())
        return places

    @cached_property
    def shapes(self) -> dict[tuple[int, str], list[int]]:
        """Where numbers begin, by their length and the character after them."""
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

    @cached_property
    def lines_by_first(self) -> dict[str, list[int]]:
        """Where lines begin, by their first character that is no blank."""
        lines: dict[str, list[int]] = {}
        for line in self.lines:
            first = self.text[line : line + 100].lstrip(" \t")[:1]
            lines.setdefault(first, []).append(line)
        return lines

    def figures_of(self, digits: Set[int]) -> list[int]:
        """Where numbers of so many digits begin, in order."""
        return sorted(
            place
            for (length, _), places in self.shapes.items()
            if length in digits
            for place in places
        )

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
