"""What the rows of rule families are called, and which of them found a span.

A row is called after its parser, or after the constant that holds its pattern, as they stand in the
family's module: `_NUMBERED`, `titles.by_title`. A pattern without a name is called after the words
that it begins with. All of that is code: no note has a part in it.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cache
from types import ModuleType
from typing import NamedTuple

from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import WordPattern
from incognote.detect.rules import FAMILIES
from incognote.detect.rules.engine import Family, Finding, Parser, Rule
from incognote.document import Span

PACKAGE = "incognote.detect.rules"
WORDS_SHOWN = 3


class Row(NamedTuple):
    """A row of a family: its number from 1 (`1.4`: the fourth part of the first) and its name."""

    number: str
    name: str


def rows_of(family: Family, note: NoteIndex, span: Span) -> tuple[Row, ...]:
    """The rows that found a span of a family: this very one, or else what it was made of."""
    return note.once(_findings_by(family)).of(span)


class _RowFindings:
    """The findings of a family in a note before it chose between them, and the row of each."""

    def __init__(self, findings: Iterable[tuple[Row, Finding]]) -> None:
        self._by_start = sorted(findings, key=lambda item: item[1].start)
        self._longest = max(
            (finding.end - finding.start for _, finding in self._by_start), default=0
        )

    def of(self, span: Span) -> tuple[Row, ...]:
        """The rows of what is the span, or else shares a character with it."""
        first = bisect_left(
            self._by_start, span.start - self._longest, key=lambda item: item[1].start
        )
        exact, near = [], []
        for row, finding in self._by_start[first:]:
            if finding.start >= span.end:
                break
            if finding[:4] == (span.start, span.end, span.type, span.score):
                exact.append(row)
            elif finding.end > span.start:
                near.append(row)
        return tuple(dict.fromkeys(exact or near))


@cache
def _findings_by(family: Family) -> _Reading:
    return _Reading(family)


class _Reading:
    """Reads notes by one family, row by row; of each note an index remembers what it gave."""

    def __init__(self, family: Family) -> None:
        self._family = family

    def __call__(self, note: NoteIndex) -> _RowFindings:
        return _RowFindings(self._find(note))

    def _find(self, note: NoteIndex) -> Iterator[tuple[Row, Finding]]:
        family = self._family
        for number, rule in enumerate(family.rules, 1):
            shown: set[Finding] = set()
            for part, parser in enumerate(family.parts.get(rule, ()), 1):
                for finding in parser(note):
                    shown.add(finding)
                    yield Row(f"{number}.{part}", name_of(family, parser)), finding
            for finding in rule(note):
                if finding not in shown:
                    kind = f" ({finding.kind})" if finding.kind else ""
                    yield Row(str(number), name_of(family, rule) + kind), finding


@cache
def name_of(family: Family, parser: Parser) -> str:
    """What a row is called."""
    own = _module_of(family)
    if not isinstance(parser, Rule):
        name = parser.__qualname__.partition(".")[0]
        home = parser.__module__
        return name if own is None or home == own.__name__ else f"{_last(home)}.{name}"
    for module in ([own] if own else []) + _modules():
        for constant, value in vars(module).items():
            if value is parser or value is parser.pattern:
                return constant if module is own else f"{_last(module.__name__)}.{constant}"
    if isinstance(parser.pattern, WordPattern):
        words = sorted(parser.pattern.words)
        more = " …" if len(words) > WORDS_SHOWN else ""
        return f"begins with {', '.join(words[:WORDS_SHOWN])}{more}"
    return "unnamed"


def _modules() -> list[ModuleType]:
    return [sys.modules[name] for name in sorted(sys.modules) if name.startswith(PACKAGE)]


def _module_of(family: Family) -> ModuleType | None:
    """Where a family is declared."""
    if family not in FAMILIES:
        return None
    return next(
        (
            module
            for module in _modules()
            if module.__name__ != PACKAGE and family in vars(module).values()
        ),
        None,
    )


def _last(module: str) -> str:
    return module.rpartition(".")[2]
