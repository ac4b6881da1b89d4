"""Re-identification of files: all of them or, where a note is refused, none unless asked."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Protocol

from incognote.base.errors import RunError, StoppedError, kind_of_error, reason_of
from incognote.formats.container import BadRecord, Format, Record, Sink, Source
from incognote.formats.format_error import FormatError
from incognote.formats.streams import ByteFile
from incognote.replace.vault import UnknownNoteError, Vault, VaultError
from incognote.runs.audit import Failure
from incognote.runs.deid import EVERY_FILE
from incognote.runs.inputs import Input, list_inputs
from incognote.runs.outputs import Place, choose_place, suffix_of
from incognote.runs.stream import Advance
from incognote.runs.vault_notes import Original, ReadOptions, Restorer, is_whole, reading_of


@dataclass
class Reidentification:
    """What a run gave back; nothing was written unless `written`.

    `exact` notes came back byte for byte; of the others the text did. `unnamed` files keep the
    name of the output, because the vault does not tell theirs. `lacking` files are without the
    columns that `deid` left out.
    """

    inputs: Sequence[Input]
    target: Path
    notes: int = 0
    exact: int = 0
    unnamed: int = 0
    lacking: int = 0
    written: bool = False
    failures: list[Failure] = field(default_factory=list)

    def add(self, input: Input, file: RestoredFile) -> None:
        """Count a file."""
        self.notes += file.notes
        self.exact += file.exact
        self.lacking += file.lacks_columns
        self.failures += [Failure(input.index, *failure) for failure in file.failures]


def reidentify(
    source: str,
    output: str | Path,
    vault: Vault,
    *,
    options: ReadOptions | None = None,
    keep_going: bool = False,
    overwrite: bool = False,
    advance: Advance = lambda notes, size: None,
) -> Reidentification:
    """Write the originals of a de-identified file or folder.

    A note that was changed, or that the vault does not know, is refused: then nothing is written
    or, with `keep_going`, all but that.
    """
    inputs = list_inputs([source])
    if not inputs:
        raise RunError(f"{source}: no files here")
    place = choose_place(output, [source], inputs)
    with place.lock("reidentify"):
        _check(place, overwrite=overwrite)
        return _restore_all(place, inputs, vault, options or ReadOptions(), keep_going, advance)


def _restore_all(
    place: Place,
    inputs: Sequence[Input],
    vault: Vault,
    options: ReadOptions,
    keep_going: bool,
    advance: Advance,
) -> Reidentification:
    result = Reidentification(inputs, place.target)
    try:
        with _stage(place) as stage:
            staged: dict[PurePosixPath, RestoredFile] = {}
            for input in inputs:
                path = stage / f"{input.index}{suffix_of(place.single or input.relative)}"
                try:
                    file = restore_file(input, path, vault, options, advance)
                    staged[_name(input, file, place, staged, result)] = file
                    result.add(input, file)
                except VaultError:
                    raise
                except Exception as error:
                    if isinstance(error, OSError) and error.errno in EVERY_FILE:
                        raise
                    result.failures.append(_failure(input, error))
            if staged and (keep_going or not result.failures):
                _publish(place, staged)
                result.written = True
    except OSError as error:
        raise StoppedError(f"cannot write to {place.target}: {reason_of(error)}") from None
    return result


def _failure(input: Input, error: Exception) -> Failure:
    if isinstance(error, FormatError):
        return Failure(input.index, error.place, error.reason)
    return Failure(input.index, "", f"could not be given back ({kind_of_error(error)})")


def _check(place: Place, *, overwrite: bool) -> None:
    """Refuse what would lose something. What a killed run left there is in nobody's way."""
    if place.unfinished:
        raise RunError(f"{place.target}: an unfinished run of deid is here; choose another output")
    shutil.rmtree(place.state, ignore_errors=True)
    if not overwrite and place.is_taken():
        raise RunError(f"{place.target}: exists; choose another output or use --overwrite")


@contextmanager
def _stage(place: Place) -> Iterator[Path]:
    """A folder for files that are not yet what they will be called; it leaves no trace."""
    is_new = not place.folder.exists()
    place.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        place.state.mkdir(mode=0o700)
        yield place.state
    finally:
        shutil.rmtree(place.state, ignore_errors=True)
        if is_new and not any(place.folder.iterdir()):
            place.folder.rmdir()


