"""Standard input and output as files, so that a run treats them like any other."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import BinaryIO

from incognote.base.errors import RunError
from incognote.base.files import private_file
from incognote.base.lock import output_lock
from incognote.runs.outputs import suffix_of


@contextmanager
def standard_input(paths: Sequence[str] | None, *, whole: bool = True) -> Iterator[Sequence[str]]:
    """The paths; if there are none, a file that holds standard input and has no name on disk.

    Without `whole` it is left to be read as it comes.
    """
    if not whole:
        yield ()
        return
    if paths and list(paths) != ["-"]:
        yield paths
        return
    if sys.stdin.isatty():
        raise RunError("give files or folders, or pipe a note in (see: incognote deid --help)")
    if not Path("/dev/fd").exists():
        raise RunError("standard input needs a system with /dev/fd; give a file instead")
    with tempfile.TemporaryFile() as spool:
        shutil.copyfileobj(sys.stdin.buffer, spool)
        spool.flush()
        yield [f"/dev/fd/{spool.fileno()}"]


def standard_lines() -> BinaryIO:
    """Standard input as it comes. A buffer of its own, since a thread may wait in it to the end."""
    if sys.stdin.isatty():
        raise RunError("pipe JSON lines in, or give files or folders")
    try:
        return os.fdopen(os.dup(sys.stdin.fileno()), "rb")
    except OSError:  # it is no file
        return sys.stdin.buffer


def write_at_once(data: bytes) -> None:
    """To standard output, for whoever waits there."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


@contextmanager
def standard_output(output: str | None, sources: Sequence[str]) -> Iterator[str]:
    """The output; if there is none, a file that goes to standard output when it is complete."""
    if output is not None:
        yield output
        return
    if len(sources) > 1 or Path(sources[0]).is_dir():
        raise RunError("several notes need a folder to go to: give one with -o")
    with tempfile.TemporaryDirectory(prefix="incognote-") as folder:
        target = Path(folder) / f"output{suffix_of(PurePath(sources[0]))}"
        yield str(target)
        if target.exists():
            with target.open("rb") as content:
                shutil.copyfileobj(content, sys.stdout.buffer)
            sys.stdout.buffer.flush()


@contextmanager
def spans_to(
    output: Path | None, command: str, *, overwrite: bool
) -> Iterator[Callable[[str], object]]:
    """A function that writes a line of JSON.

    A file appears only when all lines are there, and only its owner may read it: ids may be names
    of files. What is not UTF-8 in these is escaped, as JSON can.
    """
    if output is None:
        yield lambda line: write_at_once(line.encode("utf-8", "backslashreplace"))
        return
    with output_lock(output, command, folder=False):
        if output.exists() and not overwrite:
            raise RunError(f"{output}: exists; choose another output or use --overwrite")
        with private_file(output) as stream:
            yield lambda line: stream.write(line.encode("utf-8", "backslashreplace"))


def stay_quiet() -> None:
    """After the reader of a pipe has gone: nothing more is written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
