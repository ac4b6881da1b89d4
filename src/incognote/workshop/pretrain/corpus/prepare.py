"""Tokenise texts once, into a folder that `Shards` reads.

A run that was killed goes on where it stood when it is started again: a shard that is there is
whole, and is not made again; one that is missing is. What comes out depends on texts, tokenizer and
settings alone, never on the number of processes or on interruptions.
"""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

import numpy as np

from incognote.base.errors import TextError
from incognote.workshop.pretrain.corpus.batches import Label, batches
from incognote.workshop.pretrain.corpus.encoding import EncodedParts
from incognote.workshop.pretrain.corpus.files import digests, list_files
from incognote.workshop.pretrain.corpus.held_out import HeldOut
from incognote.workshop.pretrain.corpus.joining import joined
from incognote.workshop.pretrain.corpus.manifest import SCHEMA, claim, write_manifest
from incognote.workshop.pretrain.corpus.ranges import edges
from incognote.workshop.pretrain.corpus.reading import Reading
from incognote.workshop.pretrain.corpus.sentences import VERSION
from incognote.workshop.pretrain.corpus.shard_file import (
    ShardFile,
    read_shard,
    shard_path,
    shards_made,
    write_shard,
)
from incognote.workshop.pretrain.corpus.shards import Shards
from incognote.workshop.pretrain.corpus.workers import encoded
from incognote.workshop.tokenization.tokenizer import Tokenizer

SHARD = 2**25
"""Characters of a shard, at least."""

COLUMNS = ("ids", "word_starts", "sentence_lengths", "sentence_counts", "begins", "held_out")
FIGURES = ("documents", "held_out", "one_sentence", "empty", "sentences", "pieces", "unknown")


@dataclass(frozen=True)
class Step:
    """How far a run is: bytes of the files looked at, first to know them, then to tokenise."""

    stage: Literal["checking", "tokenising"]
    done: int
    total: int
    documents: int = 0


@dataclass(frozen=True)
class Settings:
    """What else decides what the shards hold."""

    reading: Reading = field(default_factory=Reading)
    held_out: float = 0.01
    seed: int = 0
    shard: int = SHARD

    def __post_init__(self) -> None:
        if not 0 <= self.held_out < 1:
            raise TextError(f"the held-out share must be from 0 to below 1, not {self.held_out}")
        if self.shard < 1:
            raise TextError("a shard has at least one character")


def prepare(
    texts: Iterable[str | Path],
    tokenizer: Tokenizer,
    folder: str | Path,
    settings: Settings = Settings(),
    *,
    workers: int = 1,
    watch: Callable[[Step], None] = lambda step: None,
) -> Shards:
    """The shards of these files and folders; made, finished, or found finished.

    A folder with shards of other texts, another tokenizer or other settings is refused.
    """
    folder, files = Path(folder), list_files(texts)
    total = _bytes(files)
    manifest = manifest_of(files, tokenizer, settings, watch)
    if claim(folder, manifest):
        return Shards(folder, tokenizer)
    made = shards_made(folder)
    held_out = HeldOut(settings.held_out, settings.seed)
    wanted = batches(files, settings.reading, held_out, shard=settings.shard, made=frozenset(made))
    results = encoded(wanted, tokenizer.reader, workers)

    def watched(labelled: Iterable[tuple[Label, EncodedParts]]) -> Iterator[EncodedParts]:
        for label, part in labelled:
            watch(Step("tokenising", label.read, total, label.documents))
            yield part

    for number, labelled in groupby(results, key=lambda result: result[0].shard):
        write_shard(shard_path(folder, number), _shard(watched(labelled)))
        made.add(number)
    _finish(folder, manifest, len(made))
    return Shards(folder, tokenizer)


def _shard(parts: Iterable[EncodedParts]) -> ShardFile:
    """The documents of all parts; those without a piece are left out."""
    columns, unknown = _columns(parts)
    whole = {name: joined(column, column[0].dtype) for name, column in columns.items()}
    begins = np.flatnonzero(whole["begins"])
    counts = np.add.reduceat(whole["sentence_counts"], begins)
    solid = counts > 0
    return ShardFile(
        ids=whole["ids"],
        word_starts=whole["word_starts"],
        sentences=edges(whole["sentence_lengths"]),
        documents=edges(counts[solid]),
        held_out=whole["held_out"][begins][solid],
        empty=int(np.count_nonzero(~solid)),
        unknown=unknown,
    )


def _columns(parts: Iterable[EncodedParts]) -> tuple[dict[str, deque[Any]], int]:
    columns: dict[str, deque[Any]] = {name: deque() for name in COLUMNS}
    unknown = 0
    for part in parts:
        for name, column in columns.items():
            column.append(getattr(part, name))
        unknown += part.unknown
    return columns, unknown


def _bytes(files: Sequence[Path]) -> int:
    return sum(path.stat().st_size for path in files)


def manifest_of(
    files: Sequence[Path],
    tokenizer: Tokenizer,
    settings: Settings,
    watch: Callable[[Step], None] = lambda step: None,
) -> dict[str, Any]:
    """What the shards are made of; the fingerprint is of all that decides what they hold."""
    total, looked = _bytes(files), 0

    def advance(size: int) -> None:
        nonlocal looked
        looked += size
        watch(Step("checking", looked, total))

    made_of = {
        "schema": SCHEMA,
        "tokenizer": tokenizer.fingerprint,
        "texts": hashlib.sha256("\n".join(digests(files, advance)).encode()).hexdigest(),
        "settings": {**asdict(settings), "sentences": VERSION},
    }
    said = json.dumps(made_of, sort_keys=True)
    return {
        **json.loads(said),
        "fingerprint": hashlib.sha256(said.encode()).hexdigest(),
        "vocabulary_size": tokenizer.vocabulary_size,
        "family": tokenizer.family,
    }


def _finish(folder: Path, manifest: dict[str, Any], shards: int) -> None:
    """Count what there is, and say that it is all."""
    figures = dict.fromkeys(FIGURES, 0)
    for number in range(shards):
        file = read_shard(shard_path(folder, number))
        figures["documents"] += len(file.held_out)
        figures["held_out"] += int(np.count_nonzero(file.held_out))
        figures["one_sentence"] += int(np.count_nonzero(np.diff(file.documents) == 1))
        figures["sentences"] += len(file.sentences) - 1
        figures["pieces"] += len(file.ids)
        figures["empty"] += file.empty
        figures["unknown"] += file.unknown
    if not figures["documents"]:
        raise TextError("there is no text: every document is empty")
    write_manifest(folder, {**manifest, "complete": True, "shards": shards, "figures": figures})
