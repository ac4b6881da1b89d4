"""Where a run may write: checked before the first note is read."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from incognote.workflows.run.inputs import STATE_FOLDER, Input, RunError, reason_of


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

    def beside(self, ending: str) -> Path:
        """A file that belongs to the run but not to the release: `clean.audit.json`."""
        return self.target.with_name(self.target.name + ending)

    def clear(self) -> None:
        """Forget an unfinished run."""
        shutil.rmtree(self.state, ignore_errors=True)


def choose_place(
    wanted: str | Path,
    arguments: Sequence[str],
    inputs: Sequence[Input],
    *,
    overwrite: bool,
    resume: bool,
) -> Place:
    """Decide between file and folder; refuse what would mix input and output or lose data.

    One input goes to a file, unless `wanted` is a folder or ends like one.
    """
    output = Path(wanted)
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
    unfinished = place.state.exists()
    if resume or overwrite:
        if overwrite and not resume:
            place.clear()
        return place
    if unfinished:
        raise RunError(
            f"{output}: an unfinished run is here; continue it with --resume, "
            "or begin anew with --overwrite"
        )
    if output.is_file() or (output.is_dir() and any(output.iterdir())):
        raise RunError(f"{output}: exists; choose another output or use --overwrite")
    return place


def _keep_apart(place: Place, arguments: Sequence[str], inputs: Sequence[Input]) -> None:
    target = place.target.resolve()
    for argument in arguments:
        source = Path(argument).resolve()
        if source == target:
            raise RunError(f"{place.target}: is also the input; choose another output")
        if source.is_dir() and source in target.parents:
            raise RunError(f"{place.target}: lies inside the input folder; choose another output")
    for input in inputs:
        source = input.path.resolve()
        if source == target or (place.single is None and target in source.parents):
            raise RunError(f"{place.target}: holds the input; choose another output")


def clear_outputs(place: Place, earlier: Iterable[PurePath], planned: Iterable[PurePath]) -> None:
    """Before `--overwrite`: remove what an earlier run wrote, and refuse to mix with other files."""
    ours = {
        place.folder / name
        for output in (*earlier, *planned)
        for name in (output, output.with_suffix(".ann"))
    }
    there = {path for path in place.folder.rglob("*") if path.is_file()}
    foreign = there - ours
    if foreign:
        raise RunError(
            f"{place.folder}: holds {len(foreign):,} files that this run would not replace; "
            "empty it, or choose another output"
        )
    for path in there:
        path.unlink()


def check_free(paths: Iterable[Path], inputs: Sequence[Input], *, overwrite: bool) -> None:
    """The files beside the output must not replace an input, nor, unasked, anything else."""
    sources = {input.path.resolve() for input in inputs}
    for path in paths:
        if path.resolve() in sources:
            raise RunError(f"{path}: is also the input; choose another name")
        if path.is_dir():
            raise RunError(f"{path}: is a folder")
        if path.exists() and not overwrite:
            raise RunError(f"{path}: exists; move it away or use --overwrite")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunError(f"{path}: cannot be written: {reason_of(error)}") from None
        if not os.access(path.parent, os.W_OK):
            raise RunError(f"{path}: cannot be written: permission denied")
