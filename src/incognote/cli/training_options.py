"""Options that the commands of training share; those of the runs stand on their dataclasses."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from incognote.cli.options import OUTPUT

DATA = "Data"
MACHINE = "Machine"

Labels = Annotated[
    Literal["full", "study41", "own"] | None,
    typer.Option(
        help="Labels to learn: all 28 types (full), the 41 labels of the 2022 study (study41), "
        "or the types of the training notes (own). By default full, or own if the notes have "
        "other types.",
        rich_help_panel=DATA,
        show_default=False,
    ),
]
Split = Annotated[
    str | None,
    typer.Option(
        metavar="RATIO",
        help="Split CORPUS into training, validation and test notes, as `incognote corpus split` "
        "does, such as 50:10:40; by patient with --patient-field.",
        rich_help_panel=DATA,
    ),
]
Validation = Annotated[
    Path | None,
    typer.Option(
        metavar="CORPUS", help="Annotated notes to choose the best epoch on.", rich_help_panel=DATA
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Processor threads; all by default.",
        rich_help_panel=MACHINE,
        show_default=False,
    ),
]
Device = Annotated[
    str | None,
    typer.Option(
        help="cpu, cuda or cuda:0, …; by default a GPU if there is one.", rich_help_panel=MACHINE
    ),
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume",
        help="Continue a run that was stopped; a finished run is left as it is.",
        rich_help_panel=OUTPUT,
    ),
]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace an earlier run.", rich_help_panel=OUTPUT)
]


def need_torch() -> None:
    """What is not installed is said before anything is read; torch itself is loaded later."""
    from importlib.util import find_spec

    from incognote.cli.errors import installed

    with installed("training needs"):
        for needed in ("torch", "safetensors"):
            if find_spec(needed) is None:
                raise ModuleNotFoundError(name=needed)
