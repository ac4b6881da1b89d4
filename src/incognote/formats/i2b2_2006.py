"""i2b2 2006 XML: many notes a file, RECORD by RECORD, with PHI marked inside each TEXT.

    <ROOT>
    <RECORD ID="1">
    <TEXT>
    Seen by <PHI TYPE="DOCTOR">Ito</PHI> .
    </TEXT>
    </RECORD>
    </ROOT>

The id of a note is its RECORD's ID. A span's type is the TYPE of its PHI; other attributes are kept.
Readers never map: `phi.VIEWS["i2b2-2006"]` leads from its eight types to ours. Offsets count the
characters that XML gives, without the marks: CRLF is one, `&lt;` is one.

Each record is parsed alone, so that a mark that is not closed spoils its own note only. A note that
is changed keeps the bytes of what was not replaced; what stands outside TEXT is copied.

It holds any text of XML's characters, and disjoint spans of at least one character.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from incognote.document import Document, Span
from incognote.formats.container import BadRecord, Record
from incognote.formats.encoding import first_problem
from incognote.formats.fields import Fields
from incognote.formats.format_bases import StreamFormat, document_to_write, unchanged
from incognote.formats.format_error import FormatError
from incognote.formats.i2b2 import NAME, NOT_XML, WHY_NOT_XML, attribute
from incognote.formats.streams import extension, new_file, read_bytes
from incognote.formats.xml_text import (
    Element,
    Piece,
    Speller,
    decode_xml,
    parse_element,
    pieces_and_marks,
    rewrite_marked,
)

_RECORD = re.compile(
    r"<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)"
    r"|<(?P<open>RECORD)\b(?:[^>\"']++|\"[^\"]*+\"|'[^']*+')*+>|<(?P<close>/RECORD)\s*+>",
    re.DOTALL,
)
_BEGINNING = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s++|<\?(?>.*?\?>)|<!--(?>.*?-->))*+"
    rb"(?:<[A-Za-z_][^<>]*+>\s*+)?<RECORD[\s>]",
    re.DOTALL,
)
_MARKS = re.compile(r"<(/?)PHI\b[^<>]*+>")
_LINE = re.compile("line ([0-9]+)")
_MARK = "PHI"
_HEAD = '<?xml version="1.0" encoding="UTF-8" ?>\n<ROOT>\n'
_TAIL = "</ROOT>\n"


@dataclass(frozen=True)
class _Note:
    """A RECORD as it stands in the file, with the white space after it."""

    raw: str
    encoding: str
    text: Element
    pieces: list[Piece]


class _RecordSource:
    def __init__(self, path: Path, fields: Fields) -> None:
        self._raw, self._encoding = decode_xml(read_bytes(path, fields), fields.encoding)
        self._places = list(_records(self._raw))
        self._check_frame()

    def _check_frame(self) -> None:
        """What stands around the records must be sound XML, and nothing between them."""
        raw, places = self._raw, self._places
        if not places:
            raise FormatError("there is no element RECORD")
        for (_, end), (start, _) in pairwise(places):
            if raw[end:start].strip():
                line = raw.count("\n", 0, end) + 1
                raise FormatError("there is something between two records", f"line {line}")
        first, last = places[0][0], places[-1][1]
        empty = "<RECORD/>" * min(len(places), 2) + "\n" * raw.count("\n", first, last)
        parse_element(raw[:first] + empty + raw[last:], "")

    def records(self, skip: int = 0) -> Iterator[Record | BadRecord]:
        raw, places, encoding = self._raw, self._places, self._encoding
        head, tail = raw[: places[0][0]], raw[places[-1][1] :]
        if not skip:
            yield Record((), "line 1", head.encode(encoding), frame=True)
        line = head.count("\n") + 1
        starts = [start for start, _ in places[1:]]
        for count, ((start, _), after) in enumerate(
            zip(places, [*starts, places[-1][1]], strict=True), 1
        ):
            whole = raw[start:after]
            if count >= skip:
                try:
                    yield _record(whole, encoding, count, line)
                except FormatError as error:
                    yield BadRecord(_further(error, line).within(f"record {count}"))
            line += whole.count("\n")
        if skip <= len(places) + 1:
            yield Record((), f"line {line}", tail.encode(encoding), frame=True)

    def close(self) -> None:
        pass


def _records(raw: str) -> Iterator[tuple[int, int]]:
    """Where the records begin and end; one that is not closed ends where the next begins."""
    begin: int | None = None
    for match in _RECORD.finditer(raw):
        if match["open"]:
            if begin is not None:
                yield begin, match.start()
            begin = match.start()
        elif match["close"] and begin is not None:
            yield begin, match.end()
            begin = None
    if begin is not None:
        raise FormatError(
            "the last record is not closed", f"line {raw.count(chr(10), 0, begin) + 1}"
        )


def _further(error: FormatError, line: int) -> FormatError:
    """The same error with its line counted from the beginning of the file."""
    if match := _LINE.fullmatch(error.place):
        return FormatError(error.reason, f"line {int(match[1]) + line - 1}")
    return error if error.place else FormatError(error.reason, f"line {line}")


def _check_marks(raw: str) -> None:
    """Name the line of a mark that opens too early: the parser sees it at the record's end only."""
    is_open = False
    for match in _MARKS.finditer(raw):
        if match[1]:
            is_open = False
        elif is_open:
            line = raw.count("\n", 0, match.start()) + 1
            raise FormatError(f"a {_MARK} opens before the one before it is closed", f"line {line}")
        else:
            is_open = raw[match.end() - 2] != "/"


