"""Where a run may write: checked before the first note is read."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from incognote.workflows.run.inputs import STATE_FOLDER, Input, RunError


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
    _keep_apart(place, arguments)
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


def _keep_apart(place: Place, arguments: Sequence[str]) -> None:
    target = place.target.resolve()
    for argument in arguments:
        source = Path(argument).resolve()
        if source == target:
            raise RunError(f"{place.target}: is also the input; choose another output")
        if source.is_dir() and source in target.parents:
            raise RunError(f"{place.target}: lies inside the input folder; choose another output")
        if place.single is None and target in source.parents:
            raise RunError(f"{place.target}: holds the input; choose another output")
