"""Standard input and output as files, so that a run treats them like any other."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePath

from incognote.workflows.run.inputs import RunError
from incognote.workflows.run.naming import suffix_of


@contextmanager
def standard_input(paths: Sequence[str] | None) -> Iterator[Sequence[str]]:
    """The paths; if there are none, a file that holds standard input and has no name on disk."""
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
def spans_to(output: Path | None) -> Iterator[Callable[[str], object]]:
    """A function that writes a line; a file appears only when all lines are there."""
    if output is None:
        yield lambda line: sys.stdout.buffer.write(line.encode("utf-8", "surrogatepass"))
        sys.stdout.buffer.flush()
        return
    output.parent.mkdir(parents=True, exist_ok=True)
    partial = output.with_name(f".{output.name}.partial")
    try:
        with partial.open("w", encoding="utf-8", newline="") as stream:
            yield stream.write
        partial.replace(output)
    finally:
        partial.unlink(missing_ok=True)


def stay_quiet() -> None:
    """After the reader of a pipe has gone: nothing more is written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
