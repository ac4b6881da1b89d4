"""`incognote pretrain`: an encoder from plain text."""

from __future__ import annotations

from typing import Any

import typer

from incognote.cli import pretrain_options as options
from incognote.cli import training_options as shared
from incognote.cli.options import LogFile, Quiet, Verbose


def pretrain(
    texts: options.Texts,
    output: options.Output,
    preset: options.Preset = None,
    objective: options.Objective = None,
    source: options.Source = None,
    tokenizer: options.Tokenizer = None,
    size: options.Size = None,
    objective_option: options.ObjectiveOptions = None,
    steps: options.Steps = None,
    hours: options.Hours = None,
    batch_size: options.BatchSize = None,
    batch_pieces: options.BatchPieces = None,
    lengths: options.Lengths = None,
    optimizer: options.Optimizer = None,
    lr: options.Rate = None,
    warmup: options.Warmup = None,
    decay: options.Decay = None,
    power: options.Power = None,
    betas: options.Betas = None,
    eps: options.Epsilon = None,
    weight_decay: options.WeightDecay = None,
    decay_all: options.DecayAll = None,
    clip: options.Clip = None,
    dropout: shared.Dropout = None,
    attention_dropout: shared.AttentionDropout = None,
    seed: options.Seed = None,
    inputs: options.Inputs = None,
    short: options.Short = None,
    mask_share: options.MaskShare = None,
    ngrams: options.Ngrams = None,
    whole_words: options.WholeWords = None,
    mask_copies: options.MaskCopies = None,
    held_out: options.HeldOut = 0.01,
    evaluate_every: options.EvaluateEvery = None,
    evaluate_length: options.EvaluateLength = None,
    evaluate_examples: options.EvaluateExamples = None,
    final_examples: options.FinalExamples = None,
    shards: options.Shards = None,
    text_field: options.TextFields = None,
    documents: options.Documents = "file",
    text_workers: options.TextWorkers = None,
    pack: options.Pack = None,
    workers: options.Workers = None,
    threads: shared.Threads = None,
    device: shared.Device = None,
    precision: options.Precision = None,
    save_seconds: options.SaveSeconds = None,
    resume: options.Resume = False,
    overwrite: options.Overwrite = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    log: LogFile = None,
) -> int:
    """Pretrain an encoder on plain text, and write it as a Hugging Face folder.

    - `incognote pretrain text/ -o encoder/ --preset albert-base --tokenizer tok/` as the paper did it
    - `incognote pretrain notes.jsonl.gz -o adapted/ --from minilm --hours 1` in an hour of a CPU
    - `torchrun --nproc-per-node 2 -m incognote pretrain …` on several devices

    A run that was stopped continues with --resume and ends with the same weights. ENCODER also gets
    training.json (data, losses, held-out figures), log.csv, held_out.csv and, with matplotlib,
    losses.png. On Linux the command restarts itself once, with memory settings that make training
    much faster (INCOGNOTE_ALLOCATOR=system keeps the system's).
    """
    from incognote.cli.allocator import keep_memory

    keep_memory()
    shared.need_torch()
    from incognote.base.logs import logging_to
    from incognote.cli.live_line import pausing
    from incognote.cli.pretrain_view import pretraining_progress, show
    from incognote.workshop.pretraining import Beginning, choose_settings, pretrain_text
    from incognote.workshop.pretraining_shards import TextOptions

    beginning = Beginning(
        preset=preset, source=source, tokenizer=tokenizer, sizes=shared.named_values("--size", size)
    )
    masking = {"share": mask_share, "longest": ngrams, "whole_words": whole_words}
    examples: dict[str, Any] = {"inputs": inputs, "short": short, "masking": _given(masking)}
    if mask_copies is not None:
        examples["masking"]["copies"] = mask_copies or None
    chosen: dict[str, Any] = {
        "objective": objective,
        "objective_options": shared.named_values("--objective-option", objective_option),
        "example_options": _given(examples),
        "steps": steps,
        "hours": hours,
        "batch_size": batch_size,
        "batch_pieces": batch_pieces,
        "lengths": _lengths(lengths),
        "optimizer": optimizer,
        "lr": lr,
        "warmup": warmup,
        "decay": decay,
        "power": power,
        "betas": _betas(betas),
        "eps": eps,
        "weight_decay": weight_decay,
        "decay_all": decay_all,
        "clip": clip,
        "dropout": dropout,
        "attention_dropout": attention_dropout,
        "seed": seed,
        "precision": precision,
        "pack": pack,
        "workers": workers,
        "evaluate_every": evaluate_every,
        "evaluate_length": evaluate_length,
        "evaluate_examples": evaluate_examples,
        "final_examples": final_examples,
        "save_seconds": save_seconds,
    }
    settings = choose_settings(beginning, chosen)
    with (
        logging_to(verbose=verbose, file=log),
        pretraining_progress(quiet=quiet) as view,
        pausing(view.step, view.line.say) as watched,
    ):
        result = pretrain_text(
            texts,
            output,
            beginning,
            settings,
            text=TextOptions(
                shards=shards,
                held_out=held_out,
                fields=tuple(text_field or ("text",)),
                documents=documents,
                workers=text_workers,
            ),
            threads=threads,
            device=device,
            resume=resume,
            overwrite=overwrite,
            watch=watched,
            say=view.line.say,
            tokenised=view.tokenised,
        )
    show(result.training, output, quiet=quiet)
    return 0


def _lengths(given: str | None) -> tuple[tuple[int, float], ...] | None:
    if given is None:
        return None
    pairs = []
    for part in given.split(","):
        length, _, share = part.partition(":")
        try:
            pairs.append((int(length), float(share or 1)))
        except ValueError:
            raise typer.BadParameter(
                f"--lengths {given}: write LENGTH:SHARE,…, such as 128:0.9,512:0.1"
            ) from None
    return tuple(pairs)


def _betas(given: str | None) -> tuple[float, float] | None:
    if given is None:
        return None
    try:
        first, second = map(float, given.split(","))
    except ValueError:
        raise typer.BadParameter(f"--betas {given}: write two, such as 0.9,0.999") from None
    return first, second


def _given(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None and value != {}}
