"""Formats of one note a file: their source, and how a set of notes becomes files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

from incognote.document import Document
from incognote.formats.container import FormatError, Record
from incognote.formats.stream import extension, plain_name


def note_id(path: Path) -> str:
    """The name of the file without its extension."""
    return Path(plain_name(path)).stem


class NoteSource:
    """A file that is one record."""

    def __init__(self, path: Path, load: Callable[[Path], Record]) -> None:
        self._path = path
        self._load = load

    def records(self, skip: int = 0) -> Iterator[Record]:
        if not skip:
            yield self._load(self._path)

    def close(self) -> None:
        pass


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


def same(old: Document, new: Document) -> bool:
    """Whether nothing that a file shows has changed."""
    return old.text == new.text and old.spans == new.spans


def marked(document: Document) -> Document:
    """Without the empty spans that stand where something was removed."""
    if all(span.start < span.end for span in document.spans):
        return document
    return replace(document, spans=tuple(s for s in document.spans if s.start < s.end))
