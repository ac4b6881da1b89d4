"""What every format offers: a source of records, a sink for them, and what it can hold.

A file holds records; a record holds the documents to be worked on (a note, or the text columns of
a row) and the raw material around them, which goes through untouched.

How the caller moves a file through::

    source = format.open(path, fields)
    sink = format.sink(temporary, source)
    for record in source.records():  # may raise FormatError: the file is unreadable
        if isinstance(record, BadRecord):
            ...  # report it and go on; it is not written
        else:
            sink.write(record, new_documents)  # may raise FormatError: that record is refused
    sink.close()  # then rename `temporary` and its companions
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from incognote.document import Document
from incognote.formats.fields import Fields
from incognote.formats.format_error import FormatError


@dataclass(frozen=True)
class Column:
    """A column of a table that is copied, or one field within it, with its first values.

    `name` is safe to show: a column whose name may be data is named by its number. `is_date` where
    the table itself says so. `within` is the field, where values have fields: JSON, structs.
    """

    key: str = field(repr=False)
    name: str
    values: tuple[str, ...] = field(repr=False)
    is_date: bool = False
    within: str = field(default="", repr=False)
    number: int = 0


@dataclass(frozen=True)
class CopiedColumns:
    """The columns of a table that are copied, how many rows were read for their values, and the
    names of all columns there.
    """

    columns: list[Column]
    rows: int
    names: frozenset[str] = field(repr=False)


@dataclass(frozen=True)
class Record:
    """A unit that is written or refused as a whole: one file, one line, one row.

    It may have no documents (the header of a table, a blank line, a row whose text is null): it
    is then written all the same, with `()`. `raw` is the format's own, and can be pickled.
    """

    documents: tuple[Document, ...]
    place: str = ""
    raw: Any = field(default=None, repr=False)
    has_own_ids: bool = False
    """Whether the ids were in the data; else they are the file's name or the row's number."""
    frame: bool = False
    """Whether it belongs to the file as a whole, as a header does: each part of a split has it."""
    marks: bool = True
    """Whether the spans of its documents are written too, where the format has a place for them."""

    @property
    def notes(self) -> tuple[Document, ...]:
        """The documents that are notes, not values of columns."""
        return tuple(document for document in self.documents if document.value_type is None)


@dataclass(frozen=True)
class BadRecord:
    """A record that could not be read; the reader goes on after it."""

    error: FormatError


class Source(Protocol):
    """An opened file."""

    def records(self, skip: int = 0) -> Iterator[Record | BadRecord]:
        """The records in order, in flat memory; with `skip`, from that one on.

        `skip` counts all that an earlier call yielded: bad records and those without documents
        too. A FormatError raised here, not yielded, means that the rest of the file is unreadable
        and what was written of it must not be kept.
        """
        ...

    def close(self) -> None: ...


class Sink(Protocol):
    """A file being written at the path it was given.

    The caller gives a temporary path in the folder of the final one and renames it, and each of
    `Format.companions`, after `close`. The temporary name ends like the final one (`.csv.gz`),
    or so with one more suffix (`.csv.gz.part`).
    """

    def write(self, record: Record, documents: tuple[Document, ...]) -> None:
        """Write a record of the source with its documents after replacement.

        Their text is what is to be written, their spans index that text and mark all that was
        replaced; where text was removed, a span of no characters stands. Such empty spans are
        not written to the file. A document equal to the record's comes out as its bytes were.
        FormatError: the format cannot hold it; nothing of this record was written, and the sink
        can go on. OSError (a full disk): call `abort`.
        """
        ...

    def checkpoint(self) -> Mapping[str, int]:
        """Make all that was written durable; what it returns lets `Format.sink` continue.

        It says what was written, not what was read: the caller keeps its own count of the records
        it took from the source, for `skip`.
        """
        ...

    def close(self) -> None: ...

    def abort(self) -> None:
        """Stop and remove what was written. After `close`, or a second time, it does nothing."""
        ...

    def release(self) -> None:
        """Stop and keep what was written, at least as far as the last checkpoint; raises nothing.

        After `close` or `abort`, or a second time, it does nothing.
        """
        ...


@runtime_checkable
class Table(Protocol):
    """A format whose records have columns beside their notes, which are copied as they are."""

    def other_columns(
        self, path: Path, fields: Fields, values: int, rows: int | None = None
    ) -> CopiedColumns:
        """The columns that are copied, with so many of their first values, wherever they are; with
        `rows`, in so many of the first rows.
        """
        ...

    def written(self, record: Record, documents: tuple[Document, ...]) -> tuple[Document, ...]:
        """The documents of a record after replacement as the file will hold them.

        In a column of numbers "90+" is 90, and what is no number is nothing: a null.
        """
        ...


class Format(Protocol):
    """One file format."""

    @property
    def name(self) -> str: ...

    @property
    def extensions(self) -> tuple[str, ...]:
        """With their dot, in lower case, without `.gz`; the first is the one written."""
        ...

    @property
    def table(self) -> bool:
        """Whether one file holds many notes."""
        ...

    @property
    def holds_spans(self) -> bool:
        """Whether spans can be read back; else the format holds the texts alone."""
        ...

    @property
    def gzip(self) -> bool:
        """Whether new files may be written through gzip."""
        ...

    def sniff(self, path: Path, head: bytes) -> bool:
        """Whether a file with this name and beginning (after gunzip) is likely of this format."""
        ...

    def companions(self, path: Path) -> tuple[Path, ...]:
        """The other files that a note at this path has: for brat the `.ann` of a `.txt`."""
        ...

    def notes_beside(self, name: str) -> tuple[str, ...]:
        """The reverse of `companions`: what the note may be called that a file belongs to."""
        ...

    def holds_patient(self, document: Document) -> bool:
        """Whether the patient of this document can be read back."""
        ...

    def problem(self, document: Document) -> str | None:
        """Why the format cannot hold this document, naming the character; None if it can."""
        ...

    def open(self, path: Path, fields: Fields) -> Source: ...

    def sink(self, path: Path, source: Source, resume: Mapping[str, int] | None = None) -> Sink: ...

    def render_files(self, record: Record, documents: tuple[Document, ...]) -> tuple[bytes, ...]:
        """What `Sink.write` writes of a record: to the file, and to each of its companions.

        Empty where records have no bytes of their own.
        """
        ...

    def write(self, documents: Iterable[Document], path: Path) -> None:
        """Write documents to a new file.

        For formats of one note a file, a path without the format's extension is a folder, and
        each note is a file named by its id.
        """
        ...
