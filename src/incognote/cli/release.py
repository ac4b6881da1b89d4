"""`incognote release`: the notes of a review, with what people decided, as they may leave."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from incognote.base.errors import RunError
from incognote.cli.options import OUTPUT, Workers
from incognote.cli.review_options import REVIEW, Database, ReviewKey, key_beside, opened_review


def release(
    review: Annotated[
        Path, typer.Argument(metavar="REVIEW", help="Folder of the review of these notes.")
    ],
    *,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="File or folder to write.",
            rich_help_panel=OUTPUT,
            show_default=False,
        ),
    ],
    anyway: Annotated[
        bool,
        typer.Option(
            "--anyway",
            help="Release although the sample is not read to the end.",
            rich_help_panel=REVIEW,
        ),
    ] = False,
    review_key: ReviewKey = None,
    database: Database = None,
    workers: Workers = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue a run that was stopped.")
    ] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the output.")] = False,
) -> int:
    """De-identify all notes of a review as it was begun, with what people decided.

    - `incognote release review/ -o clean/`

    In notes that were read to the end, what reviewers said is no identifier stays, and what they marked
    is replaced; all other notes are as detection leaves them. Software alone does not make a release
    legal: who answers for the data decides, with the figures of `incognote review status`.
    """
    from incognote.cli.app import load
    from incognote.review.readings import Readings

    with opened_review(review, review_key, database) as project:
        told = Readings(project).statistics()
        described = project.described
    if not told.complete:
        state = f"{told.read:,} of {told.sample:,} notes of the sample are read to the end"
        if not anyway:
            raise RunError(
                f"{review}: {state}; read the others (incognote review open {review}), or release "
                "--anyway"
            )
        typer.echo(f"incognote: {state}; releasing anyway", err=True)
    words = [*described["paths"], "--output", str(output), *described["options"]]
    words += [*described["reading"], "--decisions", str(review)]
    words += ["--review-key", str(review_key or key_beside(review))]
    words += ["--workers", str(workers)] if workers else []
    words += [
        flag for flag, is_given in (("--resume", resume), ("--overwrite", overwrite)) if is_given
    ]
    status: int = load("deid").main(words, prog_name="incognote deid", standalone_mode=False)
    return status
