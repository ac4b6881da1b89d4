"""The MIMIC-II nursing notes of PhysioNet's `deid`: notes in `id.text`, locations of PHI beside it.

    START_OF_RECORD=1||||2||||
    Seen by Dr. Ito.
    ||||END_OF_RECORD

A note's id is PATIENT-NOTE, here 1-2, and its patient 1. Its text is all from the line after the
first to the mark at the end. Locations are read from the first of these that there is:

- `id-phi.phrase`: a line a span, `PATIENT NOTE START END TYPE TEXT`;
- `id.deid`, `id.phi`: `Patient 1 Note 2`, then a line a span, `START START END`. Its type is PHI.

START and END count the characters of the note's text from 0, line ends as they are; END is the
place after the last. Readers never map: `phi.VIEWS["physionet"]` leads from these types to ours.

What is written is a `.text` with its `-phi.phrase`. It holds ids without white space and `|`, any
text without its own marks, and spans of at least one character whose type has no white space.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from incognote.document import Document, DocumentError, Span
from incognote.formats.container import BadRecord, Record, Source
from incognote.formats.encoding import (
    UTF8,
    UTF8_MARK,
    Encoding,
    Survey,
    character_name,
    encoding_beside,
    lone_surrogate,
    not_text,
)
from incognote.formats.fields import Fields
from incognote.formats.format_bases import PairSink, StreamFormat, document_to_write
from incognote.formats.format_error import BadSpansError, FormatError, with_spans
from incognote.formats.streams import (
    PLAIN,
    extension,
    lines,
    new_file,
    open_text,
    plain_name,
    read_bytes,
)

_START, _END = b"START_OF_RECORD=", b"||||END_OF_RECORD"
_HEADER = re.compile(rb"START_OF_RECORD=([^|\s]*)\|\|\|\|([^|\s]*)\|\|\|\|[ \t]*\r?\n?")
_PHRASE = re.compile(r"(\S*)[ \t]+(\S+)[ \t]+(\d{1,18})[ \t]+(\d{1,18})[ \t]+(\S+)(?:[ \t](.*))?")
_NOTE = re.compile(r"patient[ \t]+(\S+)[ \t]+note[ \t]+(\S+)[ \t]*", re.IGNORECASE)
_NUMBERS = re.compile(r"(\d{1,18})[ \t]+(\d{1,18})[ \t]+(\d{1,18})[ \t]*")
_NAME = re.compile(r"[^|\s]+")
_MARKS = re.compile(r"(?m)^START_OF_RECORD=|\|\|\|\|END_OF_RECORD")
_UNTYPED = "PHI"
_ENDINGS = ("-phi.phrase", ".deid", ".phi")

Name = tuple[str, str]
"""Patient and note."""


@dataclass(frozen=True)
class Location:
    """A line of a file of locations; `text` only where the line has it."""

    start: int
    end: int
    type: str
    text: str | None
    place: str


def location_files(path: Path) -> tuple[Path, ...]:
    """Where the locations of an `id.text` may be, the best first."""
    stem = Path(plain_name(path)).stem if extension(path) == ".text" else path.name
    return tuple(path.with_name(f"{stem}{end}") for end in _ENDINGS)


def text_names(name: str) -> tuple[str, ...]:
    """What the file of notes may be called beside which a file of locations stands."""
    stem = next((name.removesuffix(end) for end in _ENDINGS if name.endswith(end)), None)
    return () if stem is None else (f"{stem}.text", f"{stem}.text.gz")


def read_locations(
    path: Path, beside: Encoding = UTF8, fields: Fields = PLAIN
) -> dict[Name, list[Location]]:
    """The locations of every note, by patient and note; `beside` is the encoding of the notes."""
    data = read_bytes(path, fields)
    content = encoding_beside(Survey.of([data]), beside).decode_whole(data).split("\n")
    rows = [
        (f"line {count} of the {path.suffix}", line.rstrip("\r"))
        for count, line in enumerate(content, 1)
    ]
    rows = [(place, line) for place, line in rows if line.strip()]
    return _phrases(rows) if path.suffix == ".phrase" else _numbers(rows)


def _phrases(rows: Iterable[tuple[str, str]]) -> dict[Name, list[Location]]:
    locations: dict[Name, list[Location]] = {}
    for place, line in rows:
        match = _PHRASE.fullmatch(line)
        if match is None:
            raise FormatError("not a location (patient, note, start, end, type, text)", place)
        patient, note, start, end, type, text = match.groups()
        location = Location(int(start), int(end), type, text or "", place)
        locations.setdefault((patient, note), []).append(location)
    return locations


def _numbers(rows: Iterable[tuple[str, str]]) -> dict[Name, list[Location]]:
    locations: dict[Name, list[Location]] = {}
    own: list[Location] | None = None
    for place, line in rows:
        if match := _NOTE.fullmatch(line):
            own = locations.setdefault((match[1], match[2]), [])
        elif own is not None and (match := _NUMBERS.fullmatch(line)):
            own.append(Location(int(match[2]), int(match[3]), _UNTYPED, None, place))
        else:
            raise FormatError("neither 'Patient … Note …' nor three numbers after it", place)
    return locations


def _spans(text: str, locations: Iterable[Location]) -> Iterator[Span | FormatError]:
    for each in locations:
        try:
            span = Span.of(text, each.start, each.end, each.type)
        except DocumentError as error:
            yield FormatError(str(error), each.place)
            continue
        if each.text is not None and each.text.split() != span.text.split():
            reason = f"the text differs from the note at {each.start}-{each.end}"
            yield FormatError(reason, each.place)
        else:
            yield span


@dataclass(frozen=True)
class _Around:
    """The bytes before and after a note's text, and its name."""

    before: bytes
    after: bytes
    name: Name
    encoding: Encoding


