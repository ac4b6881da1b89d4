"""What formats share: how their records are written, and how notes become files.

A new format is a class in a file of its own. `StreamFormat` is for records that are written one
after the other, `NoteFormat` for one note a file; `registry` is where it is registered.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import ClassVar

from incognote.base.errors import kind_of_error
from incognote.document import Document
from incognote.formats.container import Record, Sink, Source
from incognote.formats.fields import Fields
from incognote.formats.format_error import FormatError
from incognote.formats.streams import ByteFile, extension, new_file, plain_name, readable

Render = Callable[[Record, tuple[Document, ...]], bytes]


class StreamSink:
    """The sink of every format whose records are written one after the other."""

    def __init__(self, path: Path, render: Render, resume: Mapping[str, int] | None = None) -> None:
        self._render = render
        self._records = resume["records"] if resume else 0
        self._file = ByteFile(path, resume)

    def write(self, record: Record, documents: tuple[Document, ...]) -> None:
        self._file.write(self._render_safely(record, documents))
        self._records += 1

    def _render_safely(self, record: Record, documents: tuple[Document, ...]) -> bytes:
        """The bytes of a record. Nothing is written yet, so whatever is raised concerns it alone."""
        try:
            return self._render(record, documents)
        except FormatError:
            raise
        except Exception as error:
            raise FormatError(f"could not be written ({kind_of_error(error)})") from None

    def checkpoint(self) -> Mapping[str, int]:
        return {"records": self._records, "bytes": self._file.checkpoint()}

    def close(self) -> None:
        self._file.close()

    def abort(self) -> None:
        self._file.abort()

    def release(self) -> None:
        self._file.release()


class PairSink:
    """The sink of a format whose notes are in two files: a record goes to both or to none."""

    def __init__(
        self,
        paths: tuple[Path, ...],
        render_files: Callable[[Record, tuple[Document, ...]], tuple[bytes, ...]],
        resume: Mapping[str, int] | None = None,
    ) -> None:
        self._render_files = render_files
        self._records = resume["records"] if resume else 0
        beside = None if resume is None else {**resume, "bytes": resume["beside"]}
        self._files = [
            ByteFile(path, state) for path, state in zip(paths, (resume, beside), strict=True)
        ]

    def write(self, record: Record, documents: tuple[Document, ...]) -> None:
        parts = self._render_files(record, documents)
        for file, part in zip(self._files, parts, strict=True):
            file.write(part)
        self._records += 1

    def checkpoint(self) -> Mapping[str, int]:
        size, beside = (file.checkpoint() for file in self._files)
        return {"records": self._records, "bytes": size, "beside": beside}

    def close(self) -> None:
        for file in self._files:
            file.close()

    def abort(self) -> None:
        for file in self._files:
            file.abort()

    def release(self) -> None:
        for file in self._files:
            file.release()


class StreamFormat(ABC):
    """The base of formats whose records are written one after the other."""

    extensions: ClassVar[tuple[str, ...]]
    gzip: ClassVar[bool] = True

    @abstractmethod
    def render(self, record: Record, documents: tuple[Document, ...]) -> bytes:
        """The bytes of a record with its documents after replacement."""

    def sniff(self, path: Path, head: bytes) -> bool:
        return extension(path) in self.extensions

    def companions(self, path: Path) -> tuple[Path, ...]:
        return ()

    def notes_beside(self, name: str) -> tuple[str, ...]:
        return ()

    def holds_patient(self, document: Document) -> bool:
        return False

    def sink(self, path: Path, source: Source, resume: Mapping[str, int] | None = None) -> Sink:
        return StreamSink(path, self.render, resume)

    def render_files(self, record: Record, documents: tuple[Document, ...]) -> tuple[bytes, ...]:
        return (self.render(record, documents),)


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
    """The base of formats with one note a file."""

    table = False

    @abstractmethod
    def load(self, path: Path, fields: Fields) -> Record:
        """The one record of a file."""

    @abstractmethod
    def problem(self, document: Document) -> str | None:
        """Why the format cannot hold a document; None if it can."""

    @abstractmethod
    def serialize(self, document: Document) -> bytes:
        """The bytes of a new file for a document that the format can hold."""

    def open(self, path: Path, fields: Fields) -> NoteSource:
        return NoteSource(path, fields, self.load)

    def write(self, documents: Iterable[Document], path: Path) -> None:
        for document, target in note_paths(documents, path, self.extensions):
            if reason := self.problem(document):
                raise FormatError(reason, document.id)
            self.write_one(document, target)

    def write_one(self, document: Document, path: Path) -> None:
        """Write a document to its file, and to those beside it."""
        with new_file(path) as file:
            file.write(self.serialize(document))


def note_id(path: Path) -> str:
    """The name of the file without its extension."""
    return readable(Path(plain_name(path)).stem)


def note_paths(
    documents: Iterable[Document], path: Path, extensions: tuple[str, ...]
) -> Iterator[tuple[Document, Path]]:
    """Where each document goes: into the file `path` if it has the format's extension, else
    into the folder `path`, under its id. No id leads out of the folder, no two to one file.
    """
    single = extension(path) in extensions
    targets: set[Path] = set()
    for document in documents:
        target = path if single else _inside(path, document.id, extensions[0])
        if target in targets:
            raise FormatError(
                "one file holds one note: name a folder instead"
                if single
                else "two notes have the same id, so their files would have the same name"
            )
        targets.add(target)
        yield document, target


def _inside(folder: Path, id: str, suffix: str) -> Path:
    parts = PurePosixPath(id).parts
    if not parts or id.startswith("/") or ".." in parts or "\\" in id or "\0" in id:
        raise FormatError("an id cannot be the name of a file")
    return folder / f"{PurePosixPath(id)}{suffix}"


def unchanged(record: Record, old: Document, new: Document) -> bool:
    """Whether neither text nor written spans differ, so that the bytes stay."""
    return old.text == new.text and old.spans == (new.spans if record.marks else ())


def document_to_write(record: Record, document: Document) -> Document:
    """With the spans to write: no empty ones, which stand where something was removed, and none at
    all where the record is to be without marks.
    """
    if not record.marks:
        return document.with_spans(())
    if all(span.start < span.end for span in document.spans):
        return document
    return replace(document, spans=tuple(s for s in document.spans if s.start < s.end))
