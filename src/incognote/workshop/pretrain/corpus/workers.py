"""Parts of documents through several processes and back in order, a bounded length at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from incognote.base.errors import TextError
from incognote.base.workers import BrokenProcessPool, WorkerPool, in_order
from incognote.workshop.pretrain.corpus.chunks import ChunkReader
from incognote.workshop.pretrain.corpus.encoding import EncodedParts, encode_parts
from incognote.workshop.pretrain.corpus.parts import Part
from incognote.workshop.tokenization.tokenizer import TextReader

IN_FLIGHT = 2**21
"""Characters for each process that are read and not yet encoded, at most: two batches. One batch
that is longer than all processes may have goes by itself."""

Label = TypeVar("Label")
Batch = tuple[Label, Sequence[Part]]


def encoded(
    batches: Iterable[Batch[Label]], reader: TextReader, workers: int
) -> Iterator[tuple[Label, EncodedParts]]:
    """Each batch encoded, under its label, in order."""
    if workers == 1:
        chunks = ChunkReader(reader)
        for label, parts in batches:
            yield label, encode_parts(parts, chunks)
        return
    try:
        with WorkerPool(partial(_encoder, reader), workers) as pool:
            submit = partial(_sent, pool)
            yield from in_order(batches, submit, workers * IN_FLIGHT, size_of=_characters)
    except BrokenProcessPool:
        raise TextError(
            "a worker process died, perhaps for want of memory; finished shards are kept: "
            "run the same again, perhaps with fewer workers"
        ) from None


def _sent(
    pool: WorkerPool[Sequence[Part], EncodedParts], batch: Batch[Label]
) -> Callable[[], tuple[Label, EncodedParts]]:
    label, parts = batch
    future = pool.submit(parts)
    return lambda: (label, future.result())


def _characters(batch: Batch[Label]) -> int:
    return sum(len(part.text) for part in batch[1])


def _encoder(reader: TextReader) -> Callable[[Sequence[Part]], EncodedParts]:
    """The work of a process, which has no threads of its own."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    chunks = ChunkReader(reader)
    return lambda parts: encode_parts(parts, chunks)
