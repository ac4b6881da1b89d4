"""brat stand-off: a `.txt` and, beside it, an `.ann` whose T lines mark it.

The pair is one record, named by its `.txt`. Offsets count the characters of the `.txt`, its byte
order mark too. Spans keep their type and, as an attribute, their id. Other lines (relations,
events, attributes, notes) may carry text of the note: when anything changes, or there are no
spans, the new `.ann` has T lines only.

It holds any text without lone surrogates, and spans of at least one character whose type has no
space.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from incognote.document import Document, DocumentError, Span
from incognote.formats.container import Record, Source
from incognote.formats.encoding import (
    UTF8,
    Encoding,
    Survey,
    encoding_beside,
    lone_surrogate,
    not_text,
)
from incognote.formats.fields import Fields
from incognote.formats.format_bases import (
    NoteFormat,
    PairSink,
    document_to_write,
    note_id,
    unchanged,
)
from incognote.formats.format_error import FormatError, with_spans
from incognote.formats.streams import new_file, read_bytes
from incognote.formats.text import read_text

_PLACE = re.compile(r"(\S+) ([0-9]{1,18}) ([0-9]{1,18})")
_ID = re.compile(r"T[0-9]+")
_LINE_END = re.compile(r"[\r\n]")


def text_path(path: Path) -> Path:
    """The `.txt` of a pair, whichever of the two was named."""
    return path.with_suffix(".txt") if path.suffix.lower() == ".ann" else path


def ann_path(path: Path) -> Path:
    """The `.ann` of a `.txt`."""
    if path.suffix.lower() == ".txt":
        return path.with_suffix(".ann")
    return path.with_name(f"{path.name}.ann")


def read_ann(ann: str, text: str, shift: int = 0) -> Iterator[Span | FormatError]:
    """The spans of the T lines; `shift` characters of the file come before the text."""
    for count, line in enumerate(ann.split("\n"), 1):
        if line.startswith("T"):
            try:
                yield _span(line.rstrip("\r"), text, shift, f"line {count} of the .ann")
            except FormatError as error:
                yield error


def _span(line: str, text: str, shift: int, where: str) -> Span:
    id, _, rest = line.partition("\t")
    place, _, content = rest.partition("\t")
    if ";" in place:
        raise FormatError("a discontinuous span, which incognote cannot hold", where)
    match = _PLACE.fullmatch(place)
    if match is None:
        raise FormatError("not a T line (id, tab, type start end, tab, text)", where)
    start, end = int(match[2]) - shift, int(match[3]) - shift
    try:
        span = Span.of(text, start, end, match[1], attributes={"id": id})
    except DocumentError as error:
        raise FormatError(str(error), where) from None
    if _one_line(span.text) != content:
        raise FormatError(f"the text differs from the note at {start}-{end}", where)
    return span


def write_ann(document: Document, shift: int = 0) -> str:
    """T lines for all spans: the ids they had, if they had one each, else new ones."""
    ids = [span.attributes.get("id", "") for span in document.spans]
    if len(set(ids)) < len(ids) or not all(_ID.fullmatch(id) for id in ids):
        ids = [f"T{count}" for count in range(1, len(ids) + 1)]
    return "".join(
        f"{id}\t{span.type} {span.start + shift} {span.end + shift}\t{_one_line(span.text)}\n"
        for id, span in zip(ids, document.spans, strict=True)
    )


def _one_line(text: str) -> str:
    return _LINE_END.sub(" ", text)


@dataclass(frozen=True)
class _Ann:
    """An `.ann` file: its encoding and its text."""

    encoding: Encoding
    text: str

    @classmethod
    def read(cls, path: Path, beside: Encoding, fields: Fields) -> _Ann:
        """An `.ann` without a mark that is not UTF-8 has the encoding of the `.txt` beside it."""
        data = read_bytes(path, fields)
        encoding = encoding_beside(Survey.of([data]), beside)
        return cls(encoding, encoding.decode_whole(data))


class Brat(NoteFormat):
    name = "brat"
    extensions = (".txt", ".ann")
    holds_spans = True
    gzip = False

    def sniff(self, path: Path, head: bytes) -> bool:
        kind = path.suffix.lower()
        return kind == ".ann" or (kind == ".txt" and ann_path(path).exists())

    def companions(self, path: Path) -> tuple[Path, ...]:
        return (ann_path(path),)

    def notes_beside(self, name: str) -> tuple[str, ...]:
        return (f"{name[:-4]}.txt",) if name.lower().endswith(".ann") else ()

    def load(self, path: Path, fields: Fields) -> Record:
        if text_path(path) != path and not text_path(path).exists():
            raise FormatError("the .ann has no .txt beside it")
        path = text_path(path)
        encoding, text = read_text(path, fields)
        if not ann_path(path).exists():
            raise FormatError("there is no .ann beside the .txt")
        ann = _Ann.read(ann_path(path), encoding, fields)
        spans = read_ann(ann.text, text, 1 if encoding.mark else 0)
        document = with_spans(Document(note_id(path), text), spans)
        return Record((document,), raw=(encoding, ann))

    def render(self, record: Record, documents: tuple[Document, ...]) -> bytes:
        encoding: Encoding = record.raw[0]
        return encoding.whole(documents[0].text)

    def render_ann(self, record: Record, documents: tuple[Document, ...]) -> bytes:
        """The bytes of the `.ann` after replacement."""
        (old,), (new,) = record.documents, documents
        encoding: Encoding = record.raw[0]
        ann: _Ann = record.raw[1]
        if (new is old and record.marks) or (old.spans and unchanged(record, old, new)):
            return ann.encoding.mark + ann.encoding.encode(ann.text)
        new = document_to_write(record, new)
        if reason := self.problem(new):
            raise FormatError(reason)
        return ann.encoding.mark + ann.encoding.encode(write_ann(new, 1 if encoding.mark else 0))

    def render_files(self, record: Record, documents: tuple[Document, ...]) -> tuple[bytes, ...]:
        return self.render(record, documents), self.render_ann(record, documents)

    def sink(self, path: Path, source: Source, resume: Mapping[str, int] | None = None) -> PairSink:
        return PairSink((path, ann_path(path)), self.render_files, resume)

    def problem(self, document: Document) -> str | None:
        for span in document.spans:
            where = f"span {span.start}-{span.end}"
            if span.start == span.end:
                return f"{where} has no characters"
            if re.search(r"\s|;", span.type):
                return f"{where} has a type with a space or ';'"
            if reason := lone_surrogate(span.type):
                return f"{where}: in its type {reason}"
        return not_text(document.text)

    def serialize(self, document: Document) -> bytes:
        return UTF8.whole(document.text)

    def write_one(self, document: Document, path: Path) -> None:
        super().write_one(document, text_path(path))
        with new_file(ann_path(text_path(path))) as file:
            file.write(write_ann(document, 1 if document.text.startswith("\ufeff") else 0).encode())
