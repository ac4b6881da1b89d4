"""Documents out of a file or a folder, and into one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from incognote.document import Document
from incognote.formats.brat import text_path
from incognote.formats.container import BadRecord, Fields, FormatError, Record
from incognote.formats.registry import detect
from incognote.formats.stream import extension, plain_name


def inputs(folder: Path, format: str | None = None) -> Iterator[Path]:
    """The files of a folder and the folders in it, sorted by path; links to folders are not
    followed. Hidden files are left out, and so is the `.ann` of a pair. With a format, only
    files with its extensions.
    """
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(parent, name)
            if name.startswith(".") or (path.suffix.lower() == ".ann" and text_path(path).exists()):
                continue
            if format is None or extension(path) in detect(path, format).extensions:
                yield path


def read(
    path: Path | str, format: str | None = None, fields: Fields | None = None
) -> Iterator[Document]:
    """The documents of a file, or of all files of a folder.

    The id of a note that is a file is its name without extension, in a folder its path. Rows
    keep the ids that their table gives them. Bad input raises FormatError with file and place.
    """
    path = Path(path)
    if not path.is_dir():
        yield from _read_file(path, format, fields or Fields(), "")
        return
    for file in inputs(path, format):
        id = file.relative_to(path).with_name(Path(plain_name(file)).stem).as_posix()
        yield from _read_file(file, format, fields or Fields(), id)


def _read_file(path: Path, format: str | None, fields: Fields, id: str) -> Iterator[Document]:
    try:
        kind = detect(path, format)
        with closing(kind.open(path, fields)) as source:
            for record in source.records():
                if isinstance(record, BadRecord):
                    raise record.error
                yield from _renamed(record, id, kind.table)
    except FormatError as error:
        place = f"{path}, {error.place}" if error.place else str(path)
        raise FormatError(error.reason, place) from None


def _renamed(record: Record, id: str, table: bool) -> Iterator[Document]:
    """With an id that tells the files of a folder apart."""
    for document in record.documents:
        if not id or record.named:
            yield document
        else:
            yield replace(document, id=f"{id}/{document.id}" if table else id)


def write(documents: Iterable[Document], path: Path | str, format: str) -> None:
    """Write documents to a new file, or folder where a file is one note."""
    detect(Path(path), format).write(documents, Path(path))
