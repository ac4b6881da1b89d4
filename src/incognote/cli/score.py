"""`incognote score`: how well predictions agree with gold."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from incognote.base.options import Choices, PathText
from incognote.cli.from_dataclass import Only
from incognote.cli.options import OUTPUT, NoteFields, format_option
from incognote.runs.settings import Settings


def score(
    gold: Annotated[
        str,
        typer.Argument(metavar="GOLD", help="File or folder of annotated notes."),
        PathText(),
    ],
    predicted: Annotated[
        list[str],
        typer.Argument(
            metavar="PREDICTED…",
            help="The same notes as a system annotated them, in any format that holds spans, or "
            "the output of `incognote find`. With several, each is compared with the first.",
        ),
        PathText(),
    ],
    *,
    json: Annotated[
        bool, typer.Option("--json", help="Print every figure as JSON.", rich_help_panel=OUTPUT)
    ] = False,
    errors: Annotated[
        Path | None,
        typer.Option(
            "--errors",
            metavar="PAGE.html",
            help="Write a page with every error in its context, to filter and read in a browser. "
            "It shows PHI: only you can read the file.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            metavar="DIR",
            help="Write F1 per type as PNG and SVG, a bar for each system. "
            "Needs incognote[report].",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    overwrite: Annotated[
        bool,
        typer.Option("--overwrite", help="Replace earlier outputs.", rich_help_panel=OUTPUT),
    ] = False,
    map: Annotated[
        str | None,
        typer.Option(
            "--map",
            metavar="SCHEME",
            help="Read the labels of another scheme as ours: i2b2-2006, meddocan, physionet or "
            "presidio. Labels without a counterpart are dropped and counted.",
        ),
    ] = None,
    meddocan: Annotated[
        bool,
        typer.Option(
            "--meddocan",
            help="Also print MEDDOCAN's figures; by default only if the labels are MEDDOCAN's.",
        ),
    ] = False,
    without_identifiers: Annotated[
        bool,
        typer.Option(
            "--without-identifiers",
            help="Score although GOLD has no identifiers, to measure over-redaction only.",
        ),
    ] = False,
    resamples: Annotated[
        int,
        typer.Option(
            min=0,
            max=1_000_000,
            help="Bootstrap resamples of the notes, for intervals and p-values; 0 for none.",
        ),
    ] = 1000,
    format: Annotated[
        str | None,
        format_option(
            "--format", help="Format of GOLD; by default recognised from name and content."
        ),
    ] = None,
    predicted_format: Annotated[
        str | None,
        format_option(
            "--predicted-format",
            help="Format of PREDICTED; by default recognised from name and content.",
        ),
    ] = None,
    fields: NoteFields,
    settings: Annotated[Choices[Settings], Only("site")],
) -> int:
    """Score predictions against gold: what would leak, and the figures of i2b2 2014, MEDDOCAN and the 2022 study.

    - `incognote find notes/ -o spans.jsonl`, then `incognote score notes/ spans.jsonl`
    - `incognote score gold/ rules.jsonl model.jsonl --plot figures/`
    - `incognote score gold/ spans.jsonl --errors errors.html`

    Notes are joined by id. A note without a prediction counts as all missed, is reported, and
    makes the exit status 1.
    """
    from rich.console import Console

    from incognote.corpus.scoring import Outputs, score_files
    from incognote.evaluate import Resampling

    outputs = Outputs(errors, plot)
    outputs.check(Path(gold), [Path(path) for path in predicted], overwrite=overwrite)
    loud = Console(stderr=True, soft_wrap=True, highlight=False)
    with loud.status("scoring"):
        scores = score_files(
            gold,
            predicted,
            format=format,
            predicted_format=predicted_format,
            fields=fields,
            view=map,
            meddocan=meddocan,
            resampling=Resampling(resamples=resamples),
            without_identifiers=without_identifiers,
            types=settings.fill().types if settings.values else None,
        )
    if json:
        from json import dumps

        typer.echo(dumps(scores.as_dict(), indent=2, allow_nan=False))
    else:
        from incognote.cli.score_tables import show_scores

        show_scores(scores)
    for warning in scores.warnings():
        loud.print(f"incognote: {warning}", style="bold red", markup=False)
    for path in outputs.write(scores):
        note = " (PHI: keep it where the notes are)" if path == errors else ""
        loud.print(f"incognote: wrote {path}{note}", markup=False)
    return 1 if any(system.report.missing for system in scores.systems) else 0
