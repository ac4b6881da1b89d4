"""`incognote columns`: look at a table, and propose what becomes of its columns."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from incognote.cli.from_dataclass import Only
from incognote.cli.options import FormatOption
from incognote.formats.fields import Fields


def columns(
    table: Annotated[
        Path,
        typer.Argument(
            help="A table: CSV, TSV, JSON lines or Parquet.", metavar="TABLE", show_default=False
        ),
    ],
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="PLAN", help="File to write the plan to, such as plan.toml."
        ),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the plan.")] = False,
    rows: Annotated[
        int,
        typer.Option(min=1, help="How many of the first rows are read.", metavar="N"),
    ] = 1000,
    site: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Site file of your hospital: a column that its lists or patterns know gets their "
            "type, also one of its own. Give it to deid too.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    format: FormatOption = None,
    fields: Annotated[Fields, Only("encoding")],
) -> int:
    """Look at a table and propose what becomes of each column; values are shown masked.

    - `incognote columns patients.csv -o plan.toml`
    - `incognote deid patients.csv -o clean.csv --columns plan.toml --replace surrogate --key-file key`

    A column is judged by its name and by the values of the first rows: their form, check digits,
    what the rules and a site file find in them, whether they are names. It says which columns hold
    notes, which one the patient and which the id, and which look identifying but cannot be planned.
    A proposal may be wrong: go through the plan before you use it.
    """
    from incognote.base.errors import RunError
    from incognote.base.files import write_whole
    from incognote.base.messages import quantity
    from incognote.cli import show
    from incognote.detect.site import read_site
    from incognote.formats import FormatError
    from incognote.runs.column_survey import plan_text, survey

    if output is not None and output.exists() and not overwrite:
        raise RunError(f"{output}: exists; choose another file or use --overwrite")
    try:
        own = None if site is None else read_site(site)
        found = survey(table, fields, format, rows, own)
    except FormatError as error:
        raise error.within(str(table)) from None
    if as_json:
        show.as_json(found.to_json())
    else:
        show.table_of_words(
            ("column", "proposal", "why", "example"),
            [
                (found.shown(each), found.action(each), each.why, each.example)
                for each in found.proposals
            ],
        )
    show.say(f"{quantity(found.rows, 'row')} read")
    if not found.has_header:
        headless = "the first line looks like data, not like names of columns: add a header"
        if output is not None:
            raise RunError(
                f"{table}: {headless}; no plan was written, for it would quote that line"
            )
        show.say(headless, "yellow")
    if output is not None:
        write_whole(output, plan_text(found).encode())
        show.say(f"plan: {output} (go through it before you use it)")
    return 0
