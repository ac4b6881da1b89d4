"""What `train`, `pretrain` and `compare` share: options that no dataclass holds, and the allocator's restart.

Linux' allocator gives large blocks back at once; in training they are wanted again at once. Every such
block is then new to the process, page by page: a training step spends most of its time on page faults.
The allocator reads its settings only at start, so a command starts itself anew with them, once.
`INCOGNOTE_ALLOCATOR=system` leaves everything as it is.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from incognote.cli.options import OUTPUT

DATA = "Data"
MACHINE = "Machine"
ALLOCATOR = {
    "MALLOC_MMAP_THRESHOLD_": "4000000000",
    "MALLOC_TRIM_THRESHOLD_": "8000000000",
    "MALLOC_TOP_PAD_": "268435456",
}
OPT_OUT = "INCOGNOTE_ALLOCATOR"

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
        max=1024,
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


def keep_memory() -> None:
    """Start this process anew with the settings, unless it has any or the user says no."""
    if not sys.platform.startswith("linux") or os.environ.get(OPT_OUT) == "system":
        return
    if any(name in os.environ for name in ALLOCATOR):
        return
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], {**os.environ, **ALLOCATOR})
