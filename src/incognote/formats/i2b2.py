"""i2b2 2014 XML: a root (`deIdi2b2`, `MEDDOCAN`, any), the note in TEXT, its spans in TAGS.

A span's type is the TYPE of its tag; the tag's name and other attributes are kept (`tag`, `id`,
`comment`, …). Readers never map. Offsets count the characters that XML gives: CRLF is one.

A file is rewritten in place: what was not replaced keeps its bytes. TAGS, which repeat the note,
are made anew when anything changes. What stands outside TEXT and TAGS is copied.

It holds any text of XML's characters and any spans, of which place, type and attributes are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from incognote.document import Document, DocumentError, Span
from incognote.formats.container import Record
from incognote.formats.encoding import first_problem
from incognote.formats.fields import Fields
from incognote.formats.format_bases import NoteFormat, document_to_write, note_id, unchanged
from incognote.formats.format_error import FormatError, with_spans
from incognote.formats.streams import extension, read_bytes
from incognote.formats.xml_text import (
    CLOSE,
    OPEN,
    Element,
    Piece,
    Speller,
    decode_as,
    decode_xml,
    markup,
    only_child,
    parse_root,
    rewrite_pieces,
)
from incognote.phi import CATEGORY_OF

NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_OWN = ("start", "end", "text", "TYPE")
WHY_NOT_XML = "is not a character of XML"


@dataclass(frozen=True)
class _XmlFile:
    """A file of one note: its string, its codec, and where TEXT and TAGS stand."""

    raw: str
    encoding: str
    text: Element
    tags: Element | None
    pieces: list[Piece]


def _parse_file(raw: str, encoding: str) -> tuple[_XmlFile, Any]:
    """The file, and its root as lxml sees it."""
    root = parse_root(raw)
    text, tags = only_child(raw, "TEXT"), only_child(raw, "TAGS")
    if text is None:
        raise FormatError("there is no element TEXT under the root")
    return _XmlFile(raw, encoding, text, tags, list(_pieces(raw, text))), root


def _pieces(raw: str, element: Element) -> Iterator[Piece]:
    """The stretches of text in TEXT, in order.

    All else inside it is refused: it would be copied unread.
    """
    if element.inside is None:
        return
    last, end = element.inside
    for start, stop, tag in markup(raw, last, end):
        if tag is not None:
            raise FormatError("the element TEXT has elements inside, and should be text alone")
        if not raw.startswith(OPEN, start):
            kind = "a comment" if raw.startswith("<!--", start) else "a processing instruction"
            raise FormatError(f"the element TEXT has {kind} inside, and should be text alone")
        if last < start:
            yield Piece(raw[last:start], last, False)
        yield Piece(raw[start + len(OPEN) : stop - len(CLOSE)], start + len(OPEN), True)
        last = stop
    if last < end:
        yield Piece(raw[last:end], last, False)


def _spans(tags: Any, text: str) -> Iterator[Span | FormatError]:
    for element in tags.iterchildren(tag=("*", "{*}*")):
        try:
            yield _span(element, text, f"line {element.sourceline}")
        except FormatError as error:
            yield error


def _span(element: Any, text: str, where: str) -> Span:
    start, end = element.get("start", ""), element.get("end", "")
    if not (re.fullmatch("[0-9]{1,18}", start) and re.fullmatch("[0-9]{1,18}", end)):
        raise FormatError("a tag without a start and an end in numbers", where)
    others = {key: value for key, value in element.attrib.items() if key not in _OWN}
    tag = _local(element)
    try:
        span = Span.of(
            text,
            int(start),
            int(end),
            element.get("TYPE") or tag,
            attributes={**others, "tag": tag},
        )
    except DocumentError as error:
        raise FormatError(str(error), where) from None
    if element.get("text", span.text).split() != span.text.split():
        raise FormatError(f"a tag's text differs from the note at {start}-{end}", where)
    return span


def _local(element: Any) -> str:
    """The name of an element without the namespace that it is in."""
    return str(element.tag).rpartition("}")[2]


def _child(root: Any, name: str) -> Any:
    """The one child of this name without a prefix, in whatever namespace; None if there is none."""
    children = root.iterchildren(tag=("*", "{*}*"))
    own = (each for each in children if each.prefix is None and _local(each) == name)
    return next(own, None)


def _with_text(raw: str, file: _XmlFile, old: str, new: Document) -> str:
    """The raw file with another text in its pieces, which may have moved by new TAGS."""
    if not file.pieces:
        raise FormatError("an empty TEXT cannot take a text")
    shift = len(raw) - len(file.raw) if file.tags and file.tags.start < file.text.start else 0
    new_pieces = rewrite_pieces(file.pieces, old, new, file.encoding)
    parts: list[str] = []
    last = 0
    for piece, text in zip(file.pieces, new_pieces, strict=True):
        parts += (raw[last : piece.start + shift], text)
        last = piece.end + shift
    return "".join((*parts, raw[last:]))


def _with_tags(file: _XmlFile, document: Document) -> str:
    newline = "\r\n" if "\r\n" in file.raw else "\n"
    raw, element = file.raw, file.tags
    if element is not None:
        return raw[: element.start] + tags_xml(document, newline) + raw[element.end :]
    if not document.spans:
        return raw
    at = file.text.end
    return raw[:at] + newline + tags_xml(document, newline) + raw[at:]


def tags_xml(document: Document, newline: str = "\n") -> str:
    """The element TAGS for the spans of a document."""
    ids = {span.attributes.get("id") for span in document.spans}
    free = (f"P{count}" for count in range(2 * len(document.spans)) if f"P{count}" not in ids)
    lines = ["<TAGS>"]
    for span in document.spans:
        others = dict(span.attributes)
        tag = others.pop("tag", "") or CATEGORY_OF.get(span.type, "PHI")
        values = {
            "id": others.pop("id", None) or next(free),
            "start": str(span.start),
            "end": str(span.end),
            "text": span.text,
            "TYPE": span.type,
            "comment": others.pop("comment", ""),
            **others,
        }
        words = (f'{key}="{attribute(value)}"' for key, value in values.items())
        lines.append(f"<{tag} {' '.join(words)} />")
    return newline.join([*lines, "</TAGS>"])


def attribute(value: str) -> str:
    """A value as it is written between the quotes of an attribute."""
    value = Speller().draft(value, cdata=False).replace('"', "&quot;")
    return value.replace("\n", "&#10;").replace("\t", "&#9;")


class I2b2(NoteFormat):
    name = "i2b2"
    extensions = (".xml",)
    holds_spans = True

    def sniff(self, path: Path, head: bytes) -> bool:
        return super().sniff(path, head) or (not extension(path) and b"<TEXT" in head)

    def load(self, path: Path, fields: Fields) -> Record:
        file, root = _parse_file(*decode_xml(read_bytes(path, fields), fields.encoding))
        text = "".join(piece.text for piece in file.pieces)
        element = _child(root, "TEXT")
        if element is None or text != "".join(element.itertext(with_tail=False)):
            raise FormatError("the text of the note could not be located in the file")
        tags = _child(root, "TAGS")
        spans = () if tags is None else _spans(tags, text)
        return Record((with_spans(Document(note_id(path), text), spans),), raw=file)

    def render(self, record: Record, documents: tuple[Document, ...]) -> bytes:
        (old,), (new,) = record.documents, documents
        file: _XmlFile = record.raw
        if unchanged(record, old, new):
            return file.raw.encode(file.encoding)
        output = document_to_write(record, new)
        if reason := self.problem(output):
            raise FormatError(reason)
        raw = _with_tags(file, output)
        if old.text != new.text:
            raw = _with_text(raw, file, old.text, new)
        data = raw.encode(file.encoding, "xmlcharrefreplace")
        again, _ = _parse_file(decode_as(data, file.encoding), file.encoding)
        if "".join(piece.text for piece in again.pieces) != new.text:
            raise FormatError("the changed note would not read back from the XML")
        return data

    def problem(self, document: Document) -> str | None:
        if reason := first_problem(NOT_XML, document.text, WHY_NOT_XML):
            return reason
        for span in document.spans:
            where = f"span {span.start}-{span.end}"
            for key, value in (("TYPE", span.type), *span.attributes.items()):
                if not NAME.fullmatch(key) or (key in _OWN and value is not span.type):
                    return f"{where} has an attribute whose name XML or i2b2 does not allow"
                if reason := first_problem(NOT_XML, value, WHY_NOT_XML):
                    return f"{where}: in an attribute {reason}"
            if not NAME.fullmatch(span.attributes.get("tag", "") or "PHI"):
                return f"{where} has a tag whose name XML does not allow"
        return None

    def serialize(self, document: Document) -> bytes:
        text = Speller().spell(document.text, cdata=True)
        return (
            '<?xml version="1.0" encoding="UTF-8" ?>\n<deIdi2b2>\n'
            f"<TEXT>{OPEN}{text}{CLOSE}</TEXT>\n{tags_xml(document)}\n</deIdi2b2>\n"
        ).encode()
