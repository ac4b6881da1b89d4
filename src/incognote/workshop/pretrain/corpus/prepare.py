"""Tokenise texts once, into a folder that `Shards` reads.

A run that was killed goes on where it stood when it is started again: a shard that is there is
whole, and is not made again; one that is missing is. What comes out depends on texts, tokenizer and
settings alone, never on the number of processes or on interruptions.

Which documents stand in which shard, in batches for processes to encode.

Which documents are kept from training.
"""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from incognote.base.errors import TextError
from incognote.workshop.pretrain.corpus.arrays import edges, join
from incognote.workshop.pretrain.corpus.encoding import EncodedParts, encode_batches
from incognote.workshop.pretrain.corpus.sentences import VERSION, Part, parts
from incognote.workshop.pretrain.corpus.shards import (
    SCHEMA,
    ShardFile,
    Shards,
    claim,
    read_shard,
    shard_path,
    shards_made,
    write_manifest,
    write_shard,
)
from incognote.workshop.pretrain.corpus.text_files import Reading, digests, documents, list_files
from incognote.workshop.tokenization.tokenizer import Tokenizer

SHARD = 2**25
"""Characters of a shard, at least."""

COLUMNS = ("ids", "word_starts", "sentence_lengths", "sentence_counts", "begins", "held_out")
FIGURES = ("documents", "held_out", "one_sentence", "empty", "sentences", "pieces", "unknown")

BATCH = 2**20
"""Characters of a batch, at least, and about those of the longest part of a document."""

_BLOCK = 2**20


@dataclass(frozen=True)
class Step:
    """How far a run is: bytes of the files looked at, first to know them, then to tokenise."""

    stage: Literal["checking", "tokenising"]
    done: int
    total: int
    documents: int = 0


@dataclass(frozen=True)
class ShardSettings:
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
    settings: ShardSettings = ShardSettings(),
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
    finished = shards_made(folder)
    held_out = HeldOut(settings.held_out, settings.seed)
    text_batches = batches(
        files, settings.reading, held_out, shard=settings.shard, finished=frozenset(finished)
    )
    results = encode_batches(text_batches, tokenizer.reader, workers)

    def watched(labelled: Iterable[tuple[Label, EncodedParts]]) -> Iterator[EncodedParts]:
        for label, part in labelled:
            watch(Step("tokenising", label.read, total, label.documents))
            yield part

    for number, labelled in groupby(results, key=lambda result: result[0].shard):
        write_shard(shard_path(folder, number), _shard(watched(labelled)))
        finished.add(number)
    _finish(folder, manifest, len(finished))
    return Shards(folder, tokenizer)


@dataclass(frozen=True)
class HeldOut:
    """The share of documents kept from training, told by seed and text: the same text, the same side."""

    share: float
    seed: int

    def has(self, text: str) -> bool:
        """Whether a document is kept."""
        key = self.seed.to_bytes(8, "little", signed=True)
        digest = hashlib.blake2b(digest_size=8, key=key)
        for place in range(0, len(text), _BLOCK):
            digest.update(text[place : place + _BLOCK].encode())
        return int.from_bytes(digest.digest(), "little") < self.share * 2**64


class Label(NamedTuple):
    """Of a batch: its shard, and bytes and documents read up to its end."""

    shard: int
    read: int
    documents: int


def batches(
    files: Sequence[Path],
    reading: Reading,
    held_out: HeldOut,
    *,
    shard: int,
    finished: Container[int],
) -> Iterator[tuple[Label, list[Part]]]:
    """All documents but those of the finished shards, each shard in batches.

    A shard has whole documents, and at least so many characters if more follow.
    """
    number = count = held = size = before = 0
    batch: list[Part] = []
    label = Label(0, 0, 0)
    for path in files:
        for text, read in documents(path, reading):
            count += 1
            held += len(text)
            label = Label(number, before + read, count)
            if number not in finished:
                for part in parts(text, BATCH, held_out=held_out.has(text)):
                    batch.append(part)
                    size += len(part.text)
                    if size >= BATCH:
                        yield label, batch
                        batch, size = [], 0
            if held >= shard:
                if batch:
                    yield label, batch
                    batch, size = [], 0
                number, held = number + 1, 0
            del text  # before the next is read
        before += path.stat().st_size
    if batch:
        yield label, batch


def _shard(parts: Iterable[EncodedParts]) -> ShardFile:
    """The documents of all parts; those without a token are left out."""
    columns, unknown = _columns(parts)
    whole = {name: join(column, column[0].dtype) for name, column in columns.items()}
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
    settings: ShardSettings,
    watch: Callable[[Step], None] = lambda step: None,
) -> dict[str, Any]:
    """What the shards are made of; the fingerprint is of all that decides what they hold."""
    total, done = _bytes(files), 0

    def advance(size: int) -> None:
        nonlocal done
        done += size
        watch(Step("checking", done, total))

    origin = {
        "schema": SCHEMA,
        "tokenizer": tokenizer.fingerprint,
        "texts": hashlib.sha256("\n".join(digests(files, advance)).encode()).hexdigest(),
        "settings": {**asdict(settings), "sentences": VERSION},
    }
    text = json.dumps(origin, sort_keys=True)
    return {
        **json.loads(text),
        "fingerprint": hashlib.sha256(text.encode()).hexdigest(),
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
