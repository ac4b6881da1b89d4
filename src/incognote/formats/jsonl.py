"""JSONL: one JSON object a line, `{"id": …, "text": …, "spans": [{"start", "end", "type"}]}`.

Only the values of the text fields and of their spans are ever rewritten; all else on the line
keeps its bytes. The spans of the first text field are in `spans`, those of another in
`<field>_spans`. A span's `score`, `source` and `label` stand beside it unless they are the usual
ones, and so do its attributes, as strings. Offsets are code points.

It holds any text and id without lone surrogates, and any spans.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from incognote.document import Document
from incognote.formats.characters import BOM, decode, encode, lone_surrogate
from incognote.formats.container import BadRecord, Fields, FormatError, Record, with_spans
from incognote.formats.json_object import Edits, Object, spell_string, splice
from incognote.formats.json_spans import read_spans, span_problem, spans_json
from incognote.formats.notes import marked, same
from incognote.formats.stream import StreamFormat, extension, lines, new_file, open_bytes


def spans_field(fields: Fields, text_field: str) -> str:
    """Where the spans of a text field are."""
    first = (fields.text or ("text",))[0]
    return "spans" if text_field == first else f"{text_field}_spans"


@dataclass(frozen=True)
class _Line:
    """The line, and for each document the fields of its text and its spans."""

    object: Object
    places: tuple[tuple[str, str], ...]
    before: bytes
    after: bytes


class _JsonlSource:
    def __init__(self, path: Path, fields: Fields) -> None:
        self._stream: BinaryIO = open_bytes(path)
        self._fields = fields

    def records(self, skip: int = 0) -> Iterator[Record | BadRecord]:
        offset = 0
        for count, line in enumerate(lines(self._stream), 1):
            if count > skip:
                try:
                    yield self._record(line, count, offset)
                except FormatError as error:
                    yield BadRecord(error.within(f"line {count}"))
            offset += len(line)

    def close(self) -> None:
        self._stream.close()

    def _record(self, line: bytes, count: int, offset: int) -> Record:
        before = BOM if offset == 0 and line.startswith(BOM) else b""
        body = line[len(before) :].rstrip(b"\r\n")
        if not body.strip(b" \t\r"):
            return Record((), f"line {count}", line)
        after = line[len(before) + len(body) :]
        object = Object.parse(decode(body, offset + len(before)))
        fields = self._fields
        own_id = object.string(fields.id or "id", required=fields.id is not None)
        id = str(count) if own_id is None else own_id
        patient = object.string(fields.patient) if fields.patient else None
        values = ((type, object.string(field)) for field, type in fields.known.items())
        known = tuple((type, value) for type, value in values if value)
        texts = fields.text or ("text",)
        documents: list[Document] = []
        places: list[tuple[str, str]] = []
        for field in texts:
            text = object.text(field)
            if text is None:
                continue
            spans = spans_field(fields, field)
            documents.append(
                with_spans(
                    Document(
                        id if len(texts) == 1 else f"{id}/{field}",
                        text,
                        patient=patient,
                        known=known,
                    ),
                    read_spans(object.get(spans), text),
                )
            )
            places.append((field, spans))
        raw = _Line(object, tuple(places), before, after)
        return Record(tuple(documents), f"line {count}", raw, own_id is not None)


class Jsonl(StreamFormat):
    name = "jsonl"
    extensions = (".jsonl", ".ndjson")
    table = True
    holds_spans = True

    def sniff(self, path: Path, head: bytes) -> bool:
        bare = not extension(path) and head.removeprefix(BOM).lstrip().startswith(b"{")
        return bare or super().sniff(path, head)

    def render(self, record: Record, documents: tuple[Document, ...]) -> bytes:
        if isinstance(record.raw, bytes):
            return record.raw
        line: _Line = record.raw
        edits: Edits = []
        for (field, spans), old, new in zip(line.places, record.documents, documents, strict=True):
            if same(old, new):
                continue
            if problem := lone_surrogate(new.text) or span_problem(new.spans):
                raise FormatError(problem)
            if old.text != new.text:
                edits.append(line.object.string_edit(field, old.text, new))
            if spans in line.object.values or marked(new).spans:
                edits.append(line.object.value_edit(spans, spans_json(marked(new)), after=field))
        return line.before + splice(line.object.raw, edits).encode() + line.after

    def problem(self, document: Document) -> str | None:
        rest = (document.patient or "", *document.metadata, *document.metadata.values())
        words = (document.text, document.id, *rest)
        return next(filter(None, map(lone_surrogate, words)), None) or span_problem(document.spans)

    def open(self, path: Path, fields: Fields) -> _JsonlSource:
        return _JsonlSource(path, fields)

    def write(self, documents: Iterable[Document], path: Path) -> None:
        with new_file(path) as file:
            for document in documents:
                if problem := self.problem(document):
                    raise FormatError(problem, document.id)
                file.write(encode(document_line(document)))


def document_line(document: Document) -> str:
    """A document as a line of its own; what is known of it stands in fields after the spans."""
    fields = {
        "id": spell_string(document.id),
        "text": spell_string(document.text),
        "spans": spans_json(document),
    }
    if document.patient is not None:
        fields["patient"] = spell_string(document.patient)
    for key, value in document.metadata.items():
        fields.setdefault(key, spell_string(value))
    return f"{{{', '.join(f'{spell_string(key)}: {value}' for key, value in fields.items())}}}\n"
