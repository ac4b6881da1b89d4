"""Every problem of a corpus, each with its file and place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from incognote.corpus.checks import Finding, Level, check
from incognote.corpus.problem import Problem
from incognote.corpus.reading import CorpusError, Source
from incognote.document import Document
from incognote.formats import BadRecord, BadSpansError, FormatError, read_records
from incognote.phi import TYPES, VIEWS

SCHEMES: dict[str, frozenset[str] | None] = {
    "i2b2": frozenset(TYPES),
    **{name: view.labels for name, view in VIEWS.items()},
    "any": None,
}
"""Which types a corpus may have; None: any."""


class Validation:
    """A look through corpora; the counts fill as `problems` is taken.

    `types` names the scheme; `consistency` looks for words marked in one place of a note and not
    in another; `show_text` puts what a problem is about into it.
    """

    def __init__(
        self, types: str = "i2b2", *, consistency: bool = False, show_text: bool = False
    ) -> None:
        if types not in SCHEMES:
            raise CorpusError(f"--types {types}: choose one of {', '.join(SCHEMES)}")
        self.scheme = types
        self._types = SCHEMES[types]
        self._consistency = consistency
        self._show_text = show_text
        self.files = self.notes = self.spans = 0
        self.found: Counter[tuple[Level, str]] = Counter()
        """Problems by level and kind."""
        self.unknown: Counter[str] = Counter()
        """Spans whose type is outside the scheme, by type."""

    def count(self, level: Level) -> int:
        """Problems of a level."""
        return sum(count for (own, _), count in self.found.items() if own == level)

    def advice(self) -> str | None:
        """What to try where types were unknown: the scheme that knows most of them, or any."""
        if not self.unknown:
            return None
        known = {
            name: sum(count for type, count in self.unknown.items() if type in types)
            for name, types in SCHEMES.items()
            if types is not None
        }
        best = max(known, key=lambda name: known[name])
        if known[best] < self.unknown.total():
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
        self.found[finding.level, finding.kind] += 1
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
