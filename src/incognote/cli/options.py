"""Options that several commands share and no dataclass of the package holds, each defined once."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from incognote.base.errors import RunError
from incognote.base.messages import logging_to
from incognote.base.options import Option, PathText
from incognote.cli.from_dataclass import Only
from incognote.formats.fields import Fields
from incognote.formats.format_error import FormatError

OUTPUT = "Output"
FILES = "Files"

NoteFields = Annotated[Fields, Only("text", "id", "encoding")]
"""What is said of files whose notes need no patient."""
PatientFields = Annotated[Fields, Only("text", "id", "patient", "encoding")]

FORMAT_NAMES = (
    "text",
    "i2b2",
    "i2b2-2006",
    "physionet",
    "brat",
    "jsonl",
    "csv",
    "parquet",
    "inline",
)


def format_name(flag: str, name: str) -> str:
    """The name of a format, of ours or of a user's own."""
    if name not in FORMAT_NAMES:
        from incognote.formats.registry import format_named

        try:
            format_named(name)
        except FormatError as error:  # a ValueError, of which typer would keep the value only
            raise RunError(f"{flag}: {error}") from None
    return name


def format_option(flag: str, **settings: Any) -> Any:
    """An option that takes the name of a format."""
    words = f"<{'|'.join(FORMAT_NAMES)}>"
    return typer.Option(flag, parser=partial(format_name, flag), metavar=words, **settings)


Paths = Annotated[
    list[str] | None,
    typer.Argument(
        help="Files, folders or glob patterns. Standard input if there is none, or where it is "
        "'-'.",
        metavar="PATH…",
        show_default=False,
    ),
    PathText(),
]
Corpus = Annotated[
    Path, typer.Argument(metavar="CORPUS", help="File or folder of annotated notes.")
]
Corpora = Annotated[
    list[Path], typer.Argument(metavar="CORPUS…", help="Files or folders of annotated notes.")
]
Include = Annotated[
    list[str] | None,
    typer.Option(
        "--include",
        metavar="PATTERN",
        help="Read only files that fit, such as `*.txt` (a name at any level) or `ward3/*` (a path "
        "below the input); may be repeated.",
        rich_help_panel=FILES,
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude",
        metavar="PATTERN",
        help="Leave out files that fit; may be repeated.",
        rich_help_panel=FILES,
    ),
]
FormatOption = Annotated[
    str | None,
    format_option(
        "--format",
        help="Format of the inputs; by default recognised from name and content.",
        rich_help_panel=FILES,
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        "-j",
        min=1,
        max=1024,
        help="Number of worker processes. By default one for each core, if there is enough to "
        "do; on a long run with a model, the number that is measured to be fastest.",
        show_default=False,
    ),
]
FIND_AND_REPLACE = (
    "replace",
    "policy",
    "number",
    "model",
    "find_by",
    "with_detectors",
    "speed",
    "calibration",
    "min_recall",
    "site",
)
"""The settings of a run by which notes are found and replaced, wherever they come from."""
KeyFile = Annotated[
    Path | None,
    typer.Option(
        "--key-file",
        help="File with the secret key (16 bytes or more, readable by you only), which 'hash', "
        "'surrogate' and '--names hash' need.",
    ),
]
OverwriteFiles = Annotated[
    bool,
    typer.Option(
        "--overwrite",
        help="Replace earlier outputs. A folder with other files in it is refused: remove it "
        "first.",
        rich_help_panel=OUTPUT,
    ),
]

_messages = partial(Option, panel="Messages")


@dataclass(frozen=True)
class Messages:
    """How much a command says of itself."""

    quiet: Annotated[
        bool, _messages("Say nothing but what went wrong.", flags=("--quiet", "-q"))
    ] = False
    verbose: Annotated[
        bool,
        _messages(
            "Also log every step, without PHI, on standard error.", flags=("--verbose", "-v")
        ),
    ] = False
    log: Annotated[
        Path | None,
        _messages("Add JSON lines of what happens, without PHI, to a file.", metavar="FILE"),
    ] = None

    def logging(self) -> AbstractContextManager[None]:
        """Logging as it is asked for, while the command runs."""
        return logging_to(verbose=self.verbose, file=self.log)
