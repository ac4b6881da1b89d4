"""`incognote pretrain`: an encoder from plain text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from incognote.base.options import Choices
from incognote.cli.from_dataclass import Only
from incognote.cli.options import OUTPUT, LogFile, Quiet, Verbose
from incognote.cli.training_options import Device, Overwrite, Resume, Threads, need_torch
from incognote.workshop.pretrain.examples import ExampleSettings
from incognote.workshop.pretrain.masking import Masking
from incognote.workshop.pretrain.settings import Settings
from incognote.workshop.pretraining import Beginning, TextOptions


def pretrain(
    texts: Annotated[
        list[Path],
        typer.Argument(
            metavar="TEXT…",
            help="Files or folders of text (.txt, .jsonl, .csv, …, also .gz, .xz, .zst), or one "
            "folder that --shards wrote.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="ENCODER",
            help="Folder for the encoder. `incognote train` loads it, and so does `transformers`, "
            "except for ELMo.",
            rich_help_panel=OUTPUT,
            show_default=False,
        ),
    ],
    beginning: Beginning,
    settings: Choices[Settings],
    examples: Annotated[Choices[ExampleSettings], Only("inputs", "short")],
    masking: Choices[Masking],
    text: TextOptions,
    threads: Threads = None,
    device: Device = None,
    resume: Resume = False,
    overwrite: Overwrite = False,
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
    need_torch()
    from incognote.base.messages import logging_to
    from incognote.cli.live_line import pausing
    from incognote.cli.pretrain_view import pretraining_progress, show
    from incognote.workshop.pretraining import choose_settings, pretrain_text

    chosen = {**settings.values, "example_options": _example_options(examples, masking)}
    whole = choose_settings(beginning, chosen)
    with (
        logging_to(verbose=verbose, file=log),
        pretraining_progress(quiet=quiet) as view,
        pausing(view.step, view.line.say) as watched,
    ):
        result = pretrain_text(
            texts,
            output,
            beginning,
            whole,
            text=text,
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


def _example_options(
    examples: Choices[ExampleSettings], masking: Choices[Masking]
) -> dict[str, Any]:
    """As `Settings` has them: changes of the examples' defaults, and of their masks' below."""
    masks = dict(masking.values)
    if masks.get("copies") == 0:
        masks["copies"] = None
    return {**examples.values, **({"masking": masks} if masks else {})}
