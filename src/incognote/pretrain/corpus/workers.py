"""Documents through several processes and back in order, a bounded number at a time."""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import active_children, get_context
from typing import TypeVar

from incognote.orphans import end_with_parent
from incognote.pretrain.corpus.chunks import ChunkReader
from incognote.pretrain.corpus.encoding import EncodedDocuments, HeldOut, encode_documents
from incognote.pretrain.corpus.errors import TextError
from incognote.tokenization.tokenizer import Tokenizer

Label = TypeVar("Label")
Batch = tuple[Label, Sequence[str]]


@dataclass(frozen=True)
class Work:
    """What a process needs to know to encode documents; sent once."""

    tokenizer: Tokenizer
    held_out: HeldOut

    def begin(self) -> Callable[[Sequence[str]], EncodedDocuments]:
        """The function that encodes."""
        reader = ChunkReader(self.tokenizer)
        return lambda texts: encode_documents(texts, reader, self.held_out)


def encoded(
    batches: Iterable[Batch[Label]], work: Work, workers: int
) -> Iterator[tuple[Label, EncodedDocuments]]:
    """Each batch encoded, under its label, in order."""
    if workers == 1:
        encode = work.begin()
        for label, texts in batches:
            yield label, encode(texts)
        return
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _start, (work,))
    waiting: deque[tuple[Label, Future[EncodedDocuments]]] = deque()
    try:
        for label, texts in batches:
            waiting.append((label, pool.submit(_in_worker, texts)))
            if len(waiting) > workers:
                label, future = waiting.popleft()
                yield label, future.result()
        while waiting:
            label, future = waiting.popleft()
            yield label, future.result()
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


_encode: Callable[[Sequence[str]], EncodedDocuments] | None = None


def _start(work: Work) -> None:
    global _encode
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    _encode = work.begin()


def _in_worker(texts: Sequence[str]) -> EncodedDocuments:
    assert _encode is not None
    return _encode(texts)
