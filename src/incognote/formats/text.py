"""Plain text: one note a file, in any encoding, with any line ends.

It holds the text alone: any string without NUL and lone surrogates reads back as it was, and spans
are not written. A byte order mark at the beginning belongs to the file, not to the note.
"""

from __future__ import annotations

from pathlib import Path

from incognote.document import Document
from incognote.formats.container import Record
from incognote.formats.encoding import UTF8, Encoding, Survey, encoding_of, not_text
from incognote.formats.fields import Fields
from incognote.formats.format_bases import NoteFormat, note_id
from incognote.formats.streams import read_bytes
from incognote.formats.unsupported import refuse_binary


def read_text(path: Path, fields: Fields) -> tuple[Encoding, str]:
    """The encoding of a file, and the text after its byte order mark."""
    data = read_bytes(path, fields)
    refuse_binary(data[:1024])
    encoding = encoding_of(Survey.of([data]), fields.encoding)
    return encoding, encoding.decode_whole(data)


class Text(NoteFormat):
    name = "text"
    extensions = (".txt", ".text")
    holds_spans = False

    def load(self, path: Path, fields: Fields) -> Record:
        encoding, text = read_text(path, fields)
        return Record((Document(note_id(path), text),), raw=encoding)

    def render(self, record: Record, documents: tuple[Document, ...]) -> bytes:
        (document,) = documents
        encoding: Encoding = record.raw
        return encoding.whole(document.text)

    def problem(self, document: Document) -> str | None:
        return not_text(document.text)

    def serialize(self, document: Document) -> bytes:
        return UTF8.whole(document.text)
