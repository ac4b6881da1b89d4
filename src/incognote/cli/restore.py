"""`incognote restore`: case and punctuation for dictated notes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from incognote.base.options import PathText
from incognote.cli.options import OverwriteFiles


def restore(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE…",
            help="Text files, each one note. Standard input if there is none, or where it is '-'.",
            show_default=False,
        ),
        PathText(),
    ] = None,
    *,
    model: Annotated[
        Path,
        typer.Option(
            metavar="DIR",
            help="Folder of a model that `incognote train-restore` wrote; none comes with incognote.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File to write, or a folder for several notes; standard output by default.",
        ),
    ] = None,
    beams: Annotated[
        int,
        typer.Option(
            min=1,
            max=64,
            help="Width of the search: 1 takes the likeliest token each time; 4 is slower, and weighs "
            "whole windows.",
        ),
    ] = 1,
    overwrite: OverwriteFiles = False,
) -> int:
    """Restore case and punctuation of notes that were dictated in small letters.

    Only the case of letters changes, and marks are added after words. No word is lost, added or moved,
    and white space stays: what the network would write otherwise is not among its choices. Marks and
    capitals that are there already stay too.

    - `incognote restore dictated.txt --model restorer/ -o note.txt`
    - `incognote restore ward/*.txt --model restorer/ -o restored/`
    - `incognote train-restore notes/ -o restorer/` makes a model from notes that are well written
    """
    from rich.console import Console

    from incognote.cli.progress import progress
    from incognote.cli.streams import standard_input, write_at_once
    from incognote.onnx.sessions import cores
    from incognote.workshop.restore.files import read_notes, restore_files
    from incognote.workshop.restore.restorer import Restorer

    restorer = Restorer(model, beams=beams, threads=cores())
    with standard_input(paths) as given:
        notes = read_notes([Path(each) for each in given])
        size = sum(len(note.text) for note in notes)
        with progress(Console(stderr=True), "restoring", size) as advance:
            restore_files(
                notes,
                output,
                restorer,
                overwrite=overwrite,
                write=write_at_once,
                advance=advance,
            )
    return 0
