"""A format: files of the hospital's dictation machine, a line of its own and then the note."""

from __future__ import annotations

from pathlib import Path

from incognote import Document
from incognote.formats import Fields, FormatError, Record
from incognote.formats.encoding import UTF8, not_text
from incognote.formats.format_bases import NoteFormat, note_id
from incognote.formats.text import read_text

_BEGIN = "%DIC"


class Dictation(NoteFormat):
    """`%DIC 1`, and the text of the note from the second line on."""

    name = "dictation"
    extensions = (".dic",)
    holds_spans = False

    def load(self, path: Path, fields: Fields) -> Record:
        """The note, and beside it what goes through as it is."""
        encoding, content = read_text(path, fields)
        head, end, text = content.partition("\n")
        if not head.startswith(_BEGIN):
            raise FormatError(f"does not begin with {_BEGIN}", "line 1")
        return Record((Document(note_id(path), text),), raw=(encoding, head + end))

    def render(self, record: Record, documents: tuple[Document, ...]) -> bytes:
        """The file with another text."""
        encoding, head = record.raw
        data: bytes = encoding.whole(head + documents[0].text)
        return data

    def problem(self, document: Document) -> str | None:
        """Why a note cannot be in such a file."""
        return not_text(document.text)

    def serialize(self, document: Document) -> bytes:
        """A new file."""
        return UTF8.whole(f"{_BEGIN} 1\n{document.text}")
