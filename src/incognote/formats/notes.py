"""Formats of one note a file: their source, and how a set of notes becomes files."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

from incognote.document import Document
from incognote.formats.characters import readable
from incognote.formats.container import Fields, FormatError, Record
from incognote.formats.stream import StreamFormat, extension, new_file, plain_name


def note_id(path: Path) -> str:
    """The name of the file without its extension."""
    return readable(Path(plain_name(path)).stem)


class NoteSource:
    """A file that is one record."""

    def __init__(self, path: Path, fields: Fields, load: Callable[[Path, Fields], Record]) -> None:
        self._path = path
        self._fields = fields
        self._load = load

    def records(self, skip: int = 0) -> Iterator[Record]:
        if not skip:
            yield self._load(self._path, self._fields)

    def close(self) -> None:
        pass


class NoteFormat(StreamFormat):
    """What formats of one note a file have in common."""

    table = False

    @abstractmethod
    def load(self, path: Path, fields: Fields) -> Record:
        """The one record of a file."""

    @abstractmethod
    def problem(self, document: Document) -> str | None:
        """Why the format cannot hold it."""

    @abstractmethod
    def spell(self, document: Document) -> bytes:
        """A new file for a document that the format can hold."""

    def open(self, path: Path, fields: Fields) -> NoteSource:
        return NoteSource(path, fields, self.load)

    def write(self, documents: Iterable[Document], path: Path) -> None:
        for document, target in note_paths(documents, path, self.extensions):
            if reason := self.problem(document):
                raise FormatError(reason, document.id)
            self.write_one(document, target)

    def write_one(self, document: Document, path: Path) -> None:
        """A document to its file."""
        with new_file(path) as file:
            file.write(self.spell(document))


def note_paths(
    documents: Iterable[Document], path: Path, extensions: tuple[str, ...]
) -> Iterator[tuple[Document, Path]]:
    """Where each document goes: into the file `path` if it has the format's extension, else
    into the folder `path`, under its id. No id leads out of the folder, no two to one file.
    """
    single = extension(path) in extensions
    taken: set[Path] = set()
    for document in documents:
        target = path if single else _inside(path, document.id, extensions[0])
        if target in taken:
            raise FormatError(
                "one file holds one note: name a folder instead"
                if single
                else "two notes have the same id, so their files would have the same name"
            )
        taken.add(target)
        yield document, target


def _inside(folder: Path, id: str, suffix: str) -> Path:
    parts = PurePosixPath(id).parts
    if not parts or id.startswith("/") or ".." in parts or "\\" in id or "\0" in id:
        raise FormatError("an id cannot be the name of a file")
    return folder / f"{PurePosixPath(id)}{suffix}"


def same(record: Record, old: Document, new: Document) -> bool:
    """Whether nothing that a file shows has changed."""
    return old.text == new.text and old.spans == (new.spans if record.marks else ())


def marked(record: Record, document: Document) -> Document:
    """With the spans to write: no empty ones, which stand where something was removed, and none at
    all where the record is to be without marks.
    """
    if not record.marks:
        return document.with_spans(())
    if all(span.start < span.end for span in document.spans):
        return document
    return replace(document, spans=tuple(s for s in document.spans if s.start < s.end))
