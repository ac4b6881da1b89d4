"""Regular expressions that are compiled when first needed and tried only where they may match.

The rules have some hundreds of patterns. Compiling them all takes a second, and trying each at
every character most of the time; a note needs few of them, in few places.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import cache, cached_property

from incognote.detect.first_words import first_words
from incognote.detect.reading import Reading

Matcher = Callable[..., re.Match[str] | None]


class Pattern:
    """Stands for `re.compile(source, flags)`. Each method is looked up once and then kept.

    `needs` are words without one of which nothing matches.
    """

    def __init__(self, source: str, flags: int = 0, *, needs: Set[str] = frozenset()) -> None:
        self.source = source
        self.flags = flags
        self.needs = needs

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The regular expression itself."""
        return re.compile(self.source, self.flags)

    @cached_property
    def match(self) -> Matcher:
        """Tries at one place."""
        return self.compiled.match

    @cached_property
    def fullmatch(self) -> Matcher:
        """Tries to match all of a stretch."""
        return self.compiled.fullmatch

    @cached_property
    def search(self) -> Matcher:
        """Looks for the first place."""
        return self.compiled.search

    @cached_property
    def finditer(self) -> Callable[..., Iterator[re.Match[str]]]:
        """Looks at every place."""
        return self.compiled.finditer

    @cached_property
    def findall(self) -> Callable[..., list[str]]:
        """The texts of all matches, for a pattern without groups."""
        return self.compiled.findall

    def find(self, note: Reading) -> Iterator[re.Match[str]]:
        """The matches in a note, one after the other."""
        if self.needs and not note.has(self.needs):
            return iter(())
        return self._find(note)

    def _find(self, note: Reading) -> Iterator[re.Match[str]]:
        return self.finditer(note.text)

    def at(self, text: str, places: Sequence[int]) -> Iterator[re.Match[str]]:
        """What `finditer` finds when each match begins at one of the places."""
        reached = 0
        for place in places:
            if place >= reached and (match := self.match(text, place)):
                reached = match.end()
                yield match


class WordPattern(Pattern):
    """A pattern whose matches begin with one of a number of words.

    The words are read out of the source where they are not given. With `small` it is tried in the
    text in lower case.
    """

    def __init__(
        self, source: str, flags: int = 0, *, words: Set[str] | None = None, small: bool = False
    ) -> None:
        super().__init__(source, flags)
        self.small = small
        if words is not None:
            self.words = words
        _WORD_PATTERNS.append(self)

    @cached_property
    def words(self) -> Set[str]:
        """The words that it may begin with."""
        return first_words(self.source)

    def places(self, note: Reading) -> Sequence[int]:
        """Where in a note it may begin."""
        return note.once(_places).get(self, ())

    def find(self, note: Reading) -> Iterator[re.Match[str]]:
        places = self.places(note)
        return self.at(note.small if self.small else note.text, places) if places else iter(())


_WORD_PATTERNS: list[WordPattern] = []


@cache
def _by_word(patterns: int) -> dict[str, list[WordPattern]]:
    """Which of so many patterns a word may begin: one look at each word, whatever their number."""
    index: dict[str, list[WordPattern]] = {}
    for pattern in _WORD_PATTERNS[:patterns]:
        for word in pattern.words:
            index.setdefault(word, []).append(pattern)
    return index


def _places(note: Reading) -> dict[WordPattern, list[int]]:
    """Where in a note each pattern may begin."""
    index = _by_word(len(_WORD_PATTERNS))
    places: dict[WordPattern, list[int]] = {}
    for word, found in note.words.items():
        for pattern in index.get(word, ()):
            places.setdefault(pattern, []).extend(found)
    for found in places.values():
        found.sort()
    return places


class FigurePattern(Pattern):
    """A pattern whose matches begin with the first digit of a number.

    Where it is known, `digits` says how many digits the number has, and `then` which characters
    may follow it.
    """

    def __init__(
        self,
        source: str,
        flags: int = 0,
        *,
        needs: Set[str] = frozenset(),
        digits: Iterable[int] = (),
        then: Iterable[str] = (),
    ) -> None:
        super().__init__(source, flags, needs=needs)
        self.digits = frozenset(digits)
        self.then = frozenset(then)

    def _find(self, note: Reading) -> Iterator[re.Match[str]]:
        return self.at(note.text, note.figures_of(self.digits, self.then))


class CodePattern(Pattern):
    """A pattern whose matches begin with one to four capitals and a digit after them."""

    def _find(self, note: Reading) -> Iterator[re.Match[str]]:
        return self.at(note.text, note.codes)


class LinePattern(Pattern):
    """A pattern whose matches begin where a line begins."""

    def _find(self, note: Reading) -> Iterator[re.Match[str]]:
        return self.at(note.text, note.lines)
