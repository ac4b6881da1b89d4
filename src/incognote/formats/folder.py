"""Documents out of a file or a folder, and into one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from incognote.document import Document
from incognote.formats.container import BadRecord, Format, Record
from incognote.formats.fields import Fields
from incognote.formats.format_error import FormatError
from incognote.formats.registry import FORMATS, detect
from incognote.formats.streams import extension, plain_name, readable, reading


def inputs(folder: Path, format: str | None = None) -> Iterator[Path]:
    """The files of a folder and the folders in it, sorted by path; links are followed. Hidden
    files are left out, and so is what stands beside notes and belongs to them: the `.ann` of brat,
    the locations of PhysioNet. With a format, only files with its extensions. A folder that
    cannot be listed, or a link back to one above it, is an error.
    """
    for path in _walk(folder, frozenset()):
        if format is None or extension(path) in detect(path, format).extensions:
            yield path


def stands_beside(name: str, names: Collection[str]) -> bool:
    """Whether a file belongs to another of those in its folder, which is read together with it."""
    return any(note in names for format in FORMATS.values() for note in format.notes_beside(name))


def _walk(folder: Path, above: frozenset[tuple[int, int]]) -> Iterator[Path]:
    files: list[Path] = []
    folders: list[Path] = []
    try:
        with reading():
            status = folder.stat()
            paths = sorted(folder.iterdir())
            names = {path.name for path in paths}
            for path in paths:
                if path.name.startswith("."):
                    continue
                if path.is_dir():
                    folders.append(path)
                elif not stands_beside(path.name, names):
                    files.append(path)
    except FormatError as error:
        raise error.within(readable(str(folder))) from None
    here = (status.st_dev, status.st_ino)
    if here in above:
        raise FormatError("a link that leads back to a folder above it", readable(str(folder)))
    yield from files
    for each in folders:
        yield from _walk(each, above | {here})


@dataclass(frozen=True)
class FileRecord:
    """A record and the file it stands in. `format` is None where it is not known."""

    path: Path
    format: Format | None
    record: Record | BadRecord

    def documents(self) -> tuple[Document, ...]:
        """Its documents; a bad record raises its error, with the file before the place."""
        if isinstance(self.record, BadRecord):
            raise self.record.error.within(readable(str(self.path)))
        return self.record.documents


def read_records(
    path: Path | str, format: str | None = None, fields: Fields | None = None
) -> Iterator[FileRecord]:
    """The records of a file, or of all files of a folder, the bad ones among them.

    The id of a note that is a file is its name without extension, in a folder its path. Rows
    keep the ids that their table gives them. What makes the rest of a file unreadable is its last
    record.
    """
    path = Path(path)
    if not path.is_dir():
        yield from _in_file(path, format, fields or Fields(), "")
        return
    for file in inputs(path, format):
        id = file.relative_to(path).with_name(Path(plain_name(file)).stem).as_posix()
        yield from _in_file(file, format, fields or Fields(), readable(id))


def _in_file(path: Path, format: str | None, fields: Fields, id: str) -> Iterator[FileRecord]:
    kind: Format | None = None
    try:
        kind = detect(path, format)
        with closing(kind.open(path, fields)) as source:
            for record in source.records():
                yield FileRecord(
                    path, kind, _with_unique_ids(record, id, kind.table) if id else record
                )
    except FormatError as error:
        yield FileRecord(path, kind, BadRecord(error))


def _with_unique_ids(record: Record | BadRecord, id: str, table: bool) -> Record | BadRecord:
    """With ids that tell the files of a folder apart."""
    if isinstance(record, BadRecord) or record.has_own_ids:
        return record
    return replace(
        record,
        documents=tuple(
            replace(document, id=f"{id}/{document.id}" if table else id)
            for document in record.documents
        ),
    )


def read(
    path: Path | str, format: str | None = None, fields: Fields | None = None
) -> Iterator[Document]:
    """The documents of a file or folder, as `read_records` names them.

    Bad input raises FormatError with file and place.
    """
    for each in read_records(path, format, fields):
        yield from each.documents()


def write(documents: Iterable[Document], path: Path | str, format: str) -> None:
    """Write documents to a new file, or folder where a file is one note."""
    detect(Path(path), format).write(documents, Path(path))
