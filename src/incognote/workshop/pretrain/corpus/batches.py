"""Which documents stand in which shard, in batches for processes to encode."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from incognote.workshop.pretrain.corpus.held_out import HeldOut
from incognote.workshop.pretrain.corpus.parts import Part, parts
from incognote.workshop.pretrain.corpus.reading import Reading, documents

BATCH = 2**20
"""Characters of a batch, at least, and about those of the longest part of a document."""


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
    made: Container[int],
) -> Iterator[tuple[Label, list[Part]]]:
    """All documents but those of the shards that are made, each shard in batches.

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
            if number not in made:
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
