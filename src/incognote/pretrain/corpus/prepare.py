"""Tokenise texts once, into a folder that `Shards` reads.

A run that was killed goes on where it stood when it is started again: a shard that is there is
whole, and is not made again. What comes out depends on texts, tokenizer and settings alone, never
on the number of processes or on interruptions.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from incognote.pretrain.corpus.encoding import EncodedDocuments, HeldOut
from incognote.pretrain.corpus.errors import TextError
from incognote.pretrain.corpus.files import digests, list_files
from incognote.pretrain.corpus.manifest import SCHEMA, claim, write_manifest
from incognote.pretrain.corpus.reading import Reading, documents
from incognote.pretrain.corpus.sentences import VERSION
from incognote.pretrain.corpus.shard_file import ShardFile, read_shard, shard_path, write_shard
from incognote.pretrain.corpus.shards import Shards
from incognote.pretrain.corpus.workers import Work, encoded
from incognote.tokenization.tokenizer import Tokenizer

SHARD = 2**25
BATCH = 2**20
"""Characters of a shard and of what a process gets at a time, at least."""

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
    settings: Settings = Settings(),  # noqa: B008
    *,
    workers: int = 1,
    watch: Callable[[Step], None] = lambda step: None,
) -> Shards:
    """The shards of these files and folders; made, finished, or found finished.

    A folder with shards of other texts, another tokenizer or other settings is refused.
    """
    folder, files = Path(folder), list_files(texts)
    total = sum(path.stat().st_size for path in files)
    manifest = _manifest(files, tokenizer, settings, total, watch)
    if claim(folder, manifest):
        return Shards(folder, tokenizer)
    done = 0
    while shard_path(folder, done).is_file():
        done += 1
    work = Work(tokenizer, HeldOut(settings.held_out, settings.seed))
    results = encoded(_batches(files, settings.reading, settings.shard, done), work, workers)
    for number, labelled in groupby(results, key=lambda result: result[0].shard):
        parts = []
        for label, part in labelled:
            watch(Step("tokenising", label.read, total, label.documents))
            parts.append(part)
        write_shard(shard_path(folder, number), _shard(parts))
        done = number + 1
    _finish(folder, manifest, done)
    return Shards(folder, tokenizer)


class _Label(NamedTuple):
    """Of a batch: its shard, and bytes and documents read up to its end."""

    shard: int
    read: int
    documents: int


def _batches(
    files: Sequence[Path], reading: Reading, shard: int, done: int
) -> Iterator[tuple[_Label, list[str]]]:
    """All documents but those of the shards that are done, each shard in batches."""
    number = count = held = size = before = 0
    texts: list[str] = []
    label = _Label(0, 0, 0)
    for path in files:
        for document in documents(path, reading):
            count += 1
            held += len(document.text)
            label = _Label(number, before + document.read, count)
            if number >= done:
                texts.append(document.text)
                size += len(document.text)
            if texts and (size >= BATCH or held >= shard):
                yield label, texts
                texts, size = [], 0
            if held >= shard:
                number, held = number + 1, 0
        before += path.stat().st_size
    if texts:
        yield label, texts


def _shard(parts: Sequence[EncodedDocuments]) -> ShardFile:
    def all_of(name: str) -> Any:
        return np.concatenate([getattr(part, name) for part in parts])

    return ShardFile(
        ids=all_of("ids"),
        word_starts=all_of("word_starts"),
        sentences=np.concatenate([[0], np.cumsum(all_of("sentence_lengths"))]),
        documents=np.concatenate([[0], np.cumsum(all_of("sentence_counts"))]),
        held_out=all_of("held_out"),
        empty=sum(part.empty for part in parts),
        unknown=sum(part.unknown for part in parts),
    )


def _manifest(
    files: Sequence[Path],
    tokenizer: Tokenizer,
    settings: Settings,
    total: int,
    watch: Callable[[Step], None],
) -> dict[str, Any]:
    """What the shards are made of; the fingerprint is of all that decides what they hold."""
    looked = 0

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
