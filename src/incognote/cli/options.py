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
FILES = "Files"

FormatName = Literal[
    "text", "i2b2", "i2b2-2006", "physionet", "brat", "jsonl", "csv", "parquet", "inline"
]
Paths = Annotated[
    list[str] | None,
    typer.Argument(
        help="Files, folders or glob patterns. Standard input if there is none, or where it is "
        "'-'.",
        metavar="PATH…",
        show_default=False,
    ),
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
    FormatName | None,
    typer.Option(
        "--format",
        help="Format of the inputs; by default recognised from name and content.",
        rich_help_panel=FILES,
    ),
]
EncodingName = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        metavar="NAME",
        help="Encoding of the inputs, such as windows-1252. Of several, separated by commas, the "
        "first that fits a file is used. By default it is detected, and a file in doubt is "
        "refused.",
        rich_help_panel=FILES,
    ),
]
MaxUnpack = Annotated[
    int,
    typer.Option(
        "--max-unpack",
        metavar="TIMES",
        min=1,
        help="How many times its size a gzip file may grow when unpacked; the first 64 MiB are "
        "always allowed.",
        rich_help_panel=FILES,
    ),
]
UNPACK = 200
"""Without the option; that of `formats.Fields`."""
TextField = Annotated[
    list[str] | None,
    typer.Option(
        "--text-field",
        metavar="FIELD",
        help="Field or column that holds the text of a note; may be repeated. JSONL: 'text' by "
        "default.",
    ),
]
IdField = Annotated[
    str | None,
    typer.Option(
        "--id-field",
        metavar="FIELD",
        help="Field or column that holds the id of a note. JSONL: 'id' by default.",
        rich_help_panel=TABLES,
    ),
]
PatientField = Annotated[
    str | None,
    typer.Option(
        "--patient-field",
        metavar="FIELD",
        help="Field or column that holds the patient's id.",
        rich_help_panel=TABLES,
    ),
]
Known = Annotated[
    list[str] | None,
    typer.Option(
        "--known",
        metavar="FIELD=TYPE",
        help="A field or column that holds an identifier of the patient: its value is found "
        "wherever the row's notes mention it, also in another order or format or slightly "
        "misspelled. Example: --known name=PATIENT --known dob=DATE",
    ),
]
ModelFolder = Annotated[
    Path | None,
    typer.Option(
        "--model",
        metavar="DIR",
        help="Folder of the model to use, as `incognote export` writes it; by default the model "
        "that comes with incognote.",
        rich_help_panel=DETECTION,
    ),
]
Speed = Annotated[
    Literal["careful", "balanced", "fast"] | None,
    typer.Option(
        "--speed",
        help="Which variant of the model to use: careful (the default), balanced or fast. The "
        "model that comes with incognote has all three, and README.md compares them.",
    ),
]
DetectorOption = Annotated[
    Literal["rules", "model", "both"] | None,
    typer.Option(
        "--detector",
        help="What finds identifiers: the rules, the model, or both (the default if there is a "
        "model).",
        rich_help_panel=DETECTION,
    ),
]
Calibration = Annotated[
    Path | None,
    typer.Option(
        "--calibration",
        metavar="FILE",
        help="File with the thresholds for your notes that `incognote calibrate` wrote. Needs "
        "--min-recall.",
        rich_help_panel=DETECTION,
    ),
]
MinRecall = Annotated[
    float | None,
    typer.Option(
        "--min-recall",
        metavar="R",
        help="Recall to guarantee: the share of a note's identifiers that is hidden, on average "
        "over notes, such as 0.99. Needs --calibration.",
        rich_help_panel=DETECTION,
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        "-j",
        min=1,
        help="Number of worker processes. By default one for each core, if there is enough to "
        "do; on a long run with a model, the number that is measured to be fastest.",
        show_default=False,
    ),
]
KeyFile = Annotated[
    Path | None,
    typer.Option(
        "--key-file",
        help="File with the secret key (16 bytes or more, readable by you only), which 'hash', "
        "'surrogate' and '--names hash' need.",
    ),
]

TALK = "Messages"
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet",
        "-q",
        help="Say nothing but what went wrong.",
        rich_help_panel=TALK,
    ),
]
Verbose = Annotated[
    bool,
    typer.Option(
        "--verbose",
        "-v",
        help="Also log every step, without PHI, on standard error.",
        rich_help_panel=TALK,
    ),
]
LogFile = Annotated[
    Path | None,
    typer.Option(
        "--log",
        metavar="FILE",
        help="Add JSON lines of what happens, without PHI, to a file.",
        rich_help_panel=TALK,
    ),
]


def fields_of(
    text: list[str] | None,
    id: str | None,
    patient: str | None = None,
    known: list[str] | None = None,
    encoding: str | None = None,
    max_unpack: int = UNPACK,
) -> Fields:
    """What is said of the files, as one value."""
    from incognote.base.errors import RunError
    from incognote.formats.container import Fields
    from incognote.formats.encoding import codecs_named
    from incognote.phi import TYPES

    pairs = {}
    for pair in known or ():
        field, equals, type = pair.rpartition("=")
        if not equals or not field or type not in TYPES:
            raise RunError(
                f"--known {pair}: write FIELD=TYPE, where TYPE is one of {', '.join(TYPES)}"
            )
        pairs[field] = type
    if encoding is not None:
        codecs_named(encoding)
    return Fields(tuple(text or ()), id, patient, pairs, encoding, max_unpack)
