"""Every problem of a corpus, each with its file and place.

Messages give places and types, never text, unless it is asked for.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from incognote.align.words import words
from incognote.corpus.source import CorpusError, Source
from incognote.document import Document, Span
from incognote.formats import BadRecord, BadSpansError, FormatError, read_records
from incognote.formats.encoding import character_name
from incognote.formats.streams import readable
from incognote.phi import TYPES, VIEWS

Level = Literal["error", "warning", "info"]
LEVELS: tuple[Level, ...] = get_args(Level)

_DECODED_WRONGLY = re.compile("[\ufffd\x80-\x84\x86-\x9f]")
_SHORTEST = 3
"""Letters and digits that a surface needs before its other occurrences mean anything."""
EXAMPLES = 3
"""Problems of one kind that are shown where all are not asked for."""
_MOST_TYPES = 5
_NUMBER = re.compile("[0-9]+")
_KINDS_WITH_REASON = ("unreadable", "offsets")
"""Kinds whose message says which of many things is wrong."""
SCHEMES: dict[str, frozenset[str] | None] = {
    "i2b2": frozenset(TYPES),
    **{name: view.labels for name, view in VIEWS.items()},
    "any": None,
}
"""Which types a corpus may have; None: any."""


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong, with the place in the note where it has one."""

    level: Level
    kind: str
    message: str
    start: int | None = None
    end: int | None = None
    type: str | None = None

    @classmethod
    def of(cls, span: Span, level: Level, kind: str, message: str) -> Finding:
        """A finding about a span."""
        return cls(level, kind, message, span.start, span.end, span.type)


@dataclass(frozen=True)
class Problem:
    """A finding, with its file and the place of its note in that file."""

    file: Path
    place: str
    finding: Finding
    line: int | None = None
    """The line in the note."""
    text: str | None = field(default=None, repr=False)
    """What the finding is about, only if it was asked for."""

    def __str__(self) -> str:
        finding = self.finding
        span = "" if finding.start is None else f"{finding.start}-{finding.end}"
        line = "" if self.line is None else f"(line {self.line} of the note)"
        where = " ".join(filter(None, (span, finding.type, line)))
        text = "" if self.text is None else f" {self.text!r}"
        parts = (
            readable(str(self.file)),
            self.place,
            where,
            f"{finding.level}: {finding.message}{text}",
        )
        return ": ".join(filter(None, parts))

    def to_json(self) -> dict[str, Any]:
        """As an object; fields that do not apply are left out."""
        finding = self.finding
        fields = {
            "file": readable(str(self.file)),
            "place": self.place or None,
            "level": finding.level,
            "kind": finding.kind,
            "start": finding.start,
            "end": finding.end,
            "type": finding.type,
            "line": self.line,
            "message": finding.message,
            "text": self.text,
        }
        return {name: value for name, value in fields.items() if value is not None}


