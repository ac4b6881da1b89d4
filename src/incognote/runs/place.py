"""Where a run may write, and what must be so before it begins."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Sequence
from contextlib import AbstractContextManager, closing, suppress
from dataclasses import dataclass
from pathlib import Path, PurePath

from incognote.base.errors import RunError, reason_of
from incognote.base.files import files_below, real_path
from incognote.base.lock import is_lock, output_lock
from incognote.base.messages import quantity
from incognote.formats.brat import ann_path
from incognote.formats.physionet import location_files, text_names
from incognote.formats.streams import extension
from incognote.runs.inputs import STATE_FOLDER, Input
from incognote.runs.journal import JOURNAL


@dataclass(frozen=True)
class Place:
    """The output folder, the state folder in it, and the name of a single output file."""

    folder: Path
    state: Path
    single: PurePath | None = None

    @property
    def target(self) -> Path:
        """What the user asked for: a file or a folder."""
        return self.folder / self.single if self.single else self.folder

    @property
    def unfinished(self) -> bool:
        """Whether a run has stopped here half way."""
        return (self.state / JOURNAL).exists()

    def beside(self, ending: str) -> Path:
        """A file that belongs to the run but not to the release: `clean.audit.json`."""
        return self.target.with_name(self.target.name + ending)

    def lock(self, command: str) -> AbstractContextManager[None]:
        """Held while the run writes; InUseError if another run does."""
        return output_lock(self.target, command, folder=self.single is None)

    def files(self) -> Generator[Path]:
        """What is in the output folder, but for a run's own state: files, links and the like."""
        with closing(files_below(self.folder, without=self.state)) as paths:
            yield from (path for path in paths if not is_lock(path))

    def is_taken(self) -> bool:
        """Whether there is something that a run would replace or stand beside."""
        if self.single is not None:
            return os.path.lexists(self.target)
        with closing(self.files()) as files:
            return next(files, None) is not None


def choose_place(wanted: str | Path, arguments: Sequence[str], inputs: Sequence[Input]) -> Place:
    """Decide between file and folder; refuse what would mix input and output.

    One input goes to a file, unless `wanted` is a folder or ends like one.
    """
    output = Path(wanted)
    _check_regular(output)
    one_file = len(inputs) == 1 and len(arguments) == 1 and Path(arguments[0]).is_file()
    if one_file and not output.is_dir() and not str(wanted).endswith(("/", "\\")):
        place = Place(
            output.parent, output.parent / f".{output.name}.incognote-run", PurePath(output.name)
        )
    else:
        if output.is_file():
            raise RunError(f"{output}: is a file, but several notes need a folder")
        place = Place(output, output / STATE_FOLDER)
    _keep_apart(place, arguments, inputs)
    return place


def _check_regular(path: Path) -> None:
    """Refuse a device or a pipe: a run puts a finished file in its place."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise RunError(f"{path}: is neither a file nor a folder; choose another name")


def _keep_apart(place: Place, arguments: Sequence[str], inputs: Sequence[Input]) -> None:
    target = real_path(place.target)
    for argument in arguments:
        source = real_path(Path(argument))
        if source == target:
            raise RunError(f"{place.target}: is also the input; choose another output")
        if source.is_dir() and source in target.parents:
            raise RunError(f"{place.target}: lies inside the input folder; choose another output")
    for input in inputs:
        source = real_path(input.path)
        if source == target or (place.single is None and target in source.parents):
            raise RunError(f"{place.target}: holds the input; choose another output")


def goes_on(place: Place, *, overwrite: bool, resume: bool) -> bool:
    """Whether the run that stopped here is to be continued; refuse what nobody asked to replace."""
    if overwrite and resume:
        raise RunError(
            "--resume continues a run and --overwrite begins it anew: choose one of the two"
        )
    if overwrite:
        return False
    if place.unfinished:
        if resume:
            return True
        raise RunError(
            f"{place.target}: an unfinished run is here; continue it with --resume, "
            "or start over with --overwrite"
        )
    if place.is_taken():
        why = "no unfinished run is here to resume, but other files are" if resume else "exists"
        raise RunError(f"{place.target}: {why}; choose another output or use --overwrite")
    return False


def check_foreign(place: Place, ours: Iterable[PurePath]) -> None:
    """Nothing may stand in a release but what a run wrote: `ours`, and annotations beside it."""
    known = {path for output in ours for path in with_annotations(place.folder / output)}
    foreign = set(place.files()) - known
    if foreign:
        raise RunError(
            f"{place.folder}: holds {quantity(len(foreign), 'file')} that this run would not replace; "
            "empty it, or choose another output"
        )


def with_annotations(output: Path) -> tuple[Path, ...]:
    """The files that an output may have: a note, and what marks it as brat or PhysioNet do."""
    if extension(output) not in ("", ".txt", ".text"):
        return (output,)
    return (output, ann_path(output), location_files(output)[0])


def annotated(path: Path) -> Path:
    """The note that a file marks, or the file itself if it marks none."""
    if path.suffix == ".ann":
        return path.with_suffix(".txt")
    return path.with_name(next(iter(text_names(path.name)), path.name))


def remove_files(place: Place, kept: set[Path]) -> None:
    """Remove all files of the output folder but these, and the folders that are empty then."""
    for path in list(place.files()):
        if path not in kept:
            path.unlink()
    for folder, _, _ in os.walk(place.folder, topdown=False):
        if Path(folder) not in (place.folder, place.state):
            with suppress(OSError):
                Path(folder).rmdir()


def check_free(paths: Iterable[Path], inputs: Sequence[Input], *, overwrite: bool) -> None:
    """The files beside the output must not replace an input, nor, unasked, anything else."""
    sources = {real_path(input.path) for input in inputs}
    for path in paths:
        if real_path(path) in sources:
            raise RunError(f"{path}: is also the input; choose another name")
        if path.is_dir():
            raise RunError(f"{path}: is a folder")
        _check_regular(path)
        if path.exists() and not overwrite:
            raise RunError(f"{path}: exists; move it away or use --overwrite")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunError(f"{path}: cannot be written: {reason_of(error)}") from None
        if not os.access(path.parent, os.W_OK):
            raise RunError(f"{path}: cannot be written: permission denied")
