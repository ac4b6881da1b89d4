"""The shards that `incognote pretrain` reads: made from text, kept with the run or where told."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from incognote.base.errors import RunError
from incognote.base.lock import output_lock
from incognote.base.options import Option, at_least

if TYPE_CHECKING:
    from incognote.workshop.pretrain.corpus.prepare import Settings
    from incognote.workshop.pretrain.corpus.prepare import Step as TextStep
    from incognote.workshop.pretrain.corpus.shards import Shards
    from incognote.workshop.tokenization.tokenizer import Tokenizer
    from incognote.workshop.training.processes import Processes

SHARDS = "shards"


_text = partial(Option, panel="Text")


@dataclass(frozen=True, kw_only=True)
class TextOptions:
    """How text becomes shards; `fields` and `documents` as `corpus.reading.Reading` has them.

    shards: if None, they are with the run, until it is over.
    """

    shards: Annotated[
        Path | None,
        _text("Folder to keep the tokenised text in, for other runs.", metavar="DIR"),
    ] = None
    held_out: Annotated[
        float,
        Option("Share of the documents that is held out for evaluation.", panel="Evaluation"),
    ] = 0.01
    fields: Annotated[
        tuple[str, ...],
        _text(
            "Field of records that holds text; may be repeated. 'text' by default.",
            flags=("--text-field",),
            repeated=True,
        ),
    ] = ("text",)
    documents: Annotated[
        Literal["file", "blank-lines"],
        _text("Whether a plain text file is one document, or blank lines separate several."),
    ] = "file"
    workers: Annotated[
        int | None,
        _text(
            "Number of processes that tokenise; by default one for each processor, four at most.",
            at_least(1),
            flags=("--text-workers",),
        ),
    ] = None


def text_workers() -> int:
    """How many processes tokenise: one for each processor, and four at most, for a gigabyte."""
    return min(4, os.cpu_count() or 1)


def fingerprint(texts: Sequence[str | Path], tokenizer: Tokenizer, options: TextOptions) -> str:
    """Of all that decides what the shards of the text hold, without making them."""
    from incognote.workshop.pretrain.corpus.files import list_files
    from incognote.workshop.pretrain.corpus.prepare import manifest_of

    if found := _tokenised(texts, tokenizer, options):
        return str(found.manifest["fingerprint"])
    return str(manifest_of(list_files(texts), tokenizer, _settings(options))["fingerprint"])


def _tokenised(
    texts: Sequence[str | Path], tokenizer: Tokenizer, options: TextOptions
) -> Shards | None:
    """The shards that the text is already, if it is."""
    from incognote.workshop.pretrain.corpus.manifest import MANIFEST
    from incognote.workshop.pretrain.corpus.shards import Shards

    if len(texts) != 1 or not (Path(texts[0]) / MANIFEST).is_file():
        return None
    if replace(options, workers=None) != TextOptions():
        raise RunError(f"{texts[0]}: is tokenised already; leave out how to read and keep text")
    return Shards(texts[0], tokenizer)


def _settings(options: TextOptions) -> Settings:
    from incognote.workshop.pretrain.corpus.prepare import Settings
    from incognote.workshop.pretrain.corpus.reading import Reading

    return Settings(Reading(options.fields, options.documents), held_out=options.held_out)


def shards_of(
    texts: Sequence[str | Path],
    tokenizer: Tokenizer,
    options: TextOptions,
    output: Path,
    workers: Processes,
    tokenised: Callable[[TextStep], None],
) -> Shards:
    """Shards of the text, made by the process that leads, or those that the text is already."""
    from incognote.workshop.pretrain.corpus.manifest import OtherShardsError
    from incognote.workshop.pretrain.corpus.prepare import prepare
    from incognote.workshop.pretrain.corpus.shards import Shards
    from incognote.workshop.training.run_folder import STATE, SavedState

    if found := _tokenised(texts, tokenizer, options):
        return found
    own = output / STATE / SHARDS
    folder = options.shards or own

    def make() -> None:
        prepare(
            texts,
            tokenizer,
            folder,
            _settings(options),
            workers=options.workers or text_workers(),
            watch=tokenised,
        )

    def make_or_again() -> None:
        try:
            with nullcontext() if folder == own else output_lock(folder, "pretrain", folder=False):
                make()
        except OtherShardsError:
            if folder != own:
                raise
            if SavedState(output).exists:
                raise RunError(
                    f"{output}: this run was started with other text, tokenizer or ways to read "
                    "it; continue it as it was, or start over with --overwrite"
                ) from None
            shutil.rmtree(own)  # of an attempt that never began to learn
            make()

    workers.led(make_or_again)  # nobody looks at the shards before they are made
    return Shards(folder, tokenizer)