class Validation:
    """Checks corpora; the counts fill while `problems` is iterated.

    `types` names the scheme, beside which a site has `own_types`; `consistency` looks for words marked in one place of a note and not
    in another; `show_text` puts what a problem is about into it.
    """

    def __init__(
        self,
        types: str = "i2b2",
        *,
        own_types: frozenset[str] = frozenset(),
        consistency: bool = False,
        show_text: bool = False,
    ) -> None:
        if types not in SCHEMES:
            raise CorpusError(f"--types {types}: choose one of {', '.join(SCHEMES)}")
        self.scheme = types
        known = SCHEMES[types]
        self._types = None if known is None else known | own_types
        self._consistency = consistency
        self._show_text = show_text
        self.files = self.notes = self.spans = 0
        self.counts: Counter[tuple[Level, str]] = Counter()
        """Problems by level and kind."""
        self.unknown: Counter[str] = Counter()
        """Spans whose type is outside the scheme, by type."""

    def count(self, level: Level) -> int:
        """Problems of a level."""
        return sum(count for (own, _), count in self.counts.items() if own == level)

    def advice(self) -> str | None:
        """What to try where types were unknown: the scheme that knows most of them, or any."""
        if not self.unknown:
            return None
        matches = {
            name: sum(count for type, count in self.unknown.items() if type in types)
            for name, types in SCHEMES.items()
            if types is not None
        }
        best = max(matches, key=lambda name: matches[name])
        if matches[best] < self.unknown.total():
            return f"some types are not of {self.scheme}: for a scheme of its own, --types any"
        renaming = f"; to rename them to ours: corpus convert --map {best}" if best in VIEWS else ""
        return f"the unknown types are all of {best}: --types {best}{renaming}"

    def problems(self, source: Source) -> Iterator[Problem]:
        """The problems of a corpus as they are met; none hides another."""
        first_file: dict[str, Path] = {}
        last: Path | None = None
        for each in read_records(source.path, source.format, source.fields):
            self.files += each.path != last
            last = each.path
            if isinstance(each.record, BadRecord):
                yield from self._bad(each.path, each.record.error)
                continue
            for document in each.record.documents:
                if document.id in first_file:
                    message = f"the id occurred before, in {first_file[document.id]}"
                    finding = Finding("error", "duplicate-id", message)
                    yield self._problem(each.path, each.record.place, document, finding)
                first_file.setdefault(document.id, each.path)
                yield from self._note(each.path, each.record.place, document)

    def _bad(self, path: Path, error: FormatError) -> Iterator[Problem]:
        if not isinstance(error, BadSpansError):
            yield self._problem(path, error.place, None, _finding("unreadable", error))
            return
        for each in error.errors:
            yield self._problem(path, each.place, None, _finding("offsets", each))
        self.spans += len(error.errors)
        yield from self._note(path, "", error.document)

    def _note(self, path: Path, place: str, document: Document) -> Iterator[Problem]:
        self.notes += 1
        self.spans += len(document.spans)
        for finding in check(document, self._types, consistency=self._consistency):
            yield self._problem(path, place, document, finding)

    def _problem(
        self, path: Path, place: str, document: Document | None, finding: Finding
    ) -> Problem:
        self.counts[finding.level, finding.kind] += 1
        if finding.kind == "unknown-type":
            self.unknown[str(finding.type)] += 1
        if document is None or finding.start is None:
            return Problem(path, place, finding)
        line = document.text.count("\n", 0, finding.start) + 1
        text = document.text[finding.start : finding.end] if self._show_text else None
        return Problem(path, place, finding, line, text)


def _finding(kind: str, error: FormatError) -> Finding:
    return Finding("error", kind, error.reason)


def all_problems(validation: Validation, sources: Iterable[Source]) -> Iterator[Problem]:
    """The problems of several corpora."""
    for source in sources:
        yield from validation.problems(source)


def check(
    document: Document, types: frozenset[str] | None, *, consistency: bool = False
) -> Iterator[Finding]:
    """Everything that is wrong with a note; `types` are those allowed, None for any."""
    yield from _characters(document)
    for span in document.spans:
        if span.start == span.end:
            yield Finding.of(span, "error", "empty", "the span has no characters")
        elif span.text != span.text.strip():
            yield Finding.of(span, "warning", "space", "the span begins or ends with white space")
        if types is not None and span.type not in types:
            yield Finding.of(span, "error", "unknown-type", "the type is not one of the scheme")
    yield from _overlaps(document)
    yield from _cut_words(document)
    if consistency:
        yield from _unmarked(document)
        yield from _two_types(document)


def _characters(document: Document) -> Iterator[Finding]:
    for match in _DECODED_WRONGLY.finditer(document.text):
        what = character_name(match[0], match.start())
        message = f"{what} tells of a text decoded wrongly before"
        yield Finding("warning", "encoding", message, match.start(), match.end())


def _overlaps(document: Document) -> Iterator[Finding]:
    """Spans that repeat or overlap an earlier one; empty ones overlap nothing."""
    places: set[tuple[int, int, str]] = set()
    reach: Span | None = None
    for span in document.spans:
        place = (span.start, span.end, span.type)
        if place in places:
            yield Finding.of(span, "error", "duplicate-span", "the span occurs twice")
        elif reach is not None and span.overlaps(reach):
            other = f"{reach.start}-{reach.end} {reach.type}"
            yield Finding.of(span, "error", "overlap", f"the span overlaps {other}")
        places.add(place)
        if reach is None or span.end > reach.end:
            reach = span


