"""Plain text: one note a file, UTF-8, any line ends.

It holds the text alone: any string without lone surrogates reads back as it was, and spans are
not written. A byte order mark at the beginning belongs to the file, not to the note.
"""

from __future__ import annotations

from pathlib import Path

from incognote.document import Document
from incognote.formats.characters import BOM, decode, encode, lone_surrogate
from incognote.formats.container import Record
from incognote.formats.notes import NoteFormat, note_id
from incognote.formats.stream import read_bytes


def read_text(path: Path) -> tuple[bytes, str]:
    """The byte order mark, if any, and the text after it."""
    data = read_bytes(path)
    mark = BOM if data.startswith(BOM) else b""
    return mark, decode(data[len(mark) :], len(mark))


def text_bytes(text: str, mark: bytes = b"") -> bytes:
    """The bytes of a text file; a text that begins like a byte order mark gets one before it."""
    return (mark or (BOM if text.startswith("\ufeff") else b"")) + encode(text)


class Text(NoteFormat):
    name = "text"
    extensions = (".txt", ".text")
    holds_spans = False

    def load(self, path: Path) -> Record:
        mark, text = read_text(path)
        return Record((Document(note_id(path), text),), raw=mark)

    def render(self, record: Record, documents: tuple[Document, ...]) -> bytes:
        (document,) = documents
        return text_bytes(document.text, record.raw)

    def problem(self, document: Document) -> str | None:
        return lone_surrogate(document.text)

    def spell(self, document: Document) -> bytes:
        return text_bytes(document.text)
