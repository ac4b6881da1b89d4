"""Inline marks: a note in which `[[TYPE|text]]` stands for a marked text.

A type is made of capitals, digits, `_` and `-`. A mark ends with the last two of the first run of
two or more `]`, so that `[[PATIENT|[PATIENT]]]` marks "[PATIENT]"; a mark may contain a line break.

It holds disjoint spans of at least one character, of which type and place are kept. It does not
hold `[[TYPE|` in the note, `[[` or `]]` in a marked text, or `]` right after one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from incognote.document import Document, Span
from incognote.formats.container import Record
from incognote.formats.encoding import UTF8, Encoding, character_name, not_text
from incognote.formats.fields import Fields
from incognote.formats.format_bases import NoteFormat, document_to_write, note_id, unchanged
from incognote.formats.format_error import FormatError
from incognote.formats.streams import lines, open_bytes
from incognote.formats.text import read_text
from incognote.phi import TYPES

_TYPE = re.compile(r"[A-Z][A-Z0-9_-]*")
_OPEN = re.compile(r"\[\[([A-Z][A-Z0-9_-]*)\|")
_CLOSE = re.compile(r"\]{2,}")
_DOUBLE = re.compile(r"\[\[|\]\]")
_LIKELY = re.compile(rb"\[\[(?:" + "|".join(TYPES).encode() + rb")\|")


def parse(marked_text: str) -> tuple[str, tuple[Span, ...]]:
    """The text without marks, and the spans that they marked."""
    pieces: list[str] = []
    places: list[tuple[int, int, str]] = []
    length = last = 0
    while opening := _OPEN.search(marked_text, last):
        closing = _CLOSE.search(marked_text, opening.end())
        if closing is None:
            raise FormatError("a mark is not closed", _line(marked_text, opening))
        inside = marked_text[opening.end() : closing.end() - 2]
        if _OPEN.search(inside):
            raise FormatError("a mark opens inside a mark", _line(marked_text, opening))
        if not inside:
            raise FormatError("a mark is empty", _line(marked_text, opening))
        pieces += (marked_text[last : opening.start()], inside)
        start = length + opening.start() - last
        length = start + len(inside)
        places.append((start, length, opening[1]))
        last = closing.end()
    text = "".join((*pieces, marked_text[last:]))
    return text, tuple(Span.of(text, *place) for place in places)


def _line(text: str, place: re.Match[str]) -> str:
    return f"line {text.count(chr(10), 0, place.start()) + 1}"


def mark(document: Document) -> str:
    """The text with its spans marked; `problem` must have found nothing."""
    pieces: list[str] = []
    last = 0
    for span in document.spans:
        pieces.append(f"{document.text[last : span.start]}[[{span.type}|{span.text}]]")
        last = span.end
    return "".join((*pieces, document.text[last:]))


def problem(document: Document) -> str | None:
    """Why a document would not read back from its marked text."""
    text = document.text
    last = 0
    for span in document.spans:
        where = f"span {span.start}-{span.end}"
        if span.start < last:
            return f"{where} overlaps the one before it"
        if span.start == span.end:
            return f"{where} has no characters"
        if not _TYPE.fullmatch(span.type):
            return f"{where} has a type that is not capitals, digits, '_' and '-'"
        if double := _DOUBLE.search(span.text):
            place = character_name(double[0][0], span.start + double.start())
            return f"{place} is doubled in {where}, which a mark cannot hold"
        if text[span.end : span.end + 1] == "]":
            return (
                f"{character_name(']', span.end)} follows {where}, so its mark would end too late"
            )
        last = span.end
    return _false_mark(document) or not_text(text)


def _false_mark(document: Document) -> str | None:
    """Text outside the spans that would itself read as the beginning of a mark."""
    last = 0
    for start, end in [*((span.start, span.end) for span in document.spans), (None, 0)]:
        if opening := _OPEN.search(document.text[last:start]):
            return (
                f"{character_name('[', last + opening.start())} begins what would be read as a mark"
            )
        last = end
    return None


def read_marked_jsonl(path: Path) -> Iterator[Document]:
    """The documents of a JSONL file whose texts have inline marks, as the traps of the corpus.

    Other fields that are strings become metadata; without an `id`, the line's number is the id.
    """
    with open_bytes(path) as stream:
        for count, line in enumerate(lines(stream), 1):
            if not line.strip():
                continue
            try:
                item = json.loads(UTF8.decode(line))
                text, spans = parse(item["text"])
            except FormatError as error:
                raise FormatError(error.reason, f"line {count}") from None
            except (ValueError, TypeError, KeyError):
                raise FormatError("not a JSON object with a text", f"line {count}") from None
            rest = {
                key: value
                for key, value in item.items()
                if key not in ("id", "text") and isinstance(value, str)
            }
            yield Document(str(item.get("id", count)), text, spans, metadata=rest)


class Inline(NoteFormat):
    name = "inline"
    extensions = (".txt", ".text")
    holds_spans = True

    def sniff(self, path: Path, head: bytes) -> bool:
        return super().sniff(path, head) and _LIKELY.search(head) is not None

    def load(self, path: Path, fields: Fields) -> Record:
        encoding, marked_text = read_text(path, fields)
        text, spans = parse(marked_text)
        return Record((Document(note_id(path), text, spans),), raw=(encoding, marked_text))

    def render(self, record: Record, documents: tuple[Document, ...]) -> bytes:
        (old,), (new,) = record.documents, documents
        encoding: Encoding = record.raw[0]
        marked_text: str = record.raw[1]
        if not unchanged(record, old, new):
            new = document_to_write(record, new)
            if reason := problem(new) if record.marks else not_text(new.text):
                raise FormatError(reason)
            marked_text = mark(new)
        return encoding.whole(marked_text)

    def problem(self, document: Document) -> str | None:
        return problem(document)

    def serialize(self, document: Document) -> bytes:
        return UTF8.whole(mark(document))
