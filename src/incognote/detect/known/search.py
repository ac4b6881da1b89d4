"""All values of a row looked for together: in one pass, whatever their number and length.

A value is a sequence of symbols. Where it stands is told by an automaton of all of them; what must
be before and after it, by its own `Check`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from incognote.detect.note_index import NoteIndex, lazy
from incognote.detect.sequences import Automaton, Stream

Found = tuple[int, int, str]
Place = tuple[int, int]

Check = Callable[[str, int, int, int], Place | None]
"""The place of a mention in a text, given where its symbols start and end, and the place that it
may not begin before; None if what stands around says that it is none.
"""


class Notation(NamedTuple):
    """How values of one kind are written: as symbols of a stream.

    `beginnings` gives the places in a note, in order, where one of some symbols may be.
    """

    stream: Stream
    beginnings: Callable[[NoteIndex, Iterable[str]], list[int]]


class Sought(NamedTuple):
    """A value: the type that its mentions get, how it is written, its symbols, and its check."""

    type: str
    notation: Notation
    symbols: tuple[str, ...]
    check: Check


class Search:
    """Finds values of one notation."""

    def __init__(self, notation: Notation, values: Iterable[Sought]) -> None:
        self._notation = notation
        self._values: dict[tuple[str, ...], list[Sought]] = {}
        for value in values:
            self._values.setdefault(value.symbols, []).append(value)

    @lazy
    def _automaton(self) -> Automaton:
        return Automaton(self._values)

    @lazy
    def _alike(self) -> list[list[Sought]]:
        return list(self._values.values())

    def find(self, note: NoteIndex) -> Iterator[Found]:
        """Every mention; two of one value never overlap."""
        reached: dict[int, int] = {}
        stream, beginnings = self._notation
        places = beginnings(note, self._automaton.firsts)
        for number, start, end in self._automaton.find(note.text, stream, places):
            for value in self._alike[number]:
                before = reached.get(id(value), 0)
                place = value.check(note.text, start, end, before) if start >= before else None
                if place is not None:
                    reached[id(value)] = place[1]
                    yield *place, value.type


def searches(values: Iterable[Sought]) -> list[Search]:
    """One search for all values of a notation."""
    by_notation: dict[Notation, list[Sought]] = {}
    for value in dict.fromkeys(values):
        by_notation.setdefault(value.notation, []).append(value)
    return [Search(notation, some) for notation, some in by_notation.items()]


@lru_cache(maxsize=20_000)
def folded(run: str) -> str:
    """What spellings of a run in capitals and small letters share."""
    return run.lower() if run.isascii() else run.casefold().replace("ı", "i").replace("\u0307", "")


def beginnings(note: NoteIndex, symbols: Iterable[str]) -> list[int]:
    """Where words, numbers and signs begin that count as one of the symbols."""
    firsts = set(symbols)
    firsts |= {word for word in note.accented if folded(word) in firsts}
    return note.beginnings(firsts)


WRITTEN = Notation(
    Stream(
        re.compile(r"[^\W\d_]+|\d+|\s+|.", re.DOTALL),
        lambda run: " " if run.isspace() else folded(run),
    ),
    beginnings,
)
"""Words, numbers and signs as they stand, in any case, with any blanks between them."""


def as_written(type: str, value: str, check: Check | None = None) -> Sought:
    """The value itself; unless there is another check, with nothing glued to it."""
    return Sought(type, WRITTEN, WRITTEN.stream.symbols(value), check or _whole)


def _whole(text: str, start: int, end: int, _: int) -> Place | None:
    glued = _is_word(text[start - 1 : start]) or _is_word(text[end : end + 1])
    return None if glued else (start, end)


def _is_word(character: str) -> bool:
    """Whether it may be part of a word, as in regular expressions."""
    return character.isalnum() or character == "_"
