"""`incognote calibrate`: thresholds with a guarantee, from annotated notes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from incognote.base.messages import quantity
from incognote.base.options import Choices, PathText
from incognote.cli.from_dataclass import Only, Without
from incognote.cli.options import OUTPUT, FormatOption, Workers
from incognote.formats.fields import Fields
from incognote.runs.settings import Settings

if TYPE_CHECKING:
    from incognote.corpus.calibrate import CalibrationResult, Guarantee
    from incognote.corpus.evidence import CorpusEvidence

GUARANTEE = "Guarantee"


def calibrate(
    corpus: Annotated[
        list[str],
        typer.Argument(
            help="Annotated notes: files or folders of any format that holds spans.",
            metavar="CORPUS…",
        ),
        PathText(),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="File to write the calibration to, such as site.json. It holds numbers only.",
            rich_help_panel=OUTPUT,
            show_default=False,
        ),
    ],
    *,
    risk: Annotated[
        float,
        typer.Option(
            help="The share of a note's identifiers that may leak, on average over notes.",
            rich_help_panel=GUARANTEE,
        ),
    ] = 0.01,
    confidence: Annotated[
        float,
        typer.Option(
            help="Confidence of the guarantee, for --method ltt.", rich_help_panel=GUARANTEE
        ),
    ] = 0.95,
    per_type: Annotated[
        bool,
        typer.Option(
            "--per-type",
            help="A threshold and a guarantee for each type, all at once. Takes more notes.",
            rich_help_panel=GUARANTEE,
        ),
    ] = False,
    method: Annotated[
        Literal["ltt", "crc"],
        typer.Option(
            help="ltt: Learn-then-Test, a guarantee with confidence. crc: conformal risk "
            "control, a guarantee in expectation only, for which fewer notes are enough.",
            rich_help_panel=GUARANTEE,
        ),
    ] = "ltt",
    bound: Annotated[
        Literal["betting", "hoeffding-bentkus"],
        typer.Option(
            help="Statistical test of ltt. betting is tighter if notes leak few of many "
            "identifiers. Choose before you see the results.",
            rich_help_panel=GUARANTEE,
        ),
    ] = "betting",
    choices: Annotated[
        Choices[Settings], Only("model", "speed", "find_by", "with_detectors", "site")
    ],
    format: FormatOption = None,
    fields: Annotated[Fields, Without("max_unpack", "shift", "column", "drop", "columns")],
    workers: Workers = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the output.", rich_help_panel=OUTPUT)
    ] = False,
) -> int:
    """Find thresholds that guarantee a recall, from your own annotated notes.

    By default the guarantee is: with 95 % confidence, at most 1 % of a note's identifiers leak, on
    average over notes of the same kind. The annotated notes must be a random sample of that kind,
    and the model must not have been trained on them:

        incognote calibrate annotated/ -o site.json
        incognote deid notes/ -o clean/ --calibration site.json --min-recall 0.99

    If the notes are too few for the guarantee, it is refused, with the number of notes it takes
    (1 % at 95 % takes about 300 notes without a leak). It holds for one --speed: give both commands
    the same. What is guaranteed and what is not: docs/guarantee.md.
    """
    from rich.console import Console

    from incognote.calibration import detector_settings
    from incognote.cli.progress import progress
    from incognote.corpus.calibrate import Guarantee, calibrate, write_calibration
    from incognote.corpus.evidence import gather_evidence
    from incognote.corpus.output import check_file
    from incognote.runs.inputs import list_inputs

    inputs = list_inputs(corpus)
    sources = [*map(Path, corpus), *(input.path for input in inputs)]
    check_file(output, sources, overwrite=overwrite)
    guarantee = Guarantee(risk, confidence, method, bound, per_type)
    settings = choices.fill(format=format, fields=fields, workers=workers or 0)
    console = Console(stderr=True)
    with progress(console, "calibrating", sum(input.size() for input in inputs)) as advance:
        gathered = gather_evidence(inputs, settings, advance=advance)
    made_with = detector_settings(settings.choice, fields.known.values(), settings.site_digest)
    result = calibrate(gathered.notes, made_with, guarantee)
    write_calibration(result.calibration, output)
    _show(result, gathered, guarantee)
    typer.echo(f"calibration: {output}")
    return 0


def _show(result: CalibrationResult, gathered: CorpusEvidence, guarantee: Guarantee) -> None:
    calibration = result.calibration
    typer.echo(
        f"notes: {calibration.notes:,} with {quantity(calibration.identifiers, 'identifier')}, and "
        f"{calibration.notes_without_identifiers:,} without any, which are not counted"
    )
    if gathered.repeat_notes:
        typer.echo(
            f"caution: {quantity(gathered.repeat_notes, 'note')} of patients who already have "
            "one here; the guarantee assumes independent notes, so it is weaker than it says"
        )
    of = "every type named below" if guarantee.per_type else "a note's identifiers"
    sure = (
        f"with confidence {guarantee.confidence:.6g}"
        if guarantee.method == "ltt"
        else "in expectation"
    )
    typer.echo(
        f"guarantee: {sure}, at most {guarantee.risk:.6g} of {of} leak on average, on notes of this kind"
    )
    if calibration.curve is not None:
        typer.echo(f"threshold: {_threshold(result.thresholds.overall)}")
    for type, threshold in result.thresholds.by_type.items():
        typer.echo(
            f"threshold of {type}: {_threshold(threshold)}, by {quantity(calibration.types[type].notes, 'note')}"
        )
    for type, needed in result.notes_lacking.items():
        takes = (
            "more notes would not help"
            if needed is None
            else f"it takes about {quantity(needed, 'note')}"
        )
        typer.echo(f"no guarantee for {type}: {takes}")
    typer.echo(
        f"leaks on these notes: {result.default_loss:.2%} by default, {result.chosen_loss:.2%} at the threshold"
    )
    typer.echo(
        f"over-redaction on these notes: {result.default_over_redaction:.2%} by default, "
        f"{result.chosen_over_redaction:.2%} at the threshold"
    )


def _threshold(value: float) -> str:
    return "none needed beyond the default" if value > 1 else f"{value:g}"
