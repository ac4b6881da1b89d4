"""The input files of a run: arguments become a sorted list of files, each with a number."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePath

from incognote.base.errors import RunError, reason_of
from incognote.formats.folder import stands_beside


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


def list_inputs(
    arguments: Iterable[str], include: Sequence[str] = (), exclude: Sequence[str] = ()
) -> list[Input]:
    """Files, folders (all files below, sorted, hidden ones left out) and glob patterns.

    With `include` only files that one of its patterns fits, with `exclude` none that one fits. No
    two inputs have the same relative path: where they would, more of their folders shows.
    """
    roots = [root for argument in arguments for root in _expand(argument)]
    several = len(roots) > 1
    entries: list[tuple[Path, PurePath, str]] = []
    for root in roots:
        prefix = PurePath(root.name) if several and root.is_dir() else PurePath()
        for path, problem in _files(root):
            relative = path.relative_to(root) if root.is_dir() else PurePath(path.name)
            if _is_included(relative, include, exclude):
                entries.append((path, prefix / relative, problem))
    unique = {path.absolute(): (path, relative, problem) for path, relative, problem in entries}
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


def _is_included(path: PurePath, include: Sequence[str], exclude: Sequence[str]) -> bool:
    return (not include or _fits(path, include)) and not _fits(path, exclude)


def _fits(path: PurePath, patterns: Sequence[str]) -> bool:
    """A pattern with a '/' is for the whole path below the input, another for any name in it."""
    return any(
        fnmatchcase(path.as_posix(), pattern.removesuffix("/"))
        or fnmatchcase(path.as_posix(), f"{pattern.removesuffix('/')}/*")
        if "/" in pattern
        else any(fnmatchcase(part, pattern) for part in path.parts)
        for pattern in patterns
    )


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
        yield from _walk(root)
    else:
        yield root, "not a regular file"


def _walk(root: Path) -> Iterator[tuple[Path, str]]:
    """Files below a folder, however deep. What cannot be listed is a file with a problem.

    Links are followed, but never back into a folder that holds them.
    """
    waiting: list[tuple[Path, frozenset[tuple[int, int]] | str]] = [(root, frozenset())]
    while waiting:
        path, more = waiting.pop()
        if isinstance(more, str):
            yield path, more
            continue
        try:
            status = path.stat()
            here = (status.st_dev, status.st_ino)
            if here in more:
                yield path, "a link that leads back to a folder above it"
                continue
            with os.scandir(path) as listing:
                entries = sorted(listing, key=lambda entry: entry.name, reverse=True)
        except OSError as error:
            yield path, reason_of(error)
            continue
        names = {entry.name for entry in entries}
        for entry in entries:
            if not entry.name.startswith(".") and not stands_beside(entry.name, names):
                is_folder, problem = _kind(entry)
                waiting.append((path / entry.name, more | {here} if is_folder else problem))


def _kind(entry: os.DirEntry[str]) -> tuple[bool, str]:
    """Whether it is a folder, or else what keeps it from being read."""
    try:
        if entry.is_dir():
            return True, ""
        return False, "" if entry.is_file() else "not a regular file"
    except OSError as error:  # a loop of links
        return False, reason_of(error)
