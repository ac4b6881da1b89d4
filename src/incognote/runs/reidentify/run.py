"""Re-identification of files: all of them or, where a note is refused, none unless asked."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from incognote.base.errors import RunError, StoppedError, kind_of_error, reason_of
from incognote.formats.container import FormatError
from incognote.replace.vault import Vault, VaultError
from incognote.runs.deid import EVERY_FILE
from incognote.runs.inputs import Input, list_inputs
from incognote.runs.naming import suffix_of
from incognote.runs.place import Place, choose_place
from incognote.runs.reidentify.one_file import Advance, Restored, restore_file
from incognote.runs.reidentify.reading import Asked
from incognote.runs.tally import Failure


@dataclass
class Returned:
    """What a run gave back; nothing was written unless `written`.

    `exact` notes came back byte for byte; of the others the text did. `unnamed` files keep the
    name of the output, because the vault does not tell theirs.
    """

    inputs: Sequence[Input]
    target: Path
    notes: int = 0
    exact: int = 0
    unnamed: int = 0
    written: bool = False
    failures: list[Failure] = field(default_factory=list)

    def add(self, input: Input, file: Restored) -> None:
        """Count a file."""
        self.notes += file.notes
        self.exact += file.exact
        self.failures += [Failure(input.index, *failure) for failure in file.failures]


def reidentify(
    source: str,
    output: str | Path,
    vault: Vault,
    *,
    asked: Asked | None = None,
    keep_going: bool = False,
    overwrite: bool = False,
    advance: Advance = lambda notes, size: None,
) -> Returned:
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
        return _restored(place, inputs, vault, asked or Asked(), keep_going, advance)


def _restored(
    place: Place,
    inputs: Sequence[Input],
    vault: Vault,
    asked: Asked,
    keep_going: bool,
    advance: Advance,
) -> Returned:
    result = Returned(inputs, place.target)
    try:
        with _stage(place) as stage:
            staged: dict[PurePosixPath, Restored] = {}
            for input in inputs:
                path = stage / f"{input.index}{suffix_of(place.single or input.relative)}"
                try:
                    file = restore_file(input, path, vault, asked, advance)
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
    made = not place.folder.exists()
    place.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        place.state.mkdir(mode=0o700)
        yield place.state
    finally:
        shutil.rmtree(place.state, ignore_errors=True)
        if made and not any(place.folder.iterdir()):
            place.folder.rmdir()


def _name(
    input: Input, file: Restored, place: Place, taken: Iterable[PurePosixPath], result: Returned
) -> PurePosixPath:
    """What a file is called again: as the user says, as it was, or as the output is."""
    if place.single is not None:
        return PurePosixPath(place.single)
    if file.name is None:
        result.unnamed += 1
    name = file.name or PurePosixPath(input.relative.as_posix())
    if name in taken:
        raise FormatError("another file has come back under the same name")
    return name


def _publish(place: Place, staged: dict[PurePosixPath, Restored]) -> None:
    """Give all files their names, readable by their owner only: they hold PHI again."""
    for name, file in staged.items():
        target = place.folder / name
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        sources = (file.path, *file.format.companions(file.path))
        targets = (target, *file.format.companions(target))
        for path, final in zip(sources, targets, strict=True):
            path.chmod(0o600)
            path.replace(final)
