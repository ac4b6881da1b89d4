"""`incognote find`: the places of identifiers, without their text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from incognote.cli.options import (
    Calibration,
    DetectorOption,
    FormatOption,
    IdField,
    Known,
    MinRecall,
    ModelFolder,
    Paths,
    PatientField,
    Speed,
    TextField,
    Workers,
    fields_of,
)


def find(
    paths: Paths = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="JSONL file to write; standard output without it."),
    ] = None,
    offsets: Annotated[
        Literal["codepoints", "utf8", "utf16"],
        typer.Option(help="What start and end count: code points, UTF-8 bytes or UTF-16 units."),
    ] = "codepoints",
    format: FormatOption = None,
    text_field: TextField = None,
    id_field: IdField = None,
    patient_field: PatientField = None,
    known: Known = None,
    model: ModelFolder = None,
    detector: DetectorOption = None,
    speed: Speed = None,
    calibration: Calibration = None,
    min_recall: MinRecall = None,
    sample_review: Annotated[
        int | None,
        typer.Option(
            "--sample-review",
            metavar="N",
            min=1,
            help="Write, instead of spans, the N notes where review pays most, with the reason in "
            "numbers. Needs a model.",
        ),
    ] = None,
    workers: Workers = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the output.")] = False,
) -> int:
    """Find identifiers and write where they are: a JSON line per note, with no text in it.

    One line looks like this:

        {"id": "a/note-1", "spans": [{"start": 12, "end": 18, "type": "DOCTOR", …}]}

    Ids are the notes' own (a file's place in the folder, a table's id field), so that `score` can
    match them with a gold corpus: they may be PHI.

    `--sample-review 20` lists the 20 notes in which most identifiers are expected to have been
    missed, by the model's probabilities for words that were not marked:

        {"rank": 1, "id": "a/note-7", "expected_missed": 1.3, "places": 9, "highest": 0.6, …}
    """
    from rich.console import Console

    from incognote.cli.progress import progress
    from incognote.cli.streams import spans_to, standard_input
    from incognote.cli.summary import show_failures
    from incognote.workflows.calibrate.review import for_review
    from incognote.workflows.run.find import find_files
    from incognote.workflows.run.inputs import RunError, list_inputs
    from incognote.workflows.run.settings import Settings
    from incognote.workflows.run.tally import Failure

    if output is not None and output.exists() and not overwrite:
        raise RunError(f"{output}: exists; choose another output or use --overwrite")
    piped = not paths or paths == ["-"]
    fields = fields_of(text_field, id_field, patient_field, known)
    settings = Settings(
        format=format or ("text" if piped else None),
        fields=fields,
        model=model,
        find_by=detector,
        speed=speed,
        calibration=calibration,
        min_recall=min_recall,
        workers=workers or 0,
    )
    console = Console(stderr=True)
    failures: list[Failure] = []
    with standard_input(paths) as sources, spans_to(output) as write:
        inputs = list_inputs(sources)
        size = sum(input.size() for input in inputs)
        with progress(console, "finding", size) as advance:
            if sample_review is None:
                rows = find_files(inputs, settings, offsets=offsets, advance=advance)
            else:
                rows = for_review(inputs, settings, sample_review, advance=advance)
            for row in rows:
                if isinstance(row, Failure):
                    failures.append(row)
                else:
                    write(row)
    single = "standard input" if piped else sources[0]
    show_failures(console, failures, lambda index: single if len(inputs) == 1 else f"input {index}")
    return 1 if failures else 0
