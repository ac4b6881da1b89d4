"""`incognote corpus`: work on annotated notes."""

from __future__ import annotations

import typer

from incognote.cli.corpus import agree, convert, merge, split, stats, validate

app = typer.Typer(
    help="Count, split, check, convert, merge and compare annotated notes.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
app.command("stats")(stats.stats)
app.command("split")(split.split)
app.command("validate")(validate.validate)
app.command("convert")(convert.convert)
app.command("merge")(merge.merge)
app.command("agree")(agree.agree)