class _NotesSource:
    def __init__(self, path: Path, fields: Fields) -> None:
        beside = next((each for each in location_files(path) if each.exists()), None)
        self._stream, self._encoding = open_text(path, fields)
        try:
            locations = {} if beside is None else read_locations(beside, self._encoding, fields)
        except BaseException:
            self._stream.close()
            raise
        self._locations = locations

    def close(self) -> None:
        self._stream.close()

    def records(self, skip: int = 0) -> Iterator[Record | BadRecord]:
        names: set[Name] = set()
        count = 0
        for block in _blocks(self._stream, len(self._encoding.mark)):
            if block.name is not None:
                names.add(block.name)
            count += 1
            if count > skip:
                yield self._record(block, self._encoding.mark if count == 1 else b"")
        absent = {name for name, own in self._locations.items() if own} - names
        if absent and count >= skip:
            reason = f"there are locations for {len(absent):,} notes that are not in the .text"
            yield BadRecord(FormatError(reason))

    def _record(self, block: _Block, mark: bytes) -> Record | BadRecord:
        encoding = self._encoding
        before = mark + encoding.of_utf8(block.before)
        place = f"line {block.line}"
        if block.error:
            return BadRecord(FormatError(block.error, place))
        if block.name is None:
            return Record((), place, before)
        patient, note = block.name
        id = f"{patient}-{note}" if patient else note
        try:
            text = UTF8.decode(block.text, block.offset)
            document = Document(id, text, patient=patient or None)
            document = with_spans(document, _spans(text, self._locations.get(block.name, ())))
        except BadSpansError as error:
            return BadRecord(error)
        except FormatError as error:
            return BadRecord(error.within(place))
        around = _Around(before, encoding.of_utf8(block.after), block.name, encoding)
        return Record((document,), place, around, True)


@dataclass
class _Block:
    """A stretch of the file: a note with what stands around it, or the blank lines at its end."""

    line: int
    before: bytes = b""
    text: bytes = b""
    after: bytes = b""
    offset: int = 0
    """Where the text begins in the file."""
    name: Name | None = None
    error: str = ""


