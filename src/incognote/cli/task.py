"""`incognote task`: encoders fine-tuned for downstream tasks, scored, and exported."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from incognote.base.options import Choices
from incognote.cli.from_dataclass import with_options
from incognote.cli.options import OUTPUT
from incognote.cli.task_options import (
    DATA_HELP,
    Name,
    OwnRegression,
    named_columns,
    percent,
    task_of,
    words,
)
from incognote.cli.train_task import train
from incognote.cli.training_options import DATA, Device, Threads, need_torch
from incognote.workshop.tasks.columns import Columns

Checkpoint = Annotated[
    Path,
    typer.Argument(
        metavar="CHECKPOINT",
        help="A folder of `incognote task train`, or one that others trained for this task (config.json "
        "and model.safetensors of Hugging Face).",
    ),
]
EVALUATION = "Evaluation"


def evaluate(
    name: Name,
    checkpoint: Checkpoint,
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            help=f"Examples with their answers; of a folder as published the dev part. {DATA_HELP}",
        ),
    ],
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Folder for report.json and the predictions, in the task's official format.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    tune_threshold: Annotated[
        bool,
        typer.Option(
            "--tune-threshold",
            help="Take the threshold of no answer that is best on these very "
            "questions, as the official script's best F1 does.",
            rich_help_panel=EVALUATION,
        ),
    ] = False,
    regression: OwnRegression = False,
    columns: Choices[Columns],
    threads: Threads = None,
    device: Device = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the figures as JSON.", rich_help_panel=OUTPUT)
    ] = False,
) -> int:
    """Score a trained model by the task's official figures, each with a 95 % interval.

    - `incognote task evaluate rte rte/ glue/RTE/dev.tsv`
    - `incognote task evaluate squad2 deepset-roberta/ dev-v2.0.json --tune-threshold`
    - `incognote task evaluate mnli mnli/ glue/MNLI -o mnli-dev/`: both dev parts

    The checkpoint may be one that others trained, or an exported task.
    """
    from incognote.cli import show
    from incognote.workshop.task_training import report, score_task

    model = _opened(name, checkpoint, regression=regression, threads=threads, device=device)
    scored = score_task(
        model,
        data,
        columns=named_columns(columns),
        tune_threshold=tune_threshold,
        output=output,
        say=show.say,
    )
    if as_json:
        show.as_json(report(model.task, scored.parts, scored.examples))
        return 0
    rows = [
        [
            words(f"{part} {figure}".strip()),
            percent(value),
            "–".join(map(percent, each.intervals[figure])),
        ]
        for part, each in scored.parts.items()
        for figure, value in each.figures.items()
    ]
    show.table([f"{scored.examples:,} examples", "%", "95 % interval"], rows)
    return 0


def predict(
    name: Name,
    checkpoint: Checkpoint,
    data: Annotated[
        Path,
        typer.Argument(metavar="DATA", help=f"Examples, with or without answers. {DATA_HELP}"),
    ],
    *,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Folder for the predictions: GLUE's TSV files, SQuAD's JSON, or JSON lines.",
            rich_help_panel=OUTPUT,
            show_default=False,
        ),
    ],
    regression: OwnRegression = False,
    columns: Choices[Columns],
    threads: Threads = None,
    device: Device = None,
) -> int:
    """Predict a file's labels, numbers, options or answers, and write them as the task's server takes them.

    - `incognote task predict sst-2 sst/ glue/SST-2/test.tsv -o submission/`
    - `incognote task predict squad2 squad2/ questions.json -o answers/`

    The model may be an exported one, which needs no torch; for a single text there are `incognote
    classify` and `incognote ask`.
    """
    from incognote.workshop.task_training import predict_task

    model = _opened(name, checkpoint, regression=regression, threads=threads, device=device)
    for path in predict_task(model, data, output, columns=named_columns(columns)):
        typer.echo(path)
    return 0


def export(
    name: Name,
    checkpoint: Checkpoint,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="MODEL",
            help="The folder to write.",
            rich_help_panel=OUTPUT,
            show_default=False,
        ),
    ],
    *,
    int8: Annotated[
        bool,
        typer.Option(
            "--int8",
            help="Quantise to 8 bits: a quarter of the size, and faster. Needs --validation.",
        ),
    ] = False,
    validation: Annotated[
        Path | None,
        typer.Option(
            metavar="DATA",
            help="Examples to measure the task's first figure on; of a folder as published the dev "
            "part.",
            rich_help_panel=DATA,
        ),
    ] = None,
    max_loss: Annotated[
        float,
        typer.Option(
            help="With --int8, refuse a model that loses more of the figure than this: 0.01 is 1 %.",
            min=0,
            max=1,
        ),
    ] = 0.01,
    regression: OwnRegression = False,
    columns: Choices[Columns],
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the output.", rich_help_panel=OUTPUT)
    ] = False,
) -> int:
    """Export a trained task, to run it without torch: for `classify`, `ask`, `task predict` and `task evaluate`.

    - `incognote task export rte rte/ -o rte-model/`
    - `incognote task export sst-2 sst/ -o sst-model/ --int8 --validation glue/SST-2/dev.tsv`

    The exported network is checked against torch's. With `--int8`, what it loses of the task's first
    figure is measured on the validation examples, and a model that loses too much is refused.
    """
    from incognote.cli.errors import installed

    with installed("export needs"):
        import onnx  # noqa: F401
        import torch  # noqa: F401
    from incognote.workshop.fine_tuning import checked
    from incognote.workshop.task_training import export_checkpoint

    with checked():
        export_checkpoint(
            task_of(name, regression=regression),
            checkpoint,
            output,
            validation=validation,
            columns=named_columns(columns),
            int8=int8,
            max_loss=max_loss,
            overwrite=overwrite,
            tell=typer.echo,
        )
    typer.echo(f"model: {output}")
    return 0


def glue(
    reports: Annotated[
        list[Path],
        typer.Argument(
            metavar="REPORT…",
            help="The reports of GLUE's tasks: the folders that `incognote task evaluate -o` wrote.",
        ),
    ],
    *,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON.", rich_help_panel=OUTPUT)
    ] = False,
) -> int:
    """Put reports of GLUE's tasks into one table, with GLUE's average.

    - `incognote task evaluate rte rte/ glue/RTE -o reports/rte`, and so for the other tasks
    - `incognote task glue reports/*`

    A task's score is the mean of its figures, MNLI's that of both parts; the average is the mean of the
    tasks' scores. WNLI counts, as on the leaderboard; the papers often leave it out, and so may you.
    """
    from incognote.cli import show
    from incognote.workshop.task_training import glue_table
    from incognote.workshop.tasks.task import GLUE

    found = glue_table(reports)
    if as_json:
        show.as_json(
            {
                "average": found.average,
                "scores": dict(found.scores),
                "missing": found.missing,
            }
        )
        return 0
    rows = [
        [
            GLUE[name].title,
            ", ".join(f"{words(figure)} {percent(value)}" for figure, value in each.items()),
            percent(found.scores[name]),
        ]
        for name, each in found.figures.items()
    ]
    average = ["average", "", percent(found.average)]
    show.table([f"{len(rows)} of {len(GLUE)} tasks", "figures, %", "score"], [*rows, average])
    if found.missing:
        show.say(
            f"incognote: no report of {', '.join(found.missing)}: the average is of the others"
        )
    return 0


def _opened(
    name: str, folder: Path, *, regression: bool, threads: int | None, device: str | None
) -> Any:
    from incognote.onnx.task_folder import has_task
    from incognote.workshop.task_training import opened

    task = task_of(name, regression=regression)
    if not has_task(folder):
        need_torch()
        import torch

        if threads is not None:
            torch.set_num_threads(threads)
    return opened(folder, task, device=device)


app = typer.Typer(
    help="Fine-tune encoders for downstream tasks (GLUE, SQuAD, SNLI, RACE, your own), score them, and "
    "export them.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
)
for command in (train, evaluate, predict, export, glue):
    app.command(command.__name__)(with_options(command))
