"""The notes of a corpus, and what in it could not be read.

A corpus is a file or a folder. Its files are named in messages, because whoever mends a corpus must
know which; the text of a note never is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from incognote.base.errors import RunError
from incognote.base.messages import quantity
from incognote.document import Document
from incognote.formats import BadRecord, Fields, read_records
from incognote.formats.streams import readable
from incognote.phi import TYPES, VIEWS, View


class CorpusError(RunError):
    """Corpus work that cannot start or go on; one sentence for the user."""


@dataclass(frozen=True)
class Source:
    """A corpus as the user named it: where it is and how to read it."""

    path: Path
    format: str | None = None
    fields: Fields = Fields()  # noqa: RUF009 - frozen

    def __post_init__(self) -> None:
        if not self.path.exists():
            raise CorpusError(f"{self.path}: no such file or folder")


@dataclass(frozen=True)
class Failure:
    """Something that could not be read or written."""

    file: Path
    place: str
    reason: str

    def __str__(self) -> str:
        return ": ".join(filter(None, (readable(str(self.file)), self.place, self.reason)))


class RefusedError(CorpusError):
    """A corpus that cannot be read or held whole; `failures` has all reasons, nothing was written."""

    def __init__(self, failures: Sequence[Failure]) -> None:
        self.failures = failures
        super().__init__(f"{quantity(len(failures), 'error')} in the input; nothing was written")


def notes(source: Source, failures: list[Failure]) -> Iterator[Document]:
    """The documents that can be read; `failures` gets the rest."""
    for each in read_records(source.path, source.format, source.fields):
        if isinstance(each.record, BadRecord):
            error = each.record.error
            failures.append(Failure(each.path, error.place, error.reason))
        else:
            yield from each.record.documents


def view_named(name: str) -> View:
    """The view that `--map` names."""
    if name not in VIEWS:
        raise CorpusError(f"'{name}' is not a known scheme: choose one of {', '.join(VIEWS)}")
    return VIEWS[name]


def in_order(types: set[str]) -> list[str]:
    """Types as tables show them: ours in their own order, then others by the alphabet."""
    return [type for type in TYPES if type in types] + sorted(types - set(TYPES))