def _blocks(stream: BinaryIO, offset: int) -> Iterator[_Block]:
    """The notes in order, in flat memory. One that is not ended is an error of its own; text that
    stands between two is one of the file, for it would be copied unread. The stream begins at
    `offset` of the file.
    """
    block = _Block(1)
    blank: list[bytes] = []
    text: list[bytes] = []
    for count, line in enumerate(lines(stream), 1):
        offset += len(line)
        if line.startswith(_START):
            if block.name is not None or block.error:
                block.error = block.error or "the note does not end before the next begins"
                yield block
                block = _Block(count)
            block.line, block.offset, block.before = count, offset, b"".join((*blank, line))
            blank, text = [], []
            if header := _HEADER.fullmatch(line):
                block.name = (UTF8.decode(header[1]), UTF8.decode(header[2]))
            else:
                block.error = "not a header (START_OF_RECORD=patient||||note||||)"
        elif block.name is not None or block.error:
            body, end, rest = line.partition(_END)
            text.append(body)
            if end:
                if rest.strip():
                    raise FormatError("there is text after the end of a note", f"line {count}")
                block.text, block.after = b"".join(text), end + rest
                yield block
                block = _Block(count + 1)
        elif line.strip():
            raise FormatError("there is text outside the notes", f"line {count}")
        else:
            blank.append(line)
    if block.name is not None or block.error:
        block.error = block.error or "the note does not end"
        yield block
    elif blank:
        block.before = b"".join(blank)
        yield block


class Physionet(StreamFormat):
    name = "physionet"
    extensions = (".text",)
    table = True
    holds_spans = True

    def sniff(self, path: Path, head: bytes) -> bool:
        begins = head.removeprefix(UTF8_MARK).lstrip().startswith(_START)
        return begins and extension(path) in ("", ".text", ".txt")

    def companions(self, path: Path) -> tuple[Path, ...]:
        return location_files(path)[:1]

    def notes_beside(self, name: str) -> tuple[str, ...]:
        return text_names(name)

    def holds_patient(self, document: Document) -> bool:
        return document.id.startswith(f"{document.patient}-")

    def open(self, path: Path, fields: Fields) -> _NotesSource:
        return _NotesSource(path, fields)

    def sink(self, path: Path, source: Source, resume: Mapping[str, int] | None = None) -> PairSink:
        return PairSink((path, *self.companions(path)), self.render_files, resume)

    def render_files(self, record: Record, documents: tuple[Document, ...]) -> tuple[bytes, ...]:
        if isinstance(record.raw, bytes):
            return record.raw, b""
        (new,) = (document_to_write(record, document) for document in documents)
        if reason := self._text_problem(new):
            raise FormatError(reason)
        around: _Around = record.raw
        text = around.encoding.encode(new.text)
        return around.before + text + around.after, _locations(new, around.name)

    def render(self, record: Record, documents: tuple[Document, ...]) -> bytes:
        return self.render_files(record, documents)[0]

    def problem(self, document: Document) -> str | None:
        if not _NAME.fullmatch(document.id):
            return "its id has white space or '|'"
        return lone_surrogate(document.id) or self._text_problem(document)

    def _text_problem(self, document: Document) -> str | None:
        for span in document.spans:
            where = f"span {span.start}-{span.end}"
            if span.start == span.end:
                return f"{where} has no characters"
            if not re.fullmatch(r"\S+", span.type):
                return f"{where} has a type with a space"
            if reason := lone_surrogate(span.type):
                return f"{where}: in its type {reason}"
        if match := _MARKS.search(document.text):
            place = character_name(document.text[match.start()], match.start())
            return f"{place} begins what would be read as the start or end of a note"
        return not_text(document.text)

    def write(self, documents: Iterable[Document], path: Path) -> None:
        with new_file(path) as file, new_file(*self.companions(path)) as locations:
            for document in documents:
                if reason := self.problem(document):
                    raise FormatError(reason, document.id)
                name = _name(document.id)
                file.write(
                    UTF8.encode(f"START_OF_RECORD={name[0]}||||{name[1]}||||\n{document.text}")
                )
                file.write(_END + b"\n\n")
                locations.write(_locations(document, name))


def _name(id: str) -> Name:
    """Patient and note of an id; one without a patient has a note only."""
    patient, dash, note = id.partition("-")
    return (patient, note) if patient and dash and note else ("", id)


def _locations(document: Document, name: Name) -> bytes:
    """The lines of a note in the file of locations."""
    return UTF8.encode(
        "".join(
            f"{name[0]} {name[1]} {span.start} {span.end} {span.type} {' '.join(span.text.split())}\n"
            for span in document.spans
        )
    )
