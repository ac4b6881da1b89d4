"""The work of `incognote restore`: files in, files of the same words out, all of them or none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from incognote.base.errors import RunError
from incognote.corpus.output import check_file, staged
from incognote.workshop.features import read_text
from incognote.workshop.restore.restorer import Restorer


@dataclass(frozen=True)
class Note:
    """A file's text."""

    path: Path
    text: str = field(repr=False)


def read_notes(paths: Sequence[Path]) -> list[Note]:
    """Files in UTF-8; one that cannot be read is told before any is restored."""
    return [Note(path, read_text(path)) for path in paths]


def restore_files(
    notes: Sequence[Note],
    output: Path | None,
    restorer: Restorer,
    *,
    overwrite: bool = False,
    write: Callable[[bytes], object],
    advance: Callable[[int, int], None] = lambda notes, size: None,
) -> None:
    """Several notes into a folder, one into a file or to `write`.

    `advance` is called with how many notes and characters are done since.
    """

    def restored() -> Iterator[tuple[Path, bytes]]:
        for note in notes:
            yield note.path, restorer.restore(note.text).encode()
            advance(1, len(note.text))

    paths = [note.path for note in notes]
    if output is None:
        if len(notes) > 1:
            raise RunError("several notes need a folder to go to: give one with -o")
        for _, content in restored():
            write(content)
    elif len(notes) == 1 and not output.is_dir():
        check_file(output, paths, overwrite=overwrite)
        with staged(output, paths, overwrite=overwrite, private=True) as part:
            for _, content in restored():
                part.write_bytes(content)
    else:
        if twice := _name_given_twice(paths):
            raise RunError(f"{twice}: two notes have this name; give them folders of their own")
        with staged(output, paths, overwrite=overwrite, private=True) as folder:
            folder.mkdir()
            for path, content in restored():
                (folder / path.name).write_bytes(content)


def _name_given_twice(paths: Sequence[Path]) -> str | None:
    names = [path.name for path in paths]
    return next((name for name in names if names.count(name) > 1), None)
