"""JSONL: one JSON object a line, `{"id": …, "text": …, "spans": [{"start", "end", "type"}]}`.

Only the values of the text fields and of their spans are ever rewritten; all else on the line
keeps its bytes. The spans of the first text field are in `spans`, those of another in
`<field>_spans`. A span's `score`, `source` and `label` stand beside it unless they are the usual
ones, and so do its attributes, as strings. Offsets are code points.

It holds any text and id without lone surrogates, and any spans.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from incognote.document import GOLD, Document, DocumentError, Span
from incognote.formats.column_plan import RuledValue
from incognote.formats.columns import Values, documents_of, number_text, pairs_of, with_text
from incognote.formats.container import BadRecord, CopiedColumns, Record
from incognote.formats.encoding import UTF8, UTF8_MARK, Encoding, lone_surrogate, not_text
from incognote.formats.fields import Fields, parse_row_shift
from incognote.formats.format_bases import StreamFormat, document_to_write, unchanged
from incognote.formats.format_error import FormatError, with_spans
from incognote.formats.json_object import (
    Edits,
    Number,
    Object,
    encode_line,
    number,
    spell_string,
    splice,
)
from incognote.formats.streams import extension, lines, new_file, open_text

_SPAN_FIELDS = ("start", "end", "type", "text", "score", "source", "label")


def spans_field(fields: Fields, text_field: str) -> str:
    """Where the spans of a text field are."""
    first = (fields.text or ("text",))[0]
    return "spans" if text_field == first else f"{text_field}_spans"


@dataclass(frozen=True)
class _Line:
    """The line, and for each document the fields of its text and its spans; a value has no spans.

    `marks` of texts that are null or missing are emptied. `dropped` fields are left out, and numbers
    of `typed` fields stay numbers.
    """

    object: Object
    places: tuple[tuple[str, str | None], ...]
    encoding: Encoding
    before: bytes
    after: bytes
    dropped: frozenset[str] = frozenset()
    typed: frozenset[str] = frozenset()
    marks: tuple[str, ...] = ()

    def value_edit(self, field: str, old: Document, new: Document) -> tuple[int, int, str]:
        """The edit that puts another value at a field."""
        if not isinstance(self.object.values[field], Number):
            return self.object.string_edit(field, old.text, new)
        raw = new.text or "null" if self.is_number(field) else spell_string(new.text)
        return self.object.value_edit(field, raw, after=field)

    def is_number(self, field: str) -> bool:
        """Whether a field holds a number and is to hold one."""
        return field in self.typed and isinstance(self.object.values[field], Number)


class JsonlSource:
    """The lines of an open stream, which may still be growing: each is a record once it is there.

    The stream is UTF-8 without a mark, whatever `encoding` it has been read from.
    """

    def __init__(self, stream: BinaryIO, fields: Fields, encoding: Encoding | None = None) -> None:
        self._stream = stream
        self._encoding = encoding or Encoding()
        self._fields = fields
        rules = fields.values.items()
        self._typed = frozenset(name for name, rule in rules if rule.type in fields.typed)
        for name in fields.column:
            if name in {spans_field(fields, text) for text in fields.text or ("text",)}:
                raise FormatError(
                    f"the field '{name}' holds the marks of a note, so it is not a column: leave it "
                    "out of the plan"
                )

    def records(self, skip: int = 0) -> Iterator[Record | BadRecord]:
        offset = len(self._encoding.mark)
        count = 0
        for count, line in enumerate(lines(self._stream), 1):
            if count > skip:
                try:
                    yield self._record(line, count, offset)
                except FormatError as error:
                    yield BadRecord(error.within(f"line {count}"))
            offset += len(line)
        if self._encoding.mark and count == skip == 0:
            yield Record((), "line 1", self._encoding.mark)

    def close(self) -> None:
        self._stream.close()

    def _record(self, line: bytes, count: int, offset: int) -> Record:
        encoding = self._encoding
        before = encoding.mark if count == 1 else b""
        if count == 1 and not before and line.startswith(UTF8_MARK):  # of a stream
            before, line = UTF8_MARK, line[len(UTF8_MARK) :]
        body = line.rstrip(b"\r\n")
        if not body.strip(b" \t\r"):
            return Record((), f"line {count}", before + encoding.of_utf8(line))
        after = encoding.of_utf8(line[len(body) :])
        object = Object.parse(UTF8.decode(body, offset))
        fields = self._fields
        own_id = object.string(fields.id or "id", required=fields.id is not None)
        id = str(count) if own_id is None else own_id
        patient = object.string(fields.patient) if fields.patient else None
        values = ((type, object.string(field)) for field, type in fields.known.items())
        known = tuple((type, value) for type, value in values if value)
        names = fields.text_fields(object.values)
        texts = [
            (name, text)
            for name in names
            if (text := object.text(name, fields.text_advice)) is not None
        ]
        planned = [
            RuledValue(name, rule, text)
            for name, rule in fields.values.items()
            if (text := object.string(name)) and text.strip()
        ]
        for name in fields.dropped:
            object.get(name)
        shift: int | None = None
        if fields.shift and (texts or planned):
            shift = parse_row_shift(object.string(fields.shift))
        documents = list(
            documents_of(
                Document(id, "", (), patient, known, shift=shift),
                texts,
                planned,
                named=len(names) != 1,
            )
        )
        places: list[tuple[str, str | None]] = []
        for at, (name, text) in enumerate(texts):
            spans = spans_field(fields, name)
            documents[at] = with_spans(documents[at], read_spans(object.get(spans), text))
            places.append((name, spans))
        places += [(each.name, None) for each in planned]
        marks = {spans_field(fields, name) for name in names or ("text",)}
        marks -= {*(spans for _, spans in places), *fields.dropped}
        lost = tuple(sorted(name for name in marks if object.get(name)))
        raw = _Line(
            object, tuple(places), encoding, before, after, fields.dropped, self._typed, lost
        )
        return Record(tuple(documents), f"line {count}", raw, own_id is not None)


class Jsonl(StreamFormat):
    name = "jsonl"
    extensions = (".jsonl", ".ndjson")
    table = True
    holds_spans = True

    def sniff(self, path: Path, head: bytes) -> bool:
        bare = not extension(path) and head.removeprefix(UTF8_MARK).lstrip().startswith(b"{")
        return bare or super().sniff(path, head)

    def holds_patient(self, document: Document) -> bool:
        return True

    def render(self, record: Record, documents: tuple[Document, ...]) -> bytes:
        if isinstance(record.raw, bytes):
            return record.raw
        line: _Line = record.raw
        edits: Edits = line.object.removals(line.dropped)
        edits += [(*line.object.places[name], "[]") for name in line.marks]
        for (field, spans), old, new in zip(line.places, record.documents, documents, strict=True):
            if spans is None:
                if problem := not_text(new.text):
                    raise FormatError(problem)
                if old.text != new.text:
                    edits.append(line.value_edit(field, old, new))
                continue
            if unchanged(record, old, new):
                continue
            output = document_to_write(record, new)
            if problem := not_text(new.text) or span_problem(output.spans):
                raise FormatError(problem)
            if old.text != new.text:
                edits.append(line.object.string_edit(field, old.text, new))
            if spans in line.object.values or output.spans:
                edits.append(line.object.value_edit(spans, spans_json(output), after=field))
        return line.before + encode_line(splice(line.object.raw, edits), line.encoding) + line.after

    def written(self, record: Record, documents: tuple[Document, ...]) -> tuple[Document, ...]:
        if isinstance(record.raw, bytes):
            return documents
        line: _Line = record.raw
        return tuple(
            with_text(document, number_text(document.text))
            if document.value_type and line.is_number(field)
            else document
            for (field, _), document in zip(line.places, documents, strict=True)
        )

    def problem(self, document: Document) -> str | None:
        rest = (document.patient or "", *document.metadata, *document.metadata.values())
        words = (document.text, document.id, *rest)
        return next(filter(None, map(not_text, words)), None) or span_problem(document.spans)

    def open(self, path: Path, fields: Fields) -> JsonlSource:
        stream, encoding = open_text(path, fields)
        try:
            return JsonlSource(stream, fields, encoding)
        except FormatError:
            stream.close()
            raise

    def other_columns(
        self, path: Path, fields: Fields, values: int, rows: int | None = None
    ) -> CopiedColumns:
        first_values = Values(values)
        numbers: dict[str, int] = {}
        count = 0
        with closing(self.open(path, fields)) as source:
            for record in islice(source.records(), rows):
                if isinstance(record, Record):
                    count += 1
                    number_fields(record, numbers)
                    for key, value in other_values(record, fields):
                        first_values.add(key, value)
        return CopiedColumns(first_values.columns(numbers), count, frozenset(numbers))

    def write(self, documents: Iterable[Document], path: Path) -> None:
        with new_file(path) as file:
            for document in documents:
                if problem := self.problem(document):
                    raise FormatError(problem, document.id)
                file.write(UTF8.encode(document_line(document)))


def other_values(record: Record, fields: Fields) -> Iterator[tuple[str, Any]]:
    """The fields of a line that go through as they are, also those that occur twice."""
    if isinstance(record.raw, bytes):
        return
    texts = fields.text_fields(record.raw.object.values)
    own = {*texts, *(spans_field(fields, field) for field in texts or ("text",))}
    own |= {*fields.values, *fields.dropped}
    for key, value in pairs_of(record.raw.object.raw.strip()):
        if key not in own:
            yield key, value


def number_fields(record: Record, numbers: dict[str, int]) -> None:
    """Give each field of a line that has no number yet the next one."""
    if not isinstance(record.raw, bytes):
        for key in record.raw.object.values:
            numbers.setdefault(key, len(numbers) + 1)


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


def read_spans(value: Any, text: str) -> Iterator[Span | FormatError]:
    """The spans of a `spans` value; their text, if given, must be that of the note."""
    if value is not None and not isinstance(value, list):
        yield FormatError("the spans are not a list")
        return
    for count, item in enumerate(value or (), 1):
        try:
            yield _read_span(item, text, count)
        except FormatError as error:
            yield error


def place_of(item: Any, count: int) -> tuple[int, int, str]:
    """The start, end and type of the span that has this number in its list."""
    if not isinstance(item, dict):
        raise FormatError(f"span {count} is not an object")
    start, end, type = number(item.get("start")), number(item.get("end")), item.get("type")
    if start is None or end is None or isinstance(type, Number) or not isinstance(type, str):
        raise FormatError(f"span {count} lacks a start, an end or a type")
    return start, end, type


def _read_span(item: Any, text: str, count: int) -> Span:
    start, end, type = place_of(item, count)
    try:
        score = float(item.get("score", 1.0) or 0.0)
        span = Span.of(
            text,
            start,
            end,
            type,
            score=score,
            source=str(item.get("source") or GOLD),
            label=str(item.get("label") or ""),
            attributes={
                key: value if isinstance(value, str) else json.dumps(value)
                for key, value in item.items()
                if key not in _SPAN_FIELDS
            },
        )
    except (TypeError, ValueError) as error:
        reason = str(error) if isinstance(error, DocumentError) else "its score is not a number"
        raise FormatError(f"span {count}: {reason}") from None
    if item.get("text", span.text) != span.text:
        raise FormatError(f"span {count}: its text differs from the note at {start}-{end}")
    return span


def spans_json(document: Document) -> str:
    """The spans of a document as one JSON value, without their texts."""
    return json.dumps([_span_object(span) for span in document.spans], ensure_ascii=False)


def _span_object(span: Span) -> dict[str, Any]:
    item: dict[str, Any] = {"start": span.start, "end": span.end, "type": span.type}
    if span.score != 1.0:
        item["score"] = span.score
    if span.source != GOLD:
        item["source"] = span.source
    if span.label != span.type:
        item["label"] = span.label
    return item | dict(span.attributes)


def span_problem(spans: Iterable[Span]) -> str | None:
    """Why spans cannot be written as JSON."""
    for span in spans:
        where = f"span {span.start}-{span.end}"
        if not math.isfinite(span.score):
            return f"{where} has a score that is not a finite number"
        if any(key in _SPAN_FIELDS for key in span.attributes):
            return f"{where} has an attribute with the name of a field of its own"
        words = (span.type, span.source, span.label, *span.attributes, *span.attributes.values())
        for word in words:
            if problem := lone_surrogate(word):
                return f"{where}: in its type, source, label or attributes {problem}"
    return None
