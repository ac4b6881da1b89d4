"""Outputs that appear whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from incognote.base import files
from incognote.base.files import real_path
from incognote.base.lock import output_lock
from incognote.base.messages import quantity
from incognote.corpus.source import CorpusError
from incognote.formats.brat import ann_path, text_path


@contextmanager
def staged(
    output: Path,
    inputs: Iterable[Path],
    *,
    overwrite: bool = False,
    alone: bool = False,
    private: bool = False,
) -> Iterator[Path]:
    """A place to write a file or a folder; it becomes `output` if nothing went wrong. What was
    written beside a file goes beside it.

    What exists is refused unless `overwrite`; then files and folders of the same name in an
    existing folder are replaced, and others left alone. With `alone`, a folder with files that
    the new ones would not replace is refused: old notes never stand beside new ones. What holds
    notes is `private`: only its owner may read it.
    """

    def check(stage: Path) -> None:
        _check_kind(stage, output)
        if alone:
            _check_alone(stage, output)

    with (
        output_lock(output, "incognote", folder=False),
        files.staged(output, private=private, check=check) as stage,
    ):
        check_output(output, inputs, overwrite=overwrite)
        yield stage


def check_output(output: Path, inputs: Iterable[Path], *, overwrite: bool) -> None:
    """Refuse what would mix input and output, or replace something unasked."""
    check_apart(output, inputs)
    exists = output.is_file() or (output.is_dir() and any(output.iterdir()))
    if exists and not overwrite:
        raise CorpusError(f"{output}: exists; choose another output or use --overwrite")


def check_file(output: Path, inputs: Iterable[Path], *, overwrite: bool) -> None:
    """Like `check_output`, for an output that is one file."""
    check_output(output, inputs, overwrite=overwrite)
    if output.is_dir():
        raise CorpusError(f"{output}: is a folder, but the output is one file")


def check_apart(output: Path, inputs: Iterable[Path]) -> None:
    """Refuse an output that is the input, lies inside it or holds it."""
    target = real_path(output)
    for each in inputs:
        source = real_path(each)
        if source == target or target in _pair(source):
            raise CorpusError(f"{output}: is also the input; choose another output")
        if source in target.parents:
            raise CorpusError(f"{output}: lies inside the input folder; choose another output")
        if target in source.parents:
            raise CorpusError(f"{output}: holds the input; choose another output")


def _pair(source: Path) -> tuple[Path, ...]:
    """The two files of a brat note."""
    if not source.is_file():
        return ()
    text = text_path(source)
    return tuple(real_path(path) for path in (text, ann_path(text)) if path.exists())


def _check_kind(stage: Path, output: Path) -> None:
    """A file is never replaced by a folder, nor a folder by a file."""
    if stage.is_file() and output.is_dir():
        raise CorpusError(f"{output}: is a folder, but the output is one file")
    if stage.is_dir() and output.is_file():
        raise CorpusError(f"{output}: is a file, but the output is a folder")


def _check_alone(stage: Path, output: Path) -> None:
    """Refuse an output folder with files that the new ones would not replace."""
    others = sorted(_files(output) - _files(stage))
    if others:
        raise CorpusError(
            f"{output}: holds {quantity(len(others), 'file')} that would not be replaced, such as {others[0]}; "
            "remove the folder or choose another output"
        )


def _files(folder: Path) -> set[str]:
    """The paths of all files below a folder, links too."""
    return {path.relative_to(folder).as_posix() for path in files.files_below(folder)}
