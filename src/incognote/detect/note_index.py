"""The index of a note: where its words, numbers and lines are, worked out once and on demand.

Most rules can only begin at certain words ("Mr", "MRN", "born") or at a number. Each word and each
number of the note is located once; a rule then looks at the few places where it may apply, instead
of at every character. Nothing of a note is kept once its index is dropped.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Set
from functools import partial
from typing import Any, Generic, TypeAlias, TypeVar, overload

Answer = TypeVar("Answer")
Places: TypeAlias = "array[int]"
"""Where things are in a note: numbers of four bytes. As objects they would be the most of what a
note of many megabytes takes.
"""

as_places = partial(array, "I")

_WORD = re.compile(r"[^\W\d_]+")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
MOST_MARKS = 8
PORTION = 1_000_000
_LINE_END = re.compile(r"\n")
_INNER_CAPITAL = re.compile(r"[A-Z](?<=[a-z].)")
_LETTERS = "".join(chr(code) if chr(code).isalpha() else " " for code in range(128))
_FIGURES = re.compile(r"\d+")
_CODE = re.compile(r"[A-Z](?<![^\W_].)[A-Z]{0,3}\d")
_SMALL = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


class lazy(Generic[Answer]):  # noqa: N801 - read as a decorator
    """A property that is worked out when first asked for, and then kept: `functools.cached_property`
    without its lock, which costs more than most of these answers.

    Two threads may work out the same answer; neither waits for the other.
    """

    def __init__(self, work: Callable[[Any], Answer]) -> None:
        self._work = work
        self._name = work.__name__
        self.__doc__ = work.__doc__

    @overload
    def __get__(self, instance: None, owner: type[Any]) -> lazy[Answer]: ...

    @overload
    def __get__(self, instance: object, owner: type[Any]) -> Answer: ...

    def __get__(self, instance: object | None, owner: type[Any]) -> lazy[Answer] | Answer:
        if instance is None:
            return self
        answer = instance.__dict__[self._name] = self._work(instance)
        return answer


class NoteIndex:
    """One note, with the places of its words, numbers, codes and lines."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._answers: dict[Callable[..., Any], Any] = {}

    @lazy
    def small(self) -> str:
        """The text in lower case, every offset unchanged.

        Patterns without IGNORECASE run several times faster. Where `str.lower` makes a letter
        longer, only A to Z are changed.
        """
        lower = self.text.lower()
        return lower if len(lower) == len(self.text) else self.text.translate(_SMALL)

    @lazy
    def words(self) -> dict[str, Places]:
        """Every run of letters, in lower case, and where it begins, from left to right.

        A word glued to a value in capitals ("plateBKT9914") is there with and without it.
        """
        plain = _without_marks(self.small)
        places = _located(plain) if plain.isascii() else _by_text(_WORD.finditer(plain))
        glued = [(self.small[place:end], place) for place, end in self._glued()]
        for word, place in glued:
            places.setdefault(word, as_places()).append(place)
        for word in {word for word, _ in glued}:
            places[word] = as_places(sorted(places[word]))
        return places

    def _glued(self) -> Iterator[tuple[int, int]]:
        text = self.text
        for capital in _INNER_CAPITAL.finditer(text):
            start = end = capital.start()
            while start and "a" <= text[start - 1] <= "z":
                start -= 1
            start -= text[start - 1 : start].isupper()
            if not text[start - 1 : start].isalpha():
                yield start, end

    @lazy
    def vocabulary(self) -> frozenset[str]:
        """The words without their places."""
        return frozenset(self.words)

    @lazy
    def accented(self) -> Set[str]:
        """The words with letters beyond those of ASCII."""
        if self.text.isascii():
            return frozenset()
        return {word for word in self.vocabulary if not word.isascii()}

    @lazy
    def numbers(self) -> dict[str, Places]:
        """Every run of digits, and where it begins."""
        return _by_text(_FIGURES.finditer(self.text))

    @lazy
    def shapes(self) -> dict[tuple[int, str], Places]:
        """Where numbers begin, by their length and the two characters after them."""
        text = self.text
        shapes: dict[tuple[int, str], Places] = {}
        for figures, places in self.numbers.items():
            length = len(figures)
            for place in places:
                end = place + length
                shape = length, text[end : end + 2]
                if shape in shapes:
                    shapes[shape].append(place)
                else:
                    shapes[shape] = as_places((place,))
        return {
            shape: as_places(sorted(places)) if len(places) > 1 else places
            for shape, places in shapes.items()
        }

    @lazy
    def codes(self) -> list[int]:
        """Where a few capitals begin that a digit follows: K1A, SW10, GB29."""
        return [match.start() for match in _CODE.finditer(self.text)]

    @lazy
    def lines(self) -> list[int]:
        """Where each line begins."""
        return [0, *(match.end() for match in _LINE_END.finditer(self.text))]

    @lazy
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

    def count(self, run: str) -> int:
        """How often a word in lower case, or a number, occurs."""
        return len((self.numbers if run.isdecimal() else self.words).get(run, ()))

    def beginnings(self, symbols: Iterable[str]) -> list[int]:
        """Where any of some words in lower case, numbers and single signs begins, in order."""
        places: list[int] = []
        signs: list[str] = []
        for symbol in symbols:
            if not symbol.isalnum():
                signs.append(symbol)
            else:
                places += (self.numbers if symbol.isdecimal() else self.words).get(symbol, ())
        if signs:
            anywhere = re.compile(f"[{''.join(map(re.escape, signs))}]")
            places += (match.start() for match in anywhere.finditer(self.text))
        places.sort()
        return places

    def once(self, work: Callable[[NoteIndex], Answer]) -> Answer:
        """The answer of `work`, which several rules ask for, worked out the first time."""
        answers = self._answers
        if work in answers:
            known: Answer = answers[work]
            return known
        answer = answers[work] = work(self)
        return answer


def _without_marks(text: str) -> str:
    """Blanks for dashes, quotes and signs beyond ASCII, which are no letters, if they are few."""
    if text.isascii():
        return text
    marks = [mark for mark in set(_BEYOND_ASCII.findall(text)) if not _WORD.match(mark)]
    for mark in marks if len(marks) <= MOST_MARKS else ():
        text = text.replace(mark, " ")
    return text


def _located(text: str) -> dict[str, Places]:
    """The words of a text in ASCII, and where they begin; twice as fast as by their pattern.

    Portion by portion, so that the words of a long text are not all in memory.
    """
    places: dict[str, Places] = {}
    letters = text.translate(_LETTERS)
    begin = 0
    while begin < len(letters):
        end = letters.find(" ", begin + PORTION)
        end = len(letters) if end < 0 else end
        place = begin
        for word in letters[begin:end].split(" "):
            if word in places:
                places[word].append(place)
            elif word:
                places[word] = as_places((place,))
            place += len(word) + 1
        begin = end + 1
    return places


def _by_text(matches: Iterable[re.Match[str]]) -> dict[str, Places]:
    """Where each text that was matched begins."""
    places: dict[str, Places] = {}
    for match in matches:
        text, place = match[0], match.start()
        if text in places:
            places[text].append(place)
        else:
            places[text] = as_places((place,))
    return places
