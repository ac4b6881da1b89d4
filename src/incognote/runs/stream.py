"""The stream of a run: records are read in order, worked on in batches, and handed back in order.

Reading happens here; the work may happen in other processes. What is in flight is bounded, so
memory does not grow with the corpus.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from incognote.base.chunks import Ahead, chunks
from incognote.base.errors import kind_of_error
from incognote.base.workers import in_order
from incognote.document import Document
from incognote.formats import detect
from incognote.formats.container import BadRecord, Format, Record, Source
from incognote.formats.fields import Fields
from incognote.formats.format_error import FormatError
from incognote.runs.inputs import Input
from incognote.runs.pool import Outcomes, Pool, Work, pool_of

BATCH_CHARACTERS = 50_000
BATCH_NOTES = 256

Outcome = TypeVar("Outcome")
Advance = Callable[[int, int], None]
"""Called with the numbers of notes and of bytes that are done."""


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
_Batch = tuple[list[Event], Outcomes[Outcome]]


def events(
    inputs: Iterable[Input],
    fields: Fields,
    format: str | None = None,
    skip: Callable[[Input], int] = lambda input: 0,
) -> Generator[Event]:
    """Read files one after the other. An error of any kind ends its file, never the stream."""
    for input in inputs:
        try:
            if input.problem:
                raise FormatError(input.problem)
            kind = detect(input.path, format)
            source = kind.open(input.path, fields)
        except Exception as error:
            yield _failure(input, error)
            continue
        yield from file_events(input, kind, source, partial(skip, input))


def file_events(
    input: Input, format: Format, source: Source, skip: Callable[[], int] = lambda: 0
) -> Generator[Event]:
    """The events of one file, which is closed at the end."""
    try:
        yield Opened(input, format, source)
        yield from source.records(skip())
    except Exception as error:
        yield _failure(input, error)
    else:
        yield Ended(input)
    finally:
        with suppress(Exception):
            source.close()


def _failure(input: Input, error: Exception) -> Broken:
    if isinstance(error, FormatError):
        return Broken(input, error.place, error.reason)
    if isinstance(error, OSError):
        return Broken(input, "", kind_of_error(error))
    return Broken(input, "", f"could not be read ({kind_of_error(error)})")


def work_through(
    stream: Generator[Event],
    make_work: Callable[[], Work[Outcome]],
    workers: int = 1,
    *,
    live: bool = False,
) -> Generator[tuple[Event, Outcomes[Outcome]]]:
    """Each event with the outcomes of its documents, in the order of the stream.

    `make_work` builds the work once in every process, and is pickled when `workers` > 1. `live`:
    somebody waits at both ends, so that nothing waits for more to come; the stream is then read by
    a thread.
    """
    with pool_of(make_work, workers) as pool:
        if live:
            yield from _live(stream, pool, workers)
            return
        with closing(stream):
            batches = chunks(stream, 4 * BATCH_NOTES, size_of=_size, enough=BATCH_CHARACTERS)
            room = 2 * workers + 1 if workers > 1 else 1
            for batch in in_order(batches, partial(_send, pool), room):
                yield from _each(*batch)


def _live(
    stream: Iterable[Event], pool: Pool[Outcome], workers: int
) -> Iterator[tuple[Event, Outcomes[Outcome]]]:
    """Notes that wait go in together; outcomes are handed back as soon as no more notes wait."""
    ahead = Ahead(stream, BATCH_NOTES)
    waiting: deque[Callable[[], _Batch[Outcome]]] = deque()
    with closing(ahead):
        while batch := ahead.there(BATCH_NOTES):
            waiting.append(_send(pool, batch))
            while waiting and (len(waiting) > 2 * workers or not ahead.any_there()):
                yield from _each(*waiting.popleft()())
        while waiting:
            yield from _each(*waiting.popleft()())


def _send(pool: Pool[Outcome], batch: list[Event]) -> Callable[[], _Batch[Outcome]]:
    """A function that waits for the outcomes of a batch."""
    outcomes = pool.submit([document for event in batch for document in _documents(event)])
    return lambda: (batch, outcomes())


def _documents(event: Event) -> tuple[Document, ...]:
    return event.documents if isinstance(event, Record) else ()


def _size(event: Event) -> int:
    """Characters; a note counts for some however short it is, so that no batch has too many notes.

    The value of a column is no note, and takes no time.
    """
    least = BATCH_CHARACTERS // BATCH_NOTES
    return sum(
        max(len(document.text), least if document.value_type is None else 0)
        for document in _documents(event)
    )


def _each(
    batch: list[Event], outcomes: Outcomes[Outcome]
) -> Iterator[tuple[Event, Outcomes[Outcome]]]:
    """The events of a batch, each with the outcomes of its own documents."""
    remaining = iter(outcomes)
    for event in batch:
        yield event, [next(remaining) for _ in _documents(event)]
