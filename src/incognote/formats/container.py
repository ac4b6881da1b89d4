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

import codecs
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Protocol, runtime_checkable

from incognote.base.errors import UserError
from incognote.base.options import Option, at_least
from incognote.document import Document, Span

_UNSUPPORTED = re.compile(r"utf-7|iso2022|hz$|idna|punycode|escape|undefined|mbcs|oem|ptcp154")


class FormatError(UserError, ValueError):
    """Input that a format cannot read, or a text that it cannot hold.

    One sentence that names the place and never quotes the note. `place` is a line, row or byte.
    """

    def __init__(self, reason: str, place: str = "") -> None:
        self.reason = reason
        self.place = place
        super().__init__(f"{place}: {reason}" if place else reason)

    def __reduce__(self) -> tuple[type[FormatError], tuple[str, str]]:
        return FormatError, (self.reason, self.place)

    def within(self, place: str) -> FormatError:
        """The same error as seen from further out: `place` goes before its own."""
        return FormatError(self.reason, ", ".join(filter(None, (place, self.place))))


class BadSpansError(FormatError):
    """A note some of whose spans contradict it. It reads as the first of them.

    `errors` has them all and `document` is the note with its sound spans, for those who want to
    know everything that is wrong with a file.
    """

    def __init__(self, errors: Sequence[FormatError], document: Document) -> None:
        self.errors = tuple(errors)
        self.document = document
        super().__init__(errors[0].reason, errors[0].place)

    def within(self, place: str) -> BadSpansError:
        return BadSpansError([error.within(place) for error in self.errors], self.document)


def with_spans(document: Document, spans_or_errors: Iterable[Span | FormatError]) -> Document:
    """The document with the spans; BadSpansError if there are errors in place of some."""
    spans: list[Span] = []
    errors: list[FormatError] = []
    for each in spans_or_errors:
        if isinstance(each, Span):
            spans.append(each)
        else:
            errors.append(each)
    document = document.with_spans(spans)
    if errors:
        raise BadSpansError(errors, document)
    return document


def codecs_named(names: str) -> tuple[str, ...]:
    """The codecs that `--encoding` means; one that is not text is an error."""
    return tuple(_codec(name.strip()) for name in names.split(","))


def _codec(name: str) -> str:
    try:
        codec = codecs.lookup(name)
        if not codec._is_text_encoding or _UNSUPPORTED.search(codec.name):
            raise LookupError
    except (LookupError, ValueError, UnicodeError):
        raise FormatError(
            f"'{name}' is not an encoding that incognote reads: utf-8, utf-16, windows-1252, "
            "windows-1250, iso-8859-1, mac-roman and Python's others are"
        ) from None
    return "utf-8" if codec.name == "utf-8-sig" else codec.name


def parse_encoding(names: str) -> str:
    """The same names, if they are encodings."""
    codecs_named(names)
    return names


def parse_known(pairs: list[str]) -> dict[str, str]:
    """FIELD=TYPE pairs; whether there is such a type, the settings of a run know."""
    known = {}
    for pair in pairs:
        name, equals, type = pair.rpartition("=")
        if not equals or not name or not type:
            raise ValueError(f"{pair}: write FIELD=TYPE, such as name=PATIENT")
        known[name] = type
    return known


@dataclass(frozen=True)
class Fields:
    """What a user says of files: which fields of a table hold what, and how the bytes are read.

    Without `text` it is the field "text"; without `id` it is the field "id" where there is one,
    else the number of the row.
    """

    text: Annotated[
        tuple[str, ...],
        Option(
            "Field or column that holds the text of a note; may be repeated. JSONL: 'text' by "
            "default.",
            flags=("--text-field",),
            metavar="FIELD",
            repeated=True,
        ),
    ] = ()
    id: Annotated[
        str | None,
        Option(
            "Field or column that holds the id of a note. JSONL: 'id' by default.",
            flags=("--id-field",),
            metavar="FIELD",
            panel="Tables",
        ),
    ] = None
    patient: Annotated[
        str | None,
        Option(
            "Field or column that holds the patient's id.",
            flags=("--patient-field",),
            metavar="FIELD",
            panel="Tables",
        ),
    ] = None
    known: Annotated[
        Mapping[str, str],
        Option(
            "A field or column that holds an identifier of the patient: its value is found wherever "
            "the row's notes mention it, also in another order or format or slightly misspelled. "
            "Example: --known name=PATIENT --known dob=DATE",
            metavar="FIELD=TYPE",
            parse=parse_known,
            repeated=True,
        ),
    ] = field(default_factory=dict)
    """From the name of a field to the PHI type of its value."""
    encoding: Annotated[
        str | None,
        Option(
            "Encoding of the inputs, such as windows-1252. Of several, separated by commas, the "
            "first that fits a file is used. By default it is detected, and a file in doubt is "
            "refused.",
            metavar="NAME",
            panel="Files",
            parse=parse_encoding,
        ),
    ] = None
    """Parquet has one of its own."""
    max_unpack: Annotated[
        int,
        Option(
            "How many times its size a gzip file may grow when unpacked; the first 64 MiB are "
            "always allowed.",
            at_least(1),
            metavar="TIMES",
            panel="Files",
        ),
    ] = 200


@dataclass(frozen=True)
class Column:
    """A column of a table that holds no note, or one field within it, with its first values.

    `name` is safe to show: a column whose name may be data is named by its number. `is_date` where
    the table itself says so. `within` is the field, where values have fields: JSON, structs.
    """

    key: str = field(repr=False)
    name: str
    values: tuple[str, ...] = field(repr=False)
    is_date: bool = False
    within: str = field(default="", repr=False)


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

    def other_columns(self, path: Path, fields: Fields, values: int) -> list[Column]:
        """The columns that hold no note, with so many of their first values, wherever they are."""
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