def _record(raw: str, encoding: str, count: int, line: int) -> Record:
    try:
        root, text = parse_element(raw.rstrip(), "TEXT")
    except FormatError:
        _check_marks(raw)
        raise
    if text is None:
        raise FormatError("the record has no element TEXT")
    pieces: list[Piece] = []
    places: list[tuple[int, int]] = []
    length, start = 0, -1
    for each in pieces_and_marks(raw, text, _MARK):
        if isinstance(each, Piece):
            pieces.append(each)
            length += len(each.text)
        elif each:
            if start >= 0:
                _check_marks(raw)
                raise FormatError(f"a {_MARK} opens inside a {_MARK}")
            start = length
        else:
            places.append((start, length))
            start = -1
    note = "".join(piece.text for piece in pieces)
    element = next(_called("TEXT", root.iterchildren()), None)
    marks = [] if element is None else list(_called(_MARK, element.iter()))
    if element is None or len(marks) != len(places) or note != element.xpath("string()"):
        raise FormatError("the text of the note could not be located in the file")
    spans = tuple(_span(note, place, mark) for place, mark in zip(places, marks, strict=True))
    id = root.get("ID")
    document = Document(str(count) if id is None else id, note, spans)
    return Record((document,), f"line {line}", _Note(raw, encoding, text, pieces), id is not None)


def _called(name: str, elements: Iterable[Any]) -> Iterator[Any]:
    """The elements of that name without a prefix, in whatever namespace."""
    for each in elements:
        if each.prefix is None and str(each.tag).rpartition("}")[2] == name:
            yield each


def _span(text: str, place: tuple[int, int], mark: Any) -> Span:
    others = dict(mark.attrib)
    type = others.pop("TYPE", "")
    if not type:
        raise FormatError(f"a {_MARK} without a TYPE", f"line {mark.sourceline}")
    return Span.of(text, *place, type, attributes=others)


def _mark(span: Span, content: str) -> str:
    values = {"TYPE": span.type, **span.attributes}
    words = (f'{key}="{attribute(value)}"' for key, value in values.items())
    return f"<{_MARK} {' '.join(words)}>{content}</{_MARK}>"


class I2b2Records(StreamFormat):
    name = "i2b2-2006"
    extensions = (".xml",)
    table = True
    holds_spans = True

    def sniff(self, path: Path, head: bytes) -> bool:
        return extension(path) in ("", ".xml") and _BEGINNING.match(head) is not None

    def open(self, path: Path, fields: Fields) -> _RecordSource:
        return _RecordSource(path, fields)

    def render(self, record: Record, documents: tuple[Document, ...]) -> bytes:
        if isinstance(record.raw, bytes):
            return record.raw
        (old,), (new,) = record.documents, documents
        note: _Note = record.raw
        if unchanged(record, old, new):
            return note.raw.encode(note.encoding)
        if reason := self.problem(document_to_write(record, new)):
            raise FormatError(reason)
        if note.text.inside is None:
            raise FormatError("an empty TEXT cannot take a text")
        start, end = note.text.inside
        mark = _mark if record.marks else (lambda span, content: content)
        inside = rewrite_marked(note.pieces, old.text, new, note.encoding, mark)
        raw = note.raw[:start] + inside + note.raw[end:]
        (again,) = _record(raw, note.encoding, 1, 1).documents
        if again.text != new.text:
            raise FormatError("the changed note would not read back from the XML")
        return raw.encode(note.encoding, "xmlcharrefreplace")

    def problem(self, document: Document) -> str | None:
        if reason := first_problem(NOT_XML, document.text, WHY_NOT_XML):
            return reason
        if reason := first_problem(NOT_XML, document.id, WHY_NOT_XML):
            return f"in the id {reason}"
        last = 0
        for span in document.spans:
            where = f"span {span.start}-{span.end}"
            if span.start < last:
                return f"{where} overlaps the one before it"
            if span.start == span.end:
                return f"{where} has no characters"
            last = span.end
            if reason := _attribute_problem(span):
                return f"{where} {reason}"
        return None

    def write(self, documents: Iterable[Document], path: Path) -> None:
        with new_file(path) as file:
            file.write(_HEAD.encode())
            for document in documents:
                if reason := self.problem(document):
                    raise FormatError(reason, document.id)
                file.write(_record_xml(document).encode())
            file.write(_TAIL.encode())


def _attribute_problem(span: Span) -> str | None:
    if not span.type:
        return "has no type"
    for key, value in (("type", span.type), *span.attributes.items()):
        if not NAME.fullmatch(key) or key == "TYPE":
            return "has an attribute whose name XML or i2b2 does not allow"
        if reason := first_problem(NOT_XML, value, WHY_NOT_XML):
            return f"has an attribute in which {reason}"
    return None


def _record_xml(document: Document) -> str:
    """A document as a RECORD of its own."""
    speller = Speller()
    inside: list[str] = []
    last = 0
    for span in document.spans:
        inside.append(speller.spell(document.text[last : span.start], cdata=False))
        inside.append(_mark(span, speller.spell(span.text, cdata=False)))
        last = span.end
    inside.append(speller.spell(document.text[last:], cdata=False))
    return f'<RECORD ID="{attribute(document.id)}">\n<TEXT>{"".join(inside)}</TEXT>\n</RECORD>\n'
