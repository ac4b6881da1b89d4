"""The application: which commands there are. A command's module is imported when it is used."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from incognote.cli.command import Command, resolved_in
from incognote.cli.errors import EXPECTED
from incognote.cli.from_dataclass import with_options

PANELS = {
    "Notes": {
        "deid": "De-identify notes: every identifier found is replaced, everything else stays byte for byte.",
        "find": "Find identifiers and write where they are: a JSON line per note, with no text in it.",
        "columns": "Look at a table and propose what becomes of each column; values are shown masked.",
        "reidentify": "Restore the originals of de-identified notes from a vault, byte for byte.",
        "restore": "Restore case and punctuation of notes that were dictated in small letters.",
        "serve": "Answer requests to find and replace identifiers over HTTP, offline, with the same results as deid.",
        "review": "Let people read notes on a page of their own, correct what was found, and see what the sample says of all notes.",
        "release": "De-identify all notes of a review as it was begun, with what people decided.",
        "keys": "Add, list and remove the API keys of a service. The file holds hashes only.",
        "site": "Propose and check a site file: a hospital's own lists, patterns and exceptions.",
        "policies": "List release policies, and show what each makes of every type, and by which law.",
        "config": "Show and check the configuration file: incognote.toml, which holds options of the commands.",
        "demo": "De-identify notes and show each before and after, identifiers coloured. Writes nothing.",
    },
    "Recall and quality": {
        "score": "Score predictions against gold: what would leak, and the figures of i2b2 2014, MEDDOCAN and the 2022 study.",
        "calibrate": "Find thresholds that guarantee a recall, from your own annotated notes.",
        "corpus": "Count, split, check, convert, merge and compare annotated notes.",
        "bench": "Measure the speed on this machine in about two minutes: notes per second, and the time for one.",
    },
    "Using encoders": {
        "encoders": "List the encoders that can be built by name: layers, sizes, parameters, memory, FLOPs.",
        "fill-mask": "Fill the masks of a text: the most likely tokens, with their probabilities.",
        "features": "Compute a vector for every word of a text of any length, or one for each text.",
        "similarity": "Compare texts, or a word in several texts, by the cosine of their vectors.",
        "sentence-order": "Score whether two texts stand in their order, or were swapped.",
        "next-sentence": "Score whether one text follows another, or was drawn from elsewhere.",
        "ask": "Find the answer to a question in a text: the stretch of it, its probability, its line.",
        "classify": "Classify texts with a fine-tuned model: the likeliest label and its probability.",
    },
    "Making models": {
        "train": "Fine-tune an encoder to find identifying details, and write a checkpoint.",
        "export": "Export a fine-tuned model or an encoder, to run it without torch.",
        "compare": "Compare encoders on annotated notes or a task: a grid of runs for each, the best chosen on validation.",
        "pretrain": "Pretrain an encoder on plain text, and write it as a Hugging Face folder.",
        "task": "Fine-tune encoders for downstream tasks (GLUE, SQuAD, SNLI, RACE, your own), score them, and export them.",
        "train-restore": "Learn to restore case and punctuation from notes that have both.",
        "clean-text": "Make plain text for pretraining of Wikipedia, books, OpenWebText, CC-News or Stories.",
        "tokenizer": "Learn a vocabulary from text, as a tokenizer that incognote and `transformers` load alike.",
    },
}
"""The commands as the help lists them, each with the first line of its own."""

SUMMARIES = {name: line for panel in PANELS.values() for name, line in panel.items()}


def load(name: str) -> Any:
    """The command with its options, from the module of the same name."""
    module = import_module(f"incognote.cli.{name.replace('-', '_')}")
    if (app := getattr(module, "app", None)) is None:
        app = typer.Typer(add_completion=False, rich_markup_mode="markdown")
        app.command(name)(with_options(getattr(module, name.replace("-", "_"))))
    for each in app.registered_commands:
        each.cls = Command
    command = get_command(app)
    command.name = name
    return command


class Commands(TyperGroup):
    """Lists the commands by their summaries, and imports the one that is invoked."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for panel, summaries in PANELS.items():
            for name, summary in summaries.items():
                self.commands[name] = TyperCommand(name, help=summary, rich_help_panel=panel)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the arguments name, ready to run."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, load(str(name)), rest

    def invoke(self, ctx: Any) -> Any:
        """Run the command; a mistake in the configuration is told by its place in the file."""
        try:
            return super().invoke(ctx)
        except EXPECTED as error:
            resolved = resolved_in(ctx)
            raise error if resolved is None else resolved.explained(error) from error


app = typer.Typer(
    name="incognote",
    cls=Commands,
    help="Find the identifying details in clinical notes and replace them. Offline, on any CPU.",
    epilog="Start with: incognote demo, then: incognote deid notes/ -o clean/",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(show: bool) -> None:
    if show:
        from incognote import __version__

        typer.echo(f"incognote {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
    config: Annotated[
        Path | None,
        typer.Option(
            "--config",
            metavar="FILE",
            help="Configuration file with options of the commands; by default the one that "
            "INCOGNOTE_CONFIG names, or incognote.toml in this folder. See: incognote config show.",
        ),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option("--profile", metavar="NAME", help="Profile of the configuration file to use."),
    ] = None,
    no_config: Annotated[
        bool, typer.Option("--no-config", help="Use no configuration file, even if there is one.")
    ] = False,
) -> None:
    pass
