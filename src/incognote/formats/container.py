"""What every format offers: a source of records, a sink for them, and what it can hold.

A file holds records; a record holds one or more documents (a note, or the text columns of a row)
and the raw material around them, which goes through untouched.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from incognote.document import Document


class FormatError(ValueError):
    """Input that a format cannot read, or a text that it cannot hold.

    One sentence that names the place and never quotes the note. `place` is a line, row or byte.
    """

    def __init__(self, reason: str, place: str = "") -> None:
        self.reason = reason
        self.place = place
        super().__init__(f"{place}: {reason}" if place else reason)


@dataclass(frozen=True)
class Fields:
    """Which fields of a table hold what. Formats that are not tables ignore it."""

    text: tuple[str, ...] = ()
    id: str | None = None
    patient: str | None = None
    known: Mapping[str, str] = field(default_factory=dict)
    """From the name of a field to the PHI type of its value."""


@dataclass(frozen=True)
class Record:
    """A unit that is written or refused as a whole: one file, one line, one row."""

    documents: tuple[Document, ...]
    place: str = ""
    raw: Any = field(default=None, repr=False)


@dataclass(frozen=True)
class BadRecord:
    """A record that could not be read; the reader goes on after it."""

    error: FormatError


class Source(Protocol):
    """An opened file."""

    def records(self, skip: int = 0) -> Iterator[Record | BadRecord]:
        """The records in order; with `skip`, from that record on. Memory stays flat."""
        ...

    def close(self) -> None: ...


class Sink(Protocol):
    """A file being written. It appears under its name only on `close`.

    `write` takes a record of the source and its documents after replacement: their text is what
    is to be written, their spans index that text.
    """

    def write(self, record: Record, documents: tuple[Document, ...]) -> None: ...

    def checkpoint(self) -> Mapping[str, int]:
        """Make all that was written durable; what it returns lets `Format.sink` continue."""
        ...

    def close(self) -> None: ...

    def abort(self) -> None:
        """Stop; leave nothing behind."""
        ...


class Format(Protocol):
    """One file format."""

    name: str
    extensions: tuple[str, ...]
    table: bool
    """Whether one file holds many notes."""

    def sniff(self, path: Path, head: bytes) -> bool:
        """Whether a file with this name and beginning is likely of this format."""
        ...

    def problem(self, document: Document) -> str | None:
        """Why the format cannot hold this document, naming the character; None if it can."""
        ...

    def open(self, path: Path, fields: Fields) -> Source: ...

    def sink(
        self, path: Path, source: Source, resume: Mapping[str, int] | None = None
    ) -> Sink: ...

    def write(self, documents: Iterator[Document], path: Path) -> None:
        """Write documents to a new file, or a new folder for formats of one note a file."""
        ...
