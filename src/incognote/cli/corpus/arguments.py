"""Arguments and options that the corpus commands share, and the sources they mean."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incognote.cli.options import OUTPUT, FormatName, fields_of

if TYPE_CHECKING:
    from incognote.corpus.source import Source

Corpus = Annotated[
    Path, typer.Argument(metavar="CORPUS", help="File or folder of annotated notes.")
]
Corpora = Annotated[
    list[Path], typer.Argument(metavar="CORPUS…", help="Files or folders of annotated notes.")
]
Output = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        help="File or folder to write.",
        rich_help_panel=OUTPUT,
        show_default=False,
    ),
]
Overwrite = Annotated[
    bool,
    typer.Option(
        "--overwrite",
        help="Replace earlier outputs. A folder with other files in it is refused: remove it "
        "first.",
        rich_help_panel=OUTPUT,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.", rich_help_panel=OUTPUT)]
To = Annotated[
    FormatName, typer.Option("--to", help="The format to write.", rich_help_panel=OUTPUT)
]
DropSpans = Annotated[
    bool,
    typer.Option(
        "--drop-spans",
        help="Write the notes without their annotations; formats that hold no spans (text, csv, "
        "parquet) need it.",
        rich_help_panel=OUTPUT,
    ),
]
ShowText = Annotated[
    bool,
    typer.Option(
        "--show-text", help="Also show the annotated text. It is PHI.", rich_help_panel=OUTPUT
    ),
]


def source_of(
    path: Path,
    format: FormatName | None = None,
    text_field: list[str] | None = None,
    id_field: str | None = None,
    patient_field: str | None = None,
    encoding: str | None = None,
) -> Source:
    """A corpus as the options describe it."""
    from incognote.corpus.source import Source

    fields = fields_of(text_field, id_field, patient_field, None, encoding)
    return Source(path, format, fields)
