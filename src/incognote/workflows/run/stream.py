"""The stream of a run: records are read in order, worked on in batches, and handed back in order.

Reading happens here; the work may happen in other processes. What is in flight is bounded, so
memory does not grow with the corpus.
"""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from dataclasses import dataclass
from multiprocessing import active_children, get_context
from typing import Generic, TypeVar, cast

from incognote.document import Document
from incognote.formats import detect
from incognote.formats.container import BadRecord, Fields, Format, FormatError, Record, Source
from incognote.orphans import end_with_parent
from incognote.workflows.run.children import one_thread_each
from incognote.workflows.run.inputs import Input, RunError, reason_of

BATCH_CHARACTERS = 50_000
BATCH_NOTES = 256

Outcome = TypeVar("Outcome")


@dataclass(frozen=True)
class Opened:
    """A file was opened; its records follow."""

    input: Input
    format: Format
    source: Source


@dataclass(frozen=True)
class Ended:
    """A file was read to its end."""

    input: Input


@dataclass(frozen=True)
class Broken:
    """A file could not be opened, or not be read to its end."""

    input: Input
    place: str
    reason: str


Event = Opened | Record | BadRecord | Ended | Broken


@dataclass(frozen=True)
class NoteError:
    """Why a note could not be processed; says nothing of what is in it."""

    reason: str


def events(
    inputs: Iterable[Input],
    fields: Fields,
    format: str | None = None,
    skip: Callable[[Input], int] = lambda input: 0,
) -> Generator[Event]:
    """Read files one after the other. An error ends its file, never the stream."""
    for input in inputs:
        try:
            if input.problem:
                raise FormatError(input.problem)
            kind = detect(input.path, format)
            source = kind.open(input.path, fields)
        except (FormatError, OSError, RecursionError, MemoryError) as error:
            yield _broken(input, error)
            continue
        try:
            yield Opened(input, kind, source)
            yield from source.records(skip(input))
        except (FormatError, OSError, RecursionError, MemoryError) as error:
            yield _broken(input, error)
        else:
            yield Ended(input)
        finally:
            source.close()


def _broken(input: Input, error: Exception) -> Broken:
    if isinstance(error, FormatError):
        return Broken(input, error.place, error.reason)
    if isinstance(error, OSError):
        return Broken(input, "", reason_of(error))
    return Broken(input, "", f"too large or too deep to read ({type(error).__name__})")


Work = Callable[[Sequence[Document]], Iterable[Outcome]]
"""What is done with some notes at once: an outcome for each, the same as one by one."""


@dataclass(frozen=True)
class _Batch(Generic[Outcome]):
    events: list[Event]
    result: Callable[[], list[Outcome | NoteError]]


def through(
    stream: Generator[Event], make_work: Callable[[], Work[Outcome]], workers: int = 1
) -> Generator[tuple[Event, list[Outcome | NoteError]]]:
    """Each event with the outcomes of its documents, in the order of the stream.

    `make_work` builds the work once in every process, and is pickled when `workers` > 1.
    """
    with closing(stream), _runner(make_work, workers) as run:
        waiting: deque[_Batch[Outcome]] = deque()
        for batch in _batches(stream):
            documents = [document for event in batch for document in _documents(event)]
            waiting.append(_Batch(batch, run(documents)))
            while len(waiting) > 2 * workers:
                yield from _hand_back(waiting.popleft())
            if workers == 1:
                yield from _hand_back(waiting.popleft())
        while waiting:
            yield from _hand_back(waiting.popleft())


def _documents(event: Event) -> tuple[Document, ...]:
    return event.documents if isinstance(event, Record) else ()


def _batches(stream: Iterable[Event]) -> Iterator[list[Event]]:
    batch: list[Event] = []
    characters = notes = 0
    for event in stream:
        batch.append(event)
        for document in _documents(event):
            characters += len(document.text)
            notes += 1
        if characters >= BATCH_CHARACTERS or notes >= BATCH_NOTES or len(batch) >= 4 * BATCH_NOTES:
            yield batch
            batch, characters, notes = [], 0, 0
    if batch:
        yield batch


def _hand_back(
    batch: _Batch[Outcome],
) -> Iterator[tuple[Event, list[Outcome | NoteError]]]:
    outcomes = iter(batch.result())
    for event in batch.events:
        yield event, [next(outcomes) for _ in _documents(event)]


Run = Callable[[Sequence[Document]], Callable[[], list[Outcome | NoteError]]]


@contextmanager
def _runner(make_work: Callable[[], Work[Outcome]], workers: int) -> Iterator[Run[Outcome]]:
    if workers == 1:
        work = make_work()
        yield lambda documents: lambda: _all(work, documents)
        return
    pool = ProcessPoolExecutor(
        workers, get_context("spawn"), initializer=_start, initargs=(make_work,)
    )
    try:
        in_worker = cast(Callable[[Sequence[Document]], list[Outcome | NoteError]], _in_worker)

        def run(documents: Sequence[Document]) -> Callable[[], list[Outcome | NoteError]]:
            with one_thread_each():  # a process is started when there is work for it
                return _result_of(pool.submit(in_worker, documents))

        yield run
    except BaseException:
        for worker in active_children():
            worker.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _result_of(
    future: Future[list[Outcome | NoteError]],
) -> Callable[[], list[Outcome | NoteError]]:
    def result() -> list[Outcome | NoteError]:
        try:
            return future.result()
        except BrokenProcessPool:
            raise RunError(
                "a worker process died, perhaps for want of memory; what is finished is kept: "
                "continue with --resume, perhaps with fewer --workers"
            ) from None

    return result


def _all(work: Work[Outcome], documents: Sequence[Document]) -> list[Outcome | NoteError]:
    """Together, or one by one if that fails, so that only the notes at fault do."""
    try:
        return list(work(documents))
    except Exception:
        return [_one(work, document) for document in documents]


def _one(work: Work[Outcome], document: Document) -> Outcome | NoteError:
    """Whatever goes wrong inside stays inside: its message might quote the note."""
    try:
        (outcome,) = work([document])
        return outcome
    except Exception as error:
        return NoteError(f"could not be processed ({type(error).__name__})")


_work: Work[object] | None = None


def _start(make_work: Callable[[], Work[object]]) -> None:
    global _work
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    _work = make_work()


def _in_worker(documents: Sequence[Document]) -> list[object]:
    assert _work is not None
    return _all(_work, documents)
