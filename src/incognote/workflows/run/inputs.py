"""The input files of a run: arguments become a sorted list of files, each with a number."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath

STATE_FOLDER = ".incognote-run"


class RunError(Exception):
    """A run that cannot start; one sentence for the user."""

    status = 2


class StoppedError(RunError):
    """A run that cannot go on. What is finished is kept."""

    status = 1


@dataclass(frozen=True)
class Input:
    """One file to read. `index` counts from 1; messages name it, since file names are PHI too."""

    index: int
    path: Path
    relative: PurePath
    """Where it stands below the arguments; the output keeps the shape of this tree."""
    problem: str = ""
    """Why it cannot be read, if the listing already showed that."""

    def stamp(self) -> str:
        """Changes when the file does."""
        status = self.path.stat()
        return f"{status.st_size}-{status.st_mtime_ns}"

    def size(self) -> int:
        """Bytes; 0 if it cannot be told."""
        try:
            return self.path.stat().st_size
        except OSError:
            return 0


def list_inputs(arguments: Iterable[str]) -> list[Input]:
    """Files, folders (all files below, sorted, hidden ones left out) and glob patterns.

    No two inputs have the same relative path: where they would, more of their folders shows.
    """
    roots = [root for argument in arguments for root in _expand(argument)]
    several = len(roots) > 1
    found: list[tuple[Path, PurePath, str]] = []
    for root in roots:
        prefix = PurePath(root.name) if several and root.is_dir() else PurePath()
        for path, problem in _files(root):
            relative = path.relative_to(root) if root.is_dir() else PurePath(path.name)
            found.append((path, prefix / relative, problem))
    unique = {path.absolute(): (path, relative, problem) for path, relative, problem in found}
    if len({relative for _, relative, _ in unique.values()}) < len(unique):
        common = Path(os.path.commonpath(list(unique)))
        unique = {
            full: (path, full.relative_to(common), problem)
            for full, (path, _, problem) in unique.items()
        }
    return [
        Input(index, path, relative, problem)
        for index, (path, relative, problem) in enumerate(unique.values(), start=1)
    ]


def _expand(argument: str) -> list[Path]:
    path = Path(argument)
    if path.exists():
        return [path]
    if glob.has_magic(argument):
        matches = sorted(glob.glob(argument, recursive=True))  # noqa: PTH207
        if not matches:
            raise RunError(f"no file matches {argument}")
        return [Path(match) for match in matches]
    raise RunError(f"{argument}: no such file or folder")


def _files(root: Path) -> Iterator[tuple[Path, str]]:
    if root.is_file():
        yield root, ""
    elif root.is_dir():
        yield from _walk(root, frozenset())
    else:
        yield root, "not a regular file"


def _walk(folder: Path, above: frozenset[tuple[int, int]]) -> Iterator[tuple[Path, str]]:
    """Files below a folder. Links are followed, but never back into a folder that holds them."""
    try:
        status = folder.stat()
        here = (status.st_dev, status.st_ino)
        if here in above:
            yield folder, "a link that leads back to a folder above it"
            return
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError as error:
        yield folder, reason_of(error)
        return
    names = {entry.name for entry in entries}
    for entry in entries:
        if entry.name.startswith("."):
            continue
        path = folder / entry.name
        if entry.is_dir():
            yield from _walk(path, above | {here})
        elif path.suffix == ".ann" and path.with_suffix(".txt").name in names:
            continue
        elif entry.is_file():
            yield path, ""
        else:
            yield path, "not a regular file"


def reason_of(error: OSError) -> str:
    """What the system says, without the path."""
    return (error.strerror or type(error).__name__).lower()
