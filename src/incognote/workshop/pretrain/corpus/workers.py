"""Parts of documents through several processes and back in order, a bounded length at a time."""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context
from typing import TypeVar

from incognote.base.errors import TextError
from incognote.base.orphans import end_with_parent
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
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _start, (reader,))
    try:
        yield from _in_order(batches, pool, workers * IN_FLIGHT)
    except BrokenProcessPool:
        raise TextError(
            "a worker process died, perhaps for want of memory; finished shards are kept: "
            "run the same again, perhaps with fewer workers"
        ) from None
    except BaseException:
        for worker in active_children():
            worker.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _in_order(
    batches: Iterable[Batch[Label]], pool: ProcessPoolExecutor, room: int
) -> Iterator[tuple[Label, EncodedParts]]:
    waiting: deque[tuple[Label, Future[EncodedParts], int]] = deque()
    for label, parts in batches:
        size = sum(len(part.text) for part in parts)
        while waiting and sum(held for _, _, held in waiting) + size > room:
            yield _first(waiting)
        waiting.append((label, pool.submit(_in_worker, parts), size))
    while waiting:
        yield _first(waiting)


def _first(waiting: deque[tuple[Label, Future[EncodedParts], int]]) -> tuple[Label, EncodedParts]:
    """Wait for the first, and hold on to nothing of it."""
    label, future, _ = waiting.popleft()
    return label, future.result()


_chunks: ChunkReader | None = None


def _start(reader: TextReader) -> None:
    global _chunks
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    _chunks = ChunkReader(reader)


def _in_worker(parts: Sequence[Part]) -> EncodedParts:
    assert _chunks is not None
    return encode_parts(parts, _chunks)
