"""Files that are there whole or not at all, that only their owner may read, or that come from others.

`write_whole` is for results, `write_private` for what tells of patients, `staged` for an output of
several files. All write beside the final place and rename, so that a killed run or a full disk leaves
an older file as it was.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, BinaryIO

from incognote.base.errors import UserError, reason_of

OWNER_ONLY_FILE = 0o600
OWNER_ONLY_FOLDER = 0o700
UNFINISHED = ".part"
"""How the name of a file ends while it is written."""


def size_of_file(path: Path, error: type[UserError]) -> int:
    """How many bytes a file has; what is none, such as a pipe that might never end, is refused."""
    try:
        status = path.stat()
    except OSError as problem:
        raise error(f"{path}: {reason_of(problem)}") from None
    except ValueError:  # a character that no path has
        raise error(f"{str(path)!r}: is no path") from None
    if stat.S_ISDIR(status.st_mode):
        raise error(f"{path}: is a folder, and must be a file")
    if not stat.S_ISREG(status.st_mode):
        raise error(f"{path}: is no file")
    return status.st_size


# Whole files


@contextmanager
def naming_file(path: Path) -> Iterator[Path]:
    """Let system errors name this file: a full disk does not say for which one it had no room."""
    try:
        yield path
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


@contextmanager
def whole_file(path: Path, *, durable: bool = False) -> Iterator[Path]:
    """Another path to write to; the file there becomes `path` in one step if nothing went wrong.

    durable: even if the machine stops right after, for which the disk is waited for.
    """
    part = path.with_name(path.name + UNFINISHED)
    try:
        with naming_file(path):
            yield part
            if durable:
                with part.open("rb+") as file:
                    os.fsync(file.fileno())
            part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def write_whole(path: Path, data: bytes, *, durable: bool = False) -> None:
    """Write a file; if that fails, nothing of it stays, and an older one does."""
    with whole_file(path, durable=durable) as part:
        part.write_bytes(data)


@contextmanager
def staged(
    output: Path,
    *,
    private: bool = False,
    check: Callable[[Path], None] = lambda stage: None,
) -> Iterator[Path]:
    """A path for a file or a folder, which becomes `output` if nothing went wrong.

    What was written beside a staged file goes beside `output`; the entries of a staged folder go
    into an existing folder and replace those of the same name. `check` is given the staged path
    and may refuse it; a `private` one is its owner's only.
    """
    with tempfile.TemporaryDirectory(prefix=".incognote-", dir=output.parent) as folder:
        stage = Path(folder) / output.name
        yield stage
        if private and stage.exists():
            make_private(stage)
        check(stage)
        if stage.is_dir() and output.is_dir():
            for entry in sorted(stage.iterdir()):
                _move(entry, output / entry.name)
        elif stage.exists():
            for entry in sorted(stage.parent.iterdir()):
                _move(entry, output.with_name(entry.name))


def _move(source: Path, target: Path) -> None:
    """Move into place; an old folder stays until the new one stands."""
    if source.is_file() and not target.is_dir():
        source.replace(target)
        return
    if not target.exists():
        source.rename(target)
        return
    old = source.parent.with_name(f"{source.parent.name}.old")
    target.rename(old)
    source.rename(target)
    if old.is_dir():
        shutil.rmtree(old)
    else:
        old.unlink()


# Private files


@contextmanager
def private_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write, which appears in one step, whole and durable, when all went well.

    Only its owner may read it, from its first byte on; what was there before is replaced.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=".incognote-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def write_private(path: Path, content: bytes) -> None:
    """Write a private file in one go."""
    with private_file(path) as stream:
        stream.write(content)


def make_private(path: Path) -> None:
    """Take a file, or a folder and all that is in it, from everybody but its owner."""
    if path.is_symlink():
        return
    if not path.is_dir():
        path.chmod(OWNER_ONLY_FILE)
        return
    path.chmod(OWNER_ONLY_FOLDER)
    for entry in path.iterdir():
        make_private(entry)


# Paths


def files_below(folder: Path, *, without: Path | None = None) -> Generator[Path]:
    """All below a folder that is no folder itself, in any order. Links are listed, never followed.

    `without` is a folder that is left out with all that is in it.
    """
    for here, folders, names in os.walk(folder):
        above = Path(here)
        if without is not None:
            folders[:] = [name for name in folders if above / name != without]
        links = (name for name in folders if (above / name).is_symlink())
        yield from (above / name for name in (*links, *names))


def real_path(path: Path) -> Path:
    """Where a path leads. `Path.resolve` raises at a loop of links, with the name in its message."""
    return Path(os.path.realpath(path))


def is_inside(path: Path, folder: Path) -> bool:
    """Whether a path, with all links followed, lies below a folder."""
    return real_path(folder) in real_path(path).parents


def is_plain_name(name: str) -> bool:
    """Whether it names a file in a folder, on any system, and nothing outside of it."""
    return (
        name not in ("", ".", "..")
        and "\0" not in name
        and PurePosixPath(name).name == PureWindowsPath(name).name == name
    )


# JSON that a user or a stranger gives


class JsonError(UserError, ValueError):
    """What is wrong with a JSON text; says nothing of what is in it."""


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text."""
    try:
        return json.loads(text)
    except RecursionError:
        raise JsonError("nested too deeply to be read as JSON; the file is damaged") from None
    except (ValueError, MemoryError):  # also bytes that are no text, and numbers without end
        raise JsonError("not readable as JSON; the file is damaged") from None


def read_json(path: Path) -> Any:
    """The value of a JSON file; OSError where it cannot be opened."""
    return parse_json(path.read_bytes())
