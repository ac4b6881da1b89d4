"""Plain text: one note a file, UTF-8, any line ends.

It holds the text alone: any string without lone surrogates reads back as it was, and spans are
not written. A byte order mark at the beginning belongs to the file, not to the note.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from incognote.document import Document
from incognote.formats.characters import BOM, decode, encode, lone_surrogate
from incognote.formats.container import Fields, FormatError, Record, Source
from incognote.formats.notes import NoteSource, note_id, note_paths
from incognote.formats.stream import ByteFile, StreamSink, extension, read_bytes


def read_text(path: Path) -> tuple[bytes, str]:
    """The byte order mark, if any, and the text after it."""
    data = read_bytes(path)
    mark = BOM if data.startswith(BOM) else b""
    return mark, decode(data[len(mark) :], len(mark))


def text_bytes(text: str, mark: bytes = b"") -> bytes:
    """The bytes of a text file; a text that begins like a byte order mark gets one before it."""
    return (mark or (BOM if text.startswith("\ufeff") else b"")) + encode(text)


def _load(path: Path) -> Record:
    mark, text = read_text(path)
    return Record((Document(note_id(path), text),), raw=mark)


def _render(record: Record, documents: tuple[Document, ...]) -> bytes:
    (document,) = documents
    return text_bytes(document.text, record.raw)


class Text:
    name = "text"
    extensions = (".txt", ".text")
    table = False
    holds_spans = False

    def sniff(self, path: Path, head: bytes) -> bool:
        return extension(path) in self.extensions

    def companions(self, path: Path) -> tuple[Path, ...]:
        return ()

    def problem(self, document: Document) -> str | None:
        return lone_surrogate(document.text)

    def open(self, path: Path, fields: Fields) -> NoteSource:
        return NoteSource(path, _load)

    def sink(
        self, path: Path, source: Source, resume: Mapping[str, int] | None = None
    ) -> StreamSink:
        return StreamSink(path, _render, resume)

    def rendered(self, record: Record, documents: tuple[Document, ...]) -> tuple[bytes, ...]:
        return (_render(record, documents),)

    def write(self, documents: Iterable[Document], path: Path) -> None:
        for document, target in note_paths(documents, path, self.extensions):
            if problem := self.problem(document):
                raise FormatError(problem, document.id)
            write_file(target, text_bytes(document.text))


def write_file(path: Path, data: bytes) -> None:
    """A whole file at once."""
    file = ByteFile(path)
    try:
        file.write(data)
        file.close()
    except BaseException:
        file.abort()
        raise
