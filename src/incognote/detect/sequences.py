"""Many sequences looked for at once, in one pass over a text, whatever their number and length.

Aho and Corasick's automaton (1975): a trie of all sequences, in which every node knows where to go
on when the next symbol is another one. A symbol is a word, a number or a sign. The time is that of
the text and of what is found in it.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

_NONE = -1
_ROOT = 0


class Occurrence(NamedTuple):
    """Which of the sequences, and from where to where in the text."""

    number: int
    start: int
    end: int


class Stream(NamedTuple):
    """How a text is read as symbols: the pattern of one, and what it counts as.

    Where the pattern does not match, no sequence goes on. A symbol begins where the first group
    does, or the whole match if there is none.
    """

    pattern: re.Pattern[str]
    symbol: Callable[[str], str]

    def symbols(self, text: str) -> tuple[str, ...]:
        """All symbols of a text."""
        group = self.pattern.groups and 1
        return tuple(self.symbol(match[group]) for match in self.pattern.finditer(text))


class Automaton:
    """Finds where sequences of symbols stand, the longest first where several end together."""

    def __init__(self, sequences: Iterable[Sequence[str]]) -> None:
        """Of equal sequences the first counts; one without symbols stands nowhere."""
        self._following: list[dict[str, int] | None] = [{}]
        self._number = array("q", [_NONE])
        self._depth = array("q", [0])
        for number, sequence in enumerate(sequences):
            self._add(number, sequence)
        self._shorter = array("q", [_ROOT]) * len(self._following)
        self._ending = array("q", [_ROOT]) * len(self._following)
        self._link()

    def _add(self, number: int, sequence: Sequence[str]) -> None:
        node = _ROOT
        for symbol in sequence:
            following = self._following[node]
            if following is None:
                following = self._following[node] = {}
            after = following.get(symbol)
            if after is None:
                after = following[symbol] = len(self._following)
                self._following.append(None)
                self._number.append(_NONE)
                self._depth.append(self._depth[node] + 1)
            node = after
        if node and self._number[node] == _NONE:
            self._number[node] = number

    def _link(self) -> None:
        """For each node the longest shorter one that its end is, and the nearest that is whole."""
        level = [_ROOT]
        while level:
            below: list[int] = []
            for node in level:
                for symbol, after in (self._following[node] or {}).items():
                    shorter = self.step(self._shorter[node], symbol) if node else _ROOT
                    self._shorter[after] = shorter
                    whole = self._number[shorter] != _NONE
                    self._ending[after] = shorter if whole else self._ending[shorter]
                    below.append(after)
            level = below

    @property
    def firsts(self) -> Iterable[str]:
        """The symbols that sequences begin with."""
        return (self._following[_ROOT] or {}).keys()

    def step(self, node: int, symbol: str) -> int:
        """The node after one more symbol."""
        while True:
            following = self._following[node]
            if following is not None and symbol in following:
                return following[symbol]
            if node == _ROOT:
                return _ROOT
            node = self._shorter[node]

    def ends(self, node: int) -> Iterator[tuple[int, int]]:
        """The sequences that end at a node, and how many symbols each has."""
        if self._number[node] == _NONE:
            node = self._ending[node]
        while node:
            yield self._number[node], self._depth[node]
            node = self._ending[node]

    def find(self, text: str, stream: Stream, places: Iterable[int]) -> Iterator[Occurrence]:
        """Where sequences stand that begin at one of the places, which are in order.

        What lies between the places is not read, unless a sequence goes on there.
        """
        read, symbol_of = stream.pattern.match, stream.symbol
        group = stream.pattern.groups and 1
        reached = 0
        for place in places:
            if place < reached:
                continue
            node, starts = _ROOT, array("q")
            reached = place
            while match := read(text, reached):
                node = self.step(node, symbol_of(match[group]))
                reached = match.end()
                if node == _ROOT:
                    break
                starts.append(match.start(group))
                if self._number[node] != _NONE or self._ending[node]:
                    for number, size in self.ends(node):
                        yield Occurrence(number, starts[-size], reached)
