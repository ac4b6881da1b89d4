"""Regular expressions that are compiled when first needed and tried only where they may match.

The rules have some hundreds of patterns. Compiling them all takes a second, and trying each at
every character most of the time; a note needs few of them, in few places.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import cache, lru_cache
from typing import TypeAlias, TypeVar

from incognote.detect.first_words import first_words
from incognote.detect.note_index import NoteIndex, Places, as_places, lazy

Source = str | Callable[[], str]
AnyPattern = TypeVar("AnyPattern", bound="Pattern")
Matcher = Callable[..., re.Match[str] | None]


class Pattern:
    """Stands for `re.compile(source, flags)`. Each method is looked up once and then kept.

    A source that takes long to write down is given as a function. `needs` are words without one
    of which nothing matches; with `in_line`, a match never leaves the line of such a word.
    """

    def __init__(
        self,
        source: Source,
        flags: int = 0,
        *,
        needs: Set[str] = frozenset(),
        in_line: bool = False,
    ) -> None:
        self._source = source
        self.flags = flags
        self.needs = needs
        self.in_line = in_line

    @lazy
    def source(self) -> str:
        """The regular expression as it is written."""
        return self._source if isinstance(self._source, str) else self._source()

    @lazy
    def compiled(self) -> re.Pattern[str]:
        """The regular expression itself."""
        return re.compile(self.source, self.flags)

    @lazy
    def match(self) -> Matcher:
        """Tries at one place."""
        return self.compiled.match

    @lazy
    def fullmatch(self) -> Matcher:
        """Tries to match all of a stretch."""
        return self.compiled.fullmatch

    @lazy
    def search(self) -> Matcher:
        """Looks for the first place."""
        return self.compiled.search

    @lazy
    def finditer(self) -> Callable[..., Iterator[re.Match[str]]]:
        """Looks at every place."""
        return self.compiled.finditer

    @lazy
    def findall(self) -> Callable[..., list[str]]:
        """The texts of all matches, for a pattern without groups."""
        return self.compiled.findall

    def find(self, note: NoteIndex) -> Iterator[re.Match[str]]:
        """The matches in a note, one after the other."""
        if self.needs and not note.has(self.needs):
            return iter(())
        return self._find(note)

    def _find(self, note: NoteIndex) -> Iterator[re.Match[str]]:
        return self._find_in_lines(note) if self.in_line else self.finditer(note.text)

    def _find_in_lines(self, note: NoteIndex) -> Iterator[re.Match[str]]:
        text, reached = note.text, -1
        for place in note.at(self.needs):
            if place > reached:
                start, reached = text.rfind("\n", 0, place) + 1, text.find("\n", place)
                reached = len(text) if reached < 0 else reached
                yield from self.finditer(text, start, reached)

    def at(self, text: str, places: Sequence[int]) -> Iterator[re.Match[str]]:
        """What `finditer` finds when each match begins at one of the places."""
        match_at = self.match
        reached = 0
        for place in places:
            if place >= reached and (match := match_at(text, place)):
                reached = match.end()
                yield match


class WordPattern(Pattern):
    """A pattern whose matches begin with one of a number of words.

    The words are read out of the source where they are not given. With `small` it is tried in the
    text in lower case.
    """

    def __init__(
        self, source: Source, flags: int = 0, *, words: Set[str] | None = None, small: bool = False
    ) -> None:
        super().__init__(source, flags)
        self.small = small
        if words is not None:
            self.words = words
        _WORD_PATTERNS.append(self)

    @lazy
    def words(self) -> Set[str]:
        """The words that it may begin with."""
        return first_words(self.source)

    def places(self, note: NoteIndex) -> Sequence[int]:
        """Where in a note it may begin."""
        return note.once(_word_places).get(self, ())

    def find(self, note: NoteIndex) -> Iterator[re.Match[str]]:
        places = note.once(_word_places).get(self)
        if places is None:
            return iter(())
        return self.at(note.small if self.small else note.text, places)


class FigurePattern(Pattern):
    """A pattern whose matches begin with the first digit of a number.

    Where it is known, `digits` says how many digits the number has, and `then` is a pattern for
    the one or two characters after it. Both are asked of each shape of number once, not in each
    place.
    """

    def __init__(
        self,
        source: str,
        flags: int = 0,
        *,
        needs: Set[str] = frozenset(),
        digits: Iterable[int] = (),
        then: str = "",
    ) -> None:
        super().__init__(source, flags, needs=needs)
        self.digits = frozenset(digits)
        self.then = Pattern(then)
        _FIGURE_PATTERNS.append(self)

    def accepts(self, length: int, following: str) -> bool:
        """Whether it may begin with a number of this length, with these characters after it."""
        if self.digits and length not in self.digits:
            return False
        return self.then.match(following) is not None

    def _find(self, note: NoteIndex) -> Iterator[re.Match[str]]:
        places = note.once(_figure_places).get(self)
        return self.at(note.text, places) if places else iter(())


class CodePattern(Pattern):
    """A pattern whose matches begin with one to four capitals and a digit after them."""

    def _find(self, note: NoteIndex) -> Iterator[re.Match[str]]:
        return self.at(note.text, note.codes)


class LinePattern(Pattern):
    """A pattern whose matches begin where a line begins; `first` may be its first characters."""

    def __init__(self, source: str, flags: int = 0, *, first: Iterable[str] = ()) -> None:
        super().__init__(source, flags)
        self.first = frozenset(first)

    def _find(self, note: NoteIndex) -> Iterator[re.Match[str]]:
        if not self.first:
            return self.at(note.text, note.lines)
        lines = note.lines_by_first
        return self.at(
            note.text, sorted(line for char in lines.keys() & self.first for line in lines[char])
        )


_WORD_PATTERNS: list[WordPattern] = []
_FIGURE_PATTERNS: list[FigurePattern] = []
"""All there are. Each word and each number of a note is looked up once, whatever their number."""


@cache
def _by_word(patterns: int) -> dict[str, list[WordPattern]]:
    """Which of so many patterns a word may begin."""
    index: dict[str, list[WordPattern]] = {}
    for pattern in _WORD_PATTERNS[:patterns]:
        for word in pattern.words:
            index.setdefault(word, []).append(pattern)
    return index


def _word_places(note: NoteIndex) -> dict[WordPattern, Places]:
    """Where in a note each pattern may begin."""
    index = _by_word(len(_WORD_PATTERNS))
    words = note.words
    return _gathered((words[word], index[word]) for word in note.vocabulary & index.keys())


@lru_cache(maxsize=20_000)
def _by_shape(length: int, following: str, patterns: int) -> tuple[FigurePattern, ...]:
    """Which of so many patterns a number may begin."""
    return tuple(
        pattern for pattern in _FIGURE_PATTERNS[:patterns] if pattern.accepts(length, following)
    )


def _figure_places(note: NoteIndex) -> dict[FigurePattern, Places]:
    patterns = len(_FIGURE_PATTERNS)
    return _gathered(
        (found, _by_shape(min(length, 20), following, patterns))
        for (length, following), found in note.shapes.items()
    )


def beginnings(note: NoteIndex) -> Set[Pattern]:
    """The patterns that may begin somewhere in a note, of those that know how they begin."""
    return note.once(_word_places).keys() | note.once(_figure_places).keys()


def _gathered(
    beginnings: Iterable[tuple[Places, Iterable[AnyPattern]]],
) -> dict[AnyPattern, Places]:
    """The places of each pattern in order; most have those of one word or shape only."""
    places: dict[AnyPattern, Places] = {}
    unordered: set[AnyPattern] = set()
    for found, patterns in beginnings:
        for pattern in patterns:
            if pattern in unordered:
                places[pattern].extend(found)
            elif pattern in places:
                places[pattern] = places[pattern] + found
                unordered.add(pattern)
            else:
                places[pattern] = found
    for pattern in unordered:
        places[pattern] = as_places(sorted(places[pattern]))
    return places


# How patterns are written: character classes, and many phrases as one pattern.

UPPER = "A-ZÀ-ÖØ-ÞĀĆČĐĒĞĦĪİŁŃŌŐŒŘŚŞŠŤŪŮŹŻŽ"
DASH = r"\-\u2010-\u2015\u2212"
"""Hyphen, the Unicode dashes and the minus sign."""

SPACE = r" \t\u00a0\u2007\u2009\u202f"
"""Blanks within a line. All three are for use inside a character class."""

BLANK = r"[ \t\xa0.]{1,3}+"
_PHRASE_END = ""
_FIRST_WORD = re.compile(r"[^\W\d_]+")

Node: TypeAlias = "dict[str, Node]"


def trie(phrases: Iterable[str], *, after: str = r"[^\W_]") -> str:
    """A pattern for any of the phrases, the longest first, in any case; it reads each letter once.

    A plain alternation tries every phrase; a trie leaves after the first letters. Cases are
    spelled out (`[Mm][Rr]`), which `re` handles faster than a flag.
    A space in a phrase is any blanks. The phrase may not stand after a character of `after`.
    """
    root: Node = {}
    for phrase in phrases:
        node = root
        for letter in phrase.lower():
            node = node.setdefault(letter, {})
        node[_PHRASE_END] = {}
    return f"(?<!{after})(?:{_trie_pattern(root)})"


def heads(phrases: Iterable[str]) -> frozenset[str]:
    """The words that the phrases begin with."""
    return frozenset(_FIRST_WORD.findall(phrase.lower())[0] for phrase in phrases)


def _any_case(letter: str) -> str:
    upper = letter.upper()
    return f"[{upper}{letter}]" if upper != letter and len(upper) == 1 else re.escape(letter)


def _trie_pattern(node: Node) -> str:
    branches = [
        (BLANK if letter == " " else _any_case(letter)) + _trie_pattern(child)
        for letter, child in node.items()
        if letter != _PHRASE_END
    ]
    if not branches:
        return ""
    body = branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})"
    return f"(?:{body})?" if _PHRASE_END in node else body
