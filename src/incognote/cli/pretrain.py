"""`incognote pretrain`: an encoder from plain text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from incognote.cli.options import OUTPUT

TEXT = "Text"
MODEL = "Model"
LEARNING = "Learning"
EXAMPLES = "Examples"
EVALUATION = "Evaluation"
MACHINE = "Machine"


def pretrain(
    texts: Annotated[
        list[Path],
        typer.Argument(
            metavar="TEXT…",
            help="Files or folders of text (.txt, .jsonl, .csv, …, also .gz, .xz, .zst), or one "
            "folder of shards.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="ENCODER",
            help="Folder for the encoder, as `transformers` and `incognote train` load it.",
            rich_help_panel=OUTPUT,
            show_default=False,
        ),
    ],
    preset: Annotated[
        str | None,
        typer.Option(
            help="A paper's sizes and hyper-parameters: albert-base, bert-base, roberta-base, "
            "electra-small, xlnet-base, elmo-small, …; all can be changed below.",
            rich_help_panel=MODEL,
            show_default=False,
        ),
    ] = None,
    objective: Annotated[
        str | None,
        typer.Option(
            help="mlm, mlm+nsp, mlm+sop, electra, xlnet, elmo, …; the preset's if not given.",
            rich_help_panel=MODEL,
            show_default=False,
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="DIR",
            help="Continue from a checkpoint's weights ('minilm': the package). A head that it "
            "lacks begins afresh.",
            rich_help_panel=MODEL,
            show_default=False,
        ),
    ] = None,
    tokenizer: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder of the tokenizer, as `incognote tokenizer` makes it; with --from, the "
            "checkpoint's own.",
            rich_help_panel=MODEL,
            show_default=False,
        ),
    ] = None,
    size: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="Change the preset: --size layers=6 --size hidden_size=256 --size sharing=ffn",
            rich_help_panel=MODEL,
            show_default=False,
        ),
    ] = None,
    objective_option: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="Change the objective.", rich_help_panel=MODEL),
    ] = None,
    steps: Annotated[
        int | None,
        typer.Option(help="How long; the preset's if not given.", rich_help_panel=LEARNING),
    ] = None,
    hours: Annotated[
        float | None,
        typer.Option(
            help="How long instead: as many steps as fit, measured at the start.",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    batch_size: Annotated[
        int | None, typer.Option(help="Sequences in a step.", rich_help_panel=LEARNING)
    ] = None,
    batch_pieces: Annotated[
        int | None, typer.Option(help="Pieces in a step instead.", rich_help_panel=LEARNING)
    ] = None,
    lengths: Annotated[
        str | None,
        typer.Option(
            metavar="LENGTH[:SHARE],…",
            help="Pieces in a sequence, by share of the steps: 128:0.9,512:0.1",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    optimizer: Annotated[
        Literal["adamw", "adam", "lamb", "adagrad"] | None,
        typer.Option(
            help="BERT's, RoBERTa's, ALBERT's or ELMo's.",
            rich_help_panel=LEARNING,
            show_default=False,
        ),
    ] = None,
    lr: Annotated[
        float | None,
        typer.Option(
            help="Learning rate; the preset's is for its own batch.", rich_help_panel=LEARNING
        ),
    ] = None,
    warmup: Annotated[
        float | None,
        typer.Option(help="Steps, or below 1 a share of them.", rich_help_panel=LEARNING),
    ] = None,
    decay: Annotated[
        Literal["after-warmup", "from-start", "none"] | None,
        typer.Option(
            help="Of the learning rate to 0: from its peak, or (BERT, ALBERT) from step 0.",
            rich_help_panel=LEARNING,
            show_default=False,
        ),
    ] = None,
    power: Annotated[
        float | None, typer.Option(help="Of the decay; 1 is linear.", rich_help_panel=LEARNING)
    ] = None,
    weight_decay: Annotated[
        float | None, typer.Option(help="Of matrices.", rich_help_panel=LEARNING)
    ] = None,
    clip: Annotated[
        float | None, typer.Option(help="Largest gradient norm.", rich_help_panel=LEARNING)
    ] = None,
    dropout: Annotated[
        float | None, typer.Option(help="The encoder's own if not given.", rich_help_panel=LEARNING)
    ] = None,
    attention_dropout: Annotated[
        float | None, typer.Option(help="Of attention weights.", rich_help_panel=LEARNING)
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Of all that is drawn.", rich_help_panel=LEARNING)
    ] = None,
    inputs: Annotated[
        Literal[
            "segment-pair", "sentence-pair", "sentence-order", "full-sentences", "doc-sentences"
        ]
        | None,
        typer.Option(
            help="What a sequence is made of; the objective's own if not given.",
            rich_help_panel=EXAMPLES,
            show_default=False,
        ),
    ] = None,
    short: Annotated[
        float | None,
        typer.Option(help="Share of shorter sequences.", rich_help_panel=EXAMPLES),
    ] = None,
    mask_share: Annotated[
        float | None, typer.Option(help="Share of pieces to mask.", rich_help_panel=EXAMPLES)
    ] = None,
    ngrams: Annotated[
        int | None,
        typer.Option(help="Mask up to so many words together.", rich_help_panel=EXAMPLES),
    ] = None,
    whole_words: Annotated[
        bool | None,
        typer.Option(help="Mask all pieces of a word or none.", rich_help_panel=EXAMPLES),
    ] = None,
    mask_copies: Annotated[
        int | None,
        typer.Option(
            help="Static masks: so many versions of the data, in turn. 0: new masks each epoch.",
            rich_help_panel=EXAMPLES,
        ),
    ] = None,
    held_out: Annotated[
        float,
        typer.Option(help="Share of documents to evaluate on.", rich_help_panel=EVALUATION),
    ] = 0.01,
    evaluate_every: Annotated[
        int | None,
        typer.Option(help="Steps; by default 20 times in all.", rich_help_panel=EVALUATION),
    ] = None,
    evaluate_examples: Annotated[
        int | None,
        typer.Option(help="Held-out sequences each time; 500.", rich_help_panel=EVALUATION),
    ] = None,
    final_examples: Annotated[
        int | None,
        typer.Option(help="Held-out sequences at the end; 2000.", rich_help_panel=EVALUATION),
    ] = None,
    shards: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Keep the tokenised text here, for other runs on it.",
            rich_help_panel=TEXT,
        ),
    ] = None,
    text_field: Annotated[
        list[str] | None,
        typer.Option(
            help="Field of records that holds text; may be repeated. 'text' by default.",
            rich_help_panel=TEXT,
            show_default=False,
        ),
    ] = None,
    documents: Annotated[
        Literal["file", "blank-lines"],
        typer.Option(
            help="A plain text file is one document, or blank lines part several.",
            rich_help_panel=TEXT,
        ),
    ] = "file",
    text_workers: Annotated[
        int | None, typer.Option(min=1, help="Processes that tokenise.", rich_help_panel=TEXT)
    ] = None,
    pack: Annotated[
        int | None,
        typer.Option(
            help="Pieces computed at once; 2048. A step is as many packs as it needs.",
            rich_help_panel=MACHINE,
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            help="Processes that make examples; none on a CPU, two beside a GPU.",
            rich_help_panel=MACHINE,
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
        Literal["fp32", "bf16"] | None,
        typer.Option(
            help="Of the multiplications; fp32.", rich_help_panel=MACHINE, show_default=False
        ),
    ] = None,
    save_seconds: Annotated[
        float | None,
        typer.Option(
            help="How often to keep what a kill would lose; 300.", rich_help_panel=MACHINE
        ),
    ] = None,
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
) -> int:
    """Pretrain an encoder on plain text, and leave a Hugging Face folder.

    - `incognote pretrain text/ -o encoder/ --preset albert-base --tokenizer tok/ --size layers=6
      --hours 3 --batch-pieces 16384 --lr 1e-3`
    - `incognote pretrain notes.jsonl.gz -o adapted/ --from minilm --objective mlm --steps 2000`
    - `torchrun --nproc-per-node 2 -m incognote pretrain …` on several devices

    A run that was killed goes on with --resume and ends with the same weights. ENCODER also gets
    training.json (data, curve, held-out figures), log.csv, held_out.csv and, with matplotlib,
    losses.png. On Linux the command starts itself anew once, with allocator settings that make
    training much faster (INCOGNOTE_ALLOCATOR=system leaves them alone).
    """
    from incognote.cli.allocator import keep_memory
    from incognote.cli.training_options import need_torch

    keep_memory()
    need_torch()
    from incognote.cli.pretrain_view import pretraining_progress, show
    from incognote.workflows.pretrain import Beginning, TextOptions, choose_settings, pretrain_text

    beginning = Beginning(
        preset=preset, source=source, tokenizer=tokenizer, sizes=named_values("--size", size)
    )
    masking = {"share": mask_share, "longest": ngrams, "whole_words": whole_words}
    examples: dict[str, Any] = {"inputs": inputs, "short": short, "masking": _given(masking)}
    if mask_copies is not None:
        examples["masking"]["copies"] = mask_copies or None
    chosen: dict[str, Any] = {
        "objective": objective,
        "objective_options": named_values("--objective-option", objective_option),
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
        "weight_decay": weight_decay,
        "clip": clip,
        "dropout": dropout,
        "attention_dropout": attention_dropout,
        "seed": seed,
        "precision": precision,
        "pack": pack,
        "workers": workers,
        "evaluate_every": evaluate_every,
        "evaluate_examples": evaluate_examples,
        "final_examples": final_examples,
        "save_seconds": save_seconds,
    }
    settings = choose_settings(beginning, chosen)
    with pretraining_progress() as view:
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
            watch=view.step,
            say=view.say,
            tokenised=view.tokenised,
        )
    show(result.training, output)
    return 0


def named_values(option: str, given: list[str] | None) -> dict[str, Any]:
    """NAME=VALUE pairs, the values as numbers or truth values where they look so."""
    values: dict[str, Any] = {}
    for pair in given or ():
        name, equals, written = pair.partition("=")
        if not equals or not name or not written:
            raise typer.BadParameter(f"{option} {pair}: write NAME=VALUE, such as layers=4")
        values[name] = _value(written)
    return values


def _value(written: str) -> Any:
    if written in ("true", "false"):
        return written == "true"
    for kind in (int, float):
        try:
            return kind(written)
        except ValueError:
            continue
    return written


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


def _given(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None and value != {}}