def _name(
    input: Input,
    file: RestoredFile,
    place: Place,
    others: Iterable[PurePosixPath],
    result: Reidentification,
) -> PurePosixPath:
    """What a file is called again: as the user says, as it was, or as the output is."""
    if place.single is not None:
        return PurePosixPath(place.single)
    if file.name is None:
        result.unnamed += 1
    name = file.name or PurePosixPath(input.relative.as_posix())
    if name in others:
        raise FormatError("another file has come back under the same name")
    return name


def _publish(place: Place, staged: dict[PurePosixPath, RestoredFile]) -> None:
    """Give all files their names, readable by their owner only: they hold PHI again."""
    for name, file in staged.items():
        target = place.folder / name
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        sources = (file.path, *file.format.companions(file.path))
        targets = (target, *file.format.companions(target))
        for path, final in zip(sources, targets, strict=True):
            path.chmod(0o600)
            path.replace(final)


# One file


@dataclass
class RestoredFile:
    """A file that was written under `path`.

    `name` is what it was called, if that is certain; `failures` are the rows of a table that were
    refused and left out, as (place, reason).
    """

    path: Path
    format: Format
    notes: int = 0
    exact: int = 0
    name: PurePosixPath | None = None
    lacks_columns: bool = False
    failures: list[tuple[str, str]] = field(default_factory=list)


def restore_file(
    input: Input, path: Path, vault: Vault, options: ReadOptions, advance: Advance
) -> RestoredFile:
    """Write the originals of a file's notes to `path`.

    FormatError: it cannot be read, or its one note is refused.
    """
    if input.problem:
        raise FormatError(input.problem)
    format, fields, lacks_columns = reading_of(input.path, vault, options)
    above = input.path.resolve().parents[len(input.relative.parts) - 1]
    whole = True
    if format.table:
        with closing(format.open(input.path, fields)) as source:
            whole = is_whole(source.records(), vault)
    restorer = Restorer(vault, format, str(above), input.relative.as_posix(), whole)
    result = RestoredFile(path, format, lacks_columns=lacks_columns)
    characters = 0
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
                advance(len(record.notes), size)
                characters += size
    advance(0, max(0, input.size() - characters))
    result.name = _inside(restorer.name(), input)
    return result


def _restore(
    record: Record | BadRecord, restorer: Restorer, writer: Writer, result: RestoredFile
) -> None:
    if isinstance(record, BadRecord):
        raise record.error
    try:
        original = restorer.restore(record)
    except UnknownNoteError as error:
        raise FormatError(str(error), record.place) from None
    exact = writer.write(record, original) and not result.lacks_columns
    result.notes += len(record.notes)
    result.exact += len(record.notes) * exact


def _inside(name: str | None, input: Input) -> PurePosixPath | None:
    """A name that leads nowhere else; if the output was unpacked since, so is the original."""
    path = PurePosixPath(name or "")
    if not path.name or path.is_absolute() or ".." in path.parts:
        return None
    if path.suffix.lower() == ".gz" and input.path.suffix.lower() != ".gz":
        path = path.with_suffix("")
    return path


# Writing, to a place from where all can still be taken back


WITHOUT_BYTES = frozenset({"parquet"})
"""Formats whose records have no bytes of their own: their values come back, not their pages."""


class Writer(Protocol):
    """Takes the records of a file in order."""

    def write(self, record: Record, original: Original) -> bool:
        """Whether the record is now, byte for byte, what was read."""
        ...

    def close(self) -> None: ...

    def abort(self) -> None: ...


class _ByteWriter:
    """The bytes of a file, and of those beside it."""

    def __init__(self, format: Format, path: Path) -> None:
        self._format = format
        self._files = [ByteFile(each) for each in (path, *format.companions(path))]

    def write(self, record: Record, original: Original) -> bool:
        parts = original.bytes or self._format.render_files(record, original.documents)
        for file, part in zip(self._files, parts, strict=True):
            file.write(part)
        return bool(original.bytes)

    def close(self) -> None:
        for file in self._files:
            file.close()

    def abort(self) -> None:
        for file in self._files:
            file.abort()


class _ValueWriter:
    """The values of a table; the rest is as its format writes it."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink

    def write(self, record: Record, original: Original) -> bool:
        self._sink.write(record, original.documents)
        return False

    def close(self) -> None:
        self._sink.close()

    def abort(self) -> None:
        self._sink.abort()


@contextmanager
def writing(format: Format, source: Source, path: Path) -> Iterator[Writer]:
    """A writer; what it wrote is there if all went well."""
    writer: Writer
    if format.name in WITHOUT_BYTES:
        writer = _ValueWriter(format.sink(path, source))
    else:
        writer = _ByteWriter(format, path)
    try:
        yield writer
        writer.close()
    except BaseException:
        writer.abort()
        raise
