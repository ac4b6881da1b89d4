"""One de-identified file on its way back."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from incognote.formats.container import BadRecord, Format, FormatError, Record
from incognote.replace.vault import UnknownNoteError, Vault
from incognote.runs.inputs import Input
from incognote.runs.reidentify.reading import Asked, reading_of
from incognote.runs.reidentify.restoring import Restorer, is_whole
from incognote.runs.reidentify.writing import Writer, writing

Advance = Callable[[int, int], None]


@dataclass
class Restored:
    """A file that was written under `path`.

    `name` is what it was called, if that is certain; `failures` are the rows of a table that were
    refused and left out, as (place, reason).
    """

    path: Path
    format: Format
    notes: int = 0
    exact: int = 0
    name: PurePosixPath | None = None
    failures: list[tuple[str, str]] = field(default_factory=list)


def restore_file(
    input: Input, path: Path, vault: Vault, asked: Asked, advance: Advance
) -> Restored:
    """Write the originals of a file's notes to `path`.

    FormatError: it cannot be read, or its one note is refused.
    """
    if input.problem:
        raise FormatError(input.problem)
    format, fields = reading_of(input.path, vault, asked)
    above = input.path.resolve().parents[len(input.relative.parts) - 1]
    whole = True
    if format.table:
        with closing(format.open(input.path, fields)) as source:
            whole = is_whole(source.records(), vault)
    restorer = Restorer(vault, format, str(above), input.relative.as_posix(), whole)
    result = Restored(path, format)
    read = 0
    with (
        closing(format.open(input.path, fields)) as source,
        writing(format, source, path) as writer,
    ):
        for record in source.records():
            try:
                _restore(record, restorer, writer, result)
            except FormatError as error:
                if not format.table:
                    raise
                result.failures.append((error.place, error.reason))
            if isinstance(record, Record):
                size = sum(len(document.text) for document in record.documents)
                advance(len(record.documents), size)
                read += size
    advance(0, max(0, input.size() - read))
    result.name = _inside(restorer.name(), input)
    return result


def _restore(
    record: Record | BadRecord, restorer: Restorer, writer: Writer, result: Restored
) -> None:
    if isinstance(record, BadRecord):
        raise record.error
    try:
        original = restorer.restore(record)
    except UnknownNoteError as error:
        raise FormatError(str(error), record.place) from None
    exact = writer.write(record, original)
    result.notes += len(record.documents)
    result.exact += len(record.documents) * exact


def _inside(name: str | None, input: Input) -> PurePosixPath | None:
    """A name that leads nowhere else; if the output was unpacked since, so is the original."""
    path = PurePosixPath(name or "")
    if not path.name or path.is_absolute() or ".." in path.parts:
        return None
    if path.suffix.lower() == ".gz" and input.path.suffix.lower() != ".gz":
        path = path.with_suffix("")
    return path