def _cut_words(document: Document) -> Iterator[Finding]:
    pieces = words(document.text)
    starts = [start for start, _ in pieces]

    def inside(position: int) -> bool:
        at = bisect_right(starts, position) - 1
        return at >= 0 and starts[at] < position < pieces[at][1]

    for span in document.spans:
        if inside(span.start) or inside(span.end):
            yield Finding.of(span, "info", "cut-word", "the span begins or ends inside a word")


def _surfaces(document: Document) -> dict[str, set[str]]:
    """The texts that are marked in a note, each with its types."""
    surfaces: defaultdict[str, set[str]] = defaultdict(set)
    for span in document.spans:
        if sum(map(str.isalnum, span.text)) >= _SHORTEST:
            surfaces[span.text].add(span.type)
    return surfaces


def _unmarked(document: Document) -> Iterator[Finding]:
    """What is marked in one place and not in another, where it may also be in capitals."""
    surfaces = _surfaces(document)
    forms = {form: surface for surface in surfaces for form in (surface, surface.upper())}
    if not forms:
        return
    longest_first = sorted(forms, key=lambda form: (-len(form), form))
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")
    marks = bytearray(len(document.text))
    for span in document.spans:
        marks[span.start : span.end] = b"\1" * len(span)
    for match in pattern.finditer(document.text):
        if not any(marks[match.start() : match.end()]):
            type = "/".join(sorted(surfaces[forms[match[0]]]))
            message = "the same words are marked elsewhere in the note"
            yield Finding("warning", "unmarked", message, match.start(), match.end(), type)


def _two_types(document: Document) -> Iterator[Finding]:
    surfaces = _surfaces(document)
    for span in document.spans:
        others = surfaces.get(span.text, set()) - {span.type}
        if others:
            message = f"the same words are {', '.join(sorted(others))} elsewhere in the note"
            yield Finding.of(span, "info", "two-types", message)


@dataclass
class ProblemGroup:
    """Problems of one kind: the first of them, and what is known of the rest."""

    examples: list[Problem] = field(default_factory=list)
    count: int = 0
    files: set[Path] = field(default_factory=set)
    types: Counter[str] = field(default_factory=Counter)

    def add(self, problem: Problem) -> None:
        """Count one more, and keep it if it is among the first."""
        self.count += 1
        self.files.add(problem.file)
        if problem.finding.type is not None:
            self.types[problem.finding.type] += 1
        if len(self.examples) < EXAMPLES:
            self.examples.append(problem)

    def lines(self) -> Iterator[str]:
        """A line for each example, and one for all others."""
        yield from map(str, self.examples)
        if more := self.count - len(self.examples):
            finding = self.examples[0].finding
            where = f" in {len(self.files):,} files" if len(self.files) > 1 else ""
            yield (
                f"… and {more:,} more of this kind ({finding.level}, {finding.kind}); "
                f"{self.count:,} in all{where}{self._types()}"
            )

    def _types(self) -> str:
        if not self.types:
            return ""
        counts = [f"{type} {count:,}" for type, count in self.types.most_common(_MOST_TYPES)]
        others = len(self.types) - len(counts)
        return f": {', '.join(counts)}{f' and {others} other types' if others else ''}"


class ProblemGroups:
    """All problems by kind, in memory that does not grow with their number."""

    def __init__(self) -> None:
        self._groups: dict[tuple[int, str, str], ProblemGroup] = {}

    def add(self, problem: Problem) -> None:
        """Put a problem with its kind."""
        finding = problem.finding
        reason = _NUMBER.sub("0", finding.message) if finding.kind in _KINDS_WITH_REASON else ""
        key = (LEVELS.index(finding.level), finding.kind, reason)
        self._groups.setdefault(key, ProblemGroup()).add(problem)

    def __iter__(self) -> Iterator[ProblemGroup]:
        """Errors first; within a level as they were met."""
        return (self._groups[key] for key in sorted(self._groups, key=lambda key: key[0]))

    @property
    def shortened(self) -> bool:
        """Whether some problems are counted only."""
        return any(group.count > len(group.examples) for group in self)
