"""Files that incognote does not read yet, told by how they begin, and what to do instead.

Read as plain text they would be broken, or keep what stands in another place: a PDF its glyphs, an
HL7 message its PID segment, a FHIR resource its attachments.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from incognote.formats.format_error import FormatError

_AS_TEXT = "save it as plain text (.txt) first"
_AS_TABLE = "put the texts of its notes into JSONL or CSV first"


@dataclass(frozen=True)
class UnsupportedKind:
    """A kind of file: its name in a sentence, how it begins, and the advice."""

    name: str
    begins: re.Pattern[bytes]
    advice: str
    is_text: bool = False
    """Whether somebody who insists may have it read as plain text."""

    @property
    def reason(self) -> str:
        return f"it is {self.name}, which incognote does not read yet: {self.advice}"


def _kind(name: str, begins: bytes, advice: str, is_text: bool = False) -> UnsupportedKind:
    return UnsupportedKind(name, re.compile(begins, re.DOTALL), advice, is_text)


_KINDS = (
    _kind("a PDF file", rb"\s{0,64}%PDF-", "extract its text, with pdftotext for one, first"),
    _kind("a zip archive, such as a .docx or .xlsx", rb"PK\x03\x04|PK\x05\x06", _AS_TEXT),
    _kind("an old Word or Excel file", rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", _AS_TEXT),
    _kind(
        "an image",
        rb"\x89PNG\r\n|\xff\xd8\xff|GIF8[79]a|II\*\0|MM\0\*|RIFF....WEBP|.{128}DICM",
        "text in images is not seen, so leave it out",
    ),
    _kind("a gzip file without .gz in its name", rb"\x1f\x8b\x08", "give it that ending"),
    _kind(
        "a compressed archive", rb"7z\xbc\xaf|Rar!\x1a|BZh[1-9]1AY|\xfd7zXZ\0", "unpack it first"
    ),
    _kind("a database file", rb"SQLite format 3\0", _AS_TABLE),
    _kind("an RTF file", rb"\s{0,64}\{\\rtf", _AS_TEXT, True),
    _kind("an HL7 v2 message", rb"[\s\x0b]{0,64}(?:MSH|FHS|BHS)[|^~&#!$%*]", _AS_TABLE, True),
    _kind(
        "a FHIR resource",
        rb'\s*+[\[{].*?(?<!\\)"resourceType"\s*:\s*"[A-Z]'
        rb"|\s*+<[^!?][^>]*xmlns=[\"']http://hl7\.org/fhir"
        rb"|\s*+<\?xml[^>]*>\s*+<[^>]*xmlns=[\"']http://hl7\.org/fhir",
        _AS_TABLE,
        True,
    ),
    _kind(
        "a CDA document", rb"\s*+(?:<[?!][^>]*>\s*+)*+<(?:\w+:)?ClinicalDocument\b", _AS_TABLE, True
    ),
    _kind(
        "an HTML page", rb"(?i)\s*+(?:<[?!][^>]*>\s*+)*+<html\b|\s*+<!doctype html", _AS_TEXT, True
    ),
)


def unsupported_kind(head: bytes) -> UnsupportedKind | None:
    """The kind of a file that begins with `head`, in UTF-8 where it is text; None: not of these."""
    return next((kind for kind in _KINDS if kind.begins.match(head)), None)


def refuse_binary(head: bytes) -> None:
    """Refuse what is no text, whatever format the user names."""
    kind = unsupported_kind(head)
    if kind is not None and not kind.is_text:
        raise FormatError(kind.reason)
