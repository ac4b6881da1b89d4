"""Outputs that appear whole or not at all."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from incognote.workflows.corpus.reading import CorpusError


@contextmanager
def staged(output: Path, inputs: Iterable[Path], *, overwrite: bool = False) -> Iterator[Path]:
    """A place to write a file or a folder; it becomes `output` if nothing went wrong.

    What exists is refused unless `overwrite`; then files and folders of the same name in an
    existing folder are replaced, and others left alone.
    """
    check_output(output, inputs, overwrite=overwrite)
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".incognote-", dir=output.parent) as folder:
        made = Path(folder) / output.name
        yield made
        if made.is_dir() and output.is_dir():
            for entry in sorted(made.iterdir()):
                _put(entry, output / entry.name)
        elif made.exists():
            _put(made, output)


def check_output(output: Path, inputs: Iterable[Path], *, overwrite: bool) -> None:
    """Refuse what would mix input and output, or lose something."""
    check_apart(output, inputs)
    taken = output.is_file() or (output.is_dir() and any(output.iterdir()))
    if taken and not overwrite:
        raise CorpusError(f"{output}: exists; choose another output or use --overwrite")


def check_apart(output: Path, inputs: Iterable[Path]) -> None:
    """Refuse what would mix input and output."""
    target = output.resolve()
    for each in inputs:
        source = each.resolve()
        if source == target:
            raise CorpusError(f"{output}: is also the input; choose another output")
        if source in target.parents:
            raise CorpusError(f"{output}: lies inside the input folder; choose another output")
        if target in source.parents:
            raise CorpusError(f"{output}: holds the input; choose another output")


def _put(made: Path, target: Path) -> None:
    """Move into place; an old folder stays until the new one stands."""
    if made.is_file() and not target.is_dir():
        made.replace(target)
        return
    if not target.exists():
        made.rename(target)
        return
    old = made.parent.with_name(f"{made.parent.name}.old")
    target.rename(old)
    made.rename(target)
    if old.is_dir():
        shutil.rmtree(old)
    else:
        old.unlink()
