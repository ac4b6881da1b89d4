"""`incognote tokenizer`: a vocabulary learned from text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from incognote.cli.options import OUTPUT

if TYPE_CHECKING:
    from incognote.workshop.tokenizer_training import Watch

TEXT = "Text"


def tokenizer(
    texts: Annotated[
        list[Path],
        typer.Argument(
            metavar="TEXT…",
            help="Files or folders: plain text, JSONL, JSON, CSV, TSV, tar; also .gz, .bz2, .xz, .zst.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Folder for the tokenizer.",
            rich_help_panel=OUTPUT,
            show_default=False,
        ),
    ],
    kind: Annotated[
        Literal["unigram", "wordpiece", "bpe"],
        typer.Option(
            help="unigram, as in ALBERT and XLNet; wordpiece, as in BERT and ELECTRA; or bpe (of "
            "bytes), as in RoBERTa and ModernBERT."
        ),
    ] = "unigram",
    family: Annotated[
        Literal["albert", "xlnet", "roberta", "modernbert"] | None,
        typer.Option(
            help="Whose special tokens the vocabulary has: of unigram albert (the default) or xlnet, "
            "of bpe roberta (the default) or modernbert.",
            show_default=False,
        ),
    ] = None,
    vocab_size: Annotated[
        int, typer.Option(min=1, help="Size of the vocabulary, special tokens included.")
    ] = 30_000,
    cased: Annotated[
        bool | None,
        typer.Option(
            "--cased/--uncased",
            help="Keep capitals, or make all letters small. xlnet keeps them by default, bpe "
            "always.",
            show_default=False,
        ),
    ] = None,
    text_field: Annotated[
        list[str] | None,
        typer.Option(
            help="Field or column of records that holds text; may be repeated. 'text' by default.",
            rich_help_panel=TEXT,
            show_default=False,
        ),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an earlier output.", rich_help_panel=OUTPUT)
    ] = False,
) -> int:
    """Learn a vocabulary from text, as a tokenizer that incognote and `transformers` load alike.

    - `incognote tokenizer notes.jsonl.gz -o tokenizer/ --vocab-size 8000`
    - `incognote tokenizer books/ notes/ -o tokenizer/ --kind wordpiece --cased`
    - `incognote tokenizer books/ -o tokenizer/ --family xlnet --vocab-size 32000`

    The same text gives the same vocabulary, whatever the machine. If a field of a
    record holds a list or an object, all strings in it are read, in order.
    """
    from incognote.cli.show import say
    from incognote.workshop.pretrain.corpus.text_files import Reading
    from incognote.workshop.tokenizer_training import make_tokenizer

    with _progress() as watch:
        result = make_tokenizer(
            texts,
            output,
            kind,
            vocab_size,
            family=family,
            cased=cased,
            reading=Reading(tuple(text_field or ("text",))),
            overwrite=overwrite,
            watch=watch,
        )
    say(f"incognote: {result.vocabulary_size:,} tokens ({kind}) are in {output}")
    return 0


@contextmanager
def _progress() -> Iterator[Watch]:
    """A bar while text is read, then a sign of life; silent when nobody watches."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    with bar:
        task = bar.add_task("reading", total=None)

        def watch(stage: str, done: int, total: int | None) -> None:
            bar.update(task, description=stage, completed=done, total=total)

        yield watch
