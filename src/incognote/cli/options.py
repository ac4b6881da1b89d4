"""Options that several commands share, each defined once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from incognote.formats.container import Fields

TABLES = "Tables"
DETECTION = "Detection"
OUTPUT = "Output"

FormatName = Literal["text", "i2b2", "brat", "jsonl", "csv", "parquet", "inline"]
Paths = Annotated[
    list[str] | None,
    typer.Argument(
        help="Files, folders or glob patterns. None, or '-': standard input.",
        metavar="PATH…",
        show_default=False,
    ),
]
FormatOption = Annotated[
    FormatName | None,
    typer.Option("--format", help="The inputs' format; told by name and content otherwise."),
]
TextField = Annotated[
    list[str] | None,
    typer.Option(
        "--text-field",
        help="Field or column that holds a note; may be repeated. JSONL: 'text' by default.",
        rich_help_panel=TABLES,
    ),
]
IdField = Annotated[
    str | None,
    typer.Option(
        "--id-field",
        help="Field that names a note. JSONL: 'id' by default.",
        rich_help_panel=TABLES,
    ),
]
PatientField = Annotated[
    str | None,
    typer.Option("--patient-field", help="Field that names the patient.", rich_help_panel=TABLES),
]
Known = Annotated[
    list[str] | None,
    typer.Option(
        "--known",
        metavar="FIELD=TYPE",
        help="A field that holds an identifier of the patient: every mention of its value in the "
        "row's notes is found, in other orders, formats and common misspellings. "
        "Example: --known name=PATIENT --known dob=DATE",
        rich_help_panel=DETECTION,
    ),
]
ModelFolder = Annotated[
    Path | None,
    typer.Option(
        "--model",
        metavar="DIR",
        help="A model folder, as `incognote export` writes it, to find by instead of the shipped one.",
        rich_help_panel=DETECTION,
    ),
]
Speed = Annotated[
    Literal["careful", "balanced", "fast"] | None,
    typer.Option(
        "--speed",
        help="A variant of the model, where its folder has several: careful (the default), balanced "
        "or fast. The shipped one has all three; README.md says what each covers and how fast.",
        rich_help_panel=DETECTION,
    ),
]
DetectorOption = Annotated[
    Literal["rules", "model", "both"] | None,
    typer.Option(
        "--detector",
        help="Find by rules, by the model alone, or by both (the default, where there is a model).",
        rich_help_panel=DETECTION,
    ),
]
Calibration = Annotated[
    Path | None,
    typer.Option(
        "--calibration",
        metavar="FILE",
        help="Thresholds that `incognote calibrate` certified on your annotated notes.",
        rich_help_panel=DETECTION,
    ),
]
MinRecall = Annotated[
    float | None,
    typer.Option(
        "--min-recall",
        metavar="R",
        help="The share of a note's identifiers to hide, in the mean over notes, as the calibration "
        "promises it: 0.99, say.",
        rich_help_panel=DETECTION,
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        "-j",
        min=1,
        help="Processes that work on notes; by default one for each core that has enough to do, and on a long run with a model what is measured to be fastest.",
        show_default=False,
    ),
]
KeyFile = Annotated[
    Path | None,
    typer.Option(
        "--key-file",
        help="File with the secret key (16 bytes or more, readable by you only), "
        "for 'hash', 'surrogate' and '--names hash'.",
    ),
]


def fields_of(
    text: list[str] | None, id: str | None, patient: str | None, known: list[str] | None
) -> Fields:
    """The table options as one value."""
    from incognote.formats.container import Fields
    from incognote.phi import TYPES
    from incognote.workflows.run.inputs import RunError

    pairs = {}
    for pair in known or ():
        field, equals, type = pair.rpartition("=")
        if not equals or not field or type not in TYPES:
            raise RunError(
                f"--known {pair}: write FIELD=TYPE, where TYPE is one of {', '.join(TYPES)}"
            )
        pairs[field] = type
    return Fields(tuple(text or ()), id, patient, pairs)
