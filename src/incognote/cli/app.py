"""The application and its commands."""

from __future__ import annotations

from typing import Annotated

import typer

from incognote.cli import (
    bench,
    calibrate,
    compare,
    corpus,
    deid,
    demo,
    encoders,
    export,
    features,
    fill_mask,
    find,
    pretrain,
    reidentify,
    score,
    tokenizer,
    train,
)

app = typer.Typer(
    name="incognote",
    help="Find the identifying details in clinical notes and replace them. Offline, on any CPU.",
    epilog="Start with: incognote demo, then: incognote deid notes/ -o clean/",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from incognote import __version__

        typer.echo(f"incognote {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


app.command("deid")(deid.deid)
app.command("find")(find.find)
app.command("reidentify")(reidentify.reidentify)
app.command("score")(score.score)
app.command("calibrate")(calibrate.calibrate)
app.add_typer(corpus.app, name="corpus")
app.command("demo")(demo.demo)
app.command("bench")(bench.bench)
app.command("encoders")(encoders.encoders)
app.command("export")(export.export)
app.command("fill-mask")(fill_mask.fill_mask)
app.command("features")(features.features)
app.command("train")(train.train)
app.command("pretrain")(pretrain.pretrain)
app.command("compare")(compare.compare)
app.command("tokenizer")(tokenizer.tokenizer)
