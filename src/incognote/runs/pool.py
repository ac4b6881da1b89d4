"""Work on notes, in this process or in several; what goes wrong with a note stays with that note.

A note may raise anything, or take the process that works on it along (for want of memory, say).
Then the notes that were in work are done again by a process of their own, and one by one if that
dies too: the one at fault is known by being alone with it.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Generic, Protocol, TypeVar, cast

from incognote.base.errors import AlignError, RunError, StoppedError, kind_of_error
from incognote.base.interrupts import Interrupts
from incognote.base.orphans import end_with_parent
from incognote.document import Document
from incognote.runs.children import one_thread_each

MOST_DEATHS = 20
"""So many notes in a row that each ended a process are not the fault of the notes."""

Outcome = TypeVar("Outcome")
Work = Callable[[Sequence[Document]], Iterable[Outcome]]
"""What is done with some notes at once: an outcome for each, the same as one by one."""


@dataclass(frozen=True)
class NoteError:
    """Why a note could not be processed; says nothing of what is in it."""

    reason: str


Outcomes = list[Outcome | NoteError]


class Pool(Protocol[Outcome]):
    """Takes notes, and gives their outcomes when they are asked for."""

    def submit(self, documents: Sequence[Document]) -> Callable[[], Outcomes[Outcome]]: ...


@contextmanager
def pool_of(make_work: Callable[[], Work[Outcome]], workers: int) -> Iterator[Pool[Outcome]]:
    """`make_work` builds the work once in every process, and is pickled when `workers` > 1."""
    if workers == 1:
        yield _Here(_built(make_work))
        return
    pool = _Processes(make_work, workers)
    try:
        yield pool
    except BaseException:
        pool.end()
        raise
    finally:
        pool.close()


def _built(make_work: Callable[[], Work[Outcome]]) -> Work[Outcome]:
    """The work; no note is read yet, so that what our own errors say tells nothing of any."""
    try:
        return make_work()
    except Exception as error:
        if type(error).__module__.partition(".")[0] == "incognote":
            raise
        raise RunError(
            f"the detector or the replacement cannot be loaded ({kind_of_error(error)})"
        ) from None


class _Here(Generic[Outcome]):
    """In this process."""

    def __init__(self, work: Work[Outcome]) -> None:
        self._work = work

    def submit(self, documents: Sequence[Document]) -> Callable[[], Outcomes[Outcome]]:
        return lambda: _all(self._work, documents)


class _Processes(Generic[Outcome]):
    """In several processes, which are replaced if they die."""

    def __init__(self, make_work: Callable[[], Work[Outcome]], workers: int) -> None:
        self._make_work, self._workers = make_work, workers
        self._many: ProcessPoolExecutor | None = None
        self._single: ProcessPoolExecutor | None = None
        self._deaths = 0

    def submit(self, documents: Sequence[Document]) -> Callable[[], Outcomes[Outcome]]:
        if self._single is not None:  # the notes that were in work have been done again
            self._single.shutdown(wait=True)
            self._single = None
        try:
            future = self._sent(documents)
        except BrokenProcessPool:
            self._many = None
            future = self._sent(documents)
        return lambda: self._result(future, documents)

    def _sent(self, documents: Sequence[Document]) -> Future[_Answer]:
        self._many = self._many or self._started(self._workers)
        return _submitted(self._many, documents)

    def _started(self, workers: int) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            workers, get_context("spawn"), initializer=_start, initargs=(self._make_work,)
        )

    def _result(self, future: Future[_Answer], documents: Sequence[Document]) -> Outcomes[Outcome]:
        try:
            return self._opened(future.result())
        except RunError:
            raise
        except Exception:  # a process died, or what it sent cannot be unpacked
            return self._apart(documents)

    def _apart(self, documents: Sequence[Document]) -> Outcomes[Outcome]:
        """In a process of their own."""
        try:
            return self._alone(documents)
        except BrokenProcessPool:
            pass
        except RunError:
            raise
        except Exception:
            if len(documents) == 1:
                return [NoteError("what was made of it cannot be sent back")]
        if len(documents) > 1:
            return [outcome for each in documents for outcome in self._apart([each])]
        self._deaths += 1
        if self._deaths >= MOST_DEATHS:
            raise StoppedError(
                f"{self._deaths} worker processes have died one after the other, perhaps for want "
                "of memory; what is finished is kept: continue with --resume, perhaps with fewer "
                "--workers"
            )
        return [NoteError("the process that worked on it died, perhaps for want of memory")]

    def _alone(self, documents: Sequence[Document]) -> Outcomes[Outcome]:
        if self._single is None:
            self._single = self._started(1)
            try:
                self._opened(_submitted(self._single, []).result())
            except BrokenProcessPool:
                self._single = None
                raise StoppedError(
                    "worker processes die as they start, perhaps for want of memory; what is "
                    "finished is kept: continue with --resume, perhaps with fewer --workers"
                ) from None
        try:
            outcomes = self._opened(_submitted(self._single, documents).result())
        except BrokenProcessPool:
            self._single = None
            raise
        if documents:
            self._deaths = 0
        return outcomes

    def _opened(self, answer: _Answer) -> Outcomes[Outcome]:
        if isinstance(answer, str):
            raise RunError(answer)
        return cast(Outcomes[Outcome], answer)

    def end(self) -> None:
        """At once, whatever is in work."""
        for pool in filter(None, (self._many, self._single)):
            for process in list((getattr(pool, "_processes", None) or {}).values()):
                process.terminate()

    def close(self) -> None:
        for pool in filter(None, (self._many, self._single)):
            pool.shutdown(wait=True, cancel_futures=True)


def _submitted(pool: ProcessPoolExecutor, documents: Sequence[Document]) -> Future[_Answer]:
    """Send notes. A process is started when there is work for it, and no signal comes in between:
    one that is half started is never ended, and keeps the queue open that `close` waits for.
    """
    interrupts = Interrupts()
    with interrupts.listening(), interrupts.held(), one_thread_each():
        return pool.submit(_in_worker, documents)


def _all(work: Work[Outcome], documents: Sequence[Document]) -> Outcomes[Outcome]:
    """Together, or one by one if that fails, so that only the notes at fault do."""
    try:
        outcomes = list(work(documents))
        if len(outcomes) == len(documents):
            return list(outcomes)
    except KeyboardInterrupt:
        raise
    except BaseException:  # a panic in a library of another language is no Exception
        pass
    return [_one(work, document) for document in documents]


def _one(work: Work[Outcome], document: Document) -> Outcome | NoteError:
    """Whatever goes wrong inside stays inside: its message might quote the note."""
    try:
        (outcome,) = work([document])
        return outcome
    except AlignError as error:  # says nothing of the note
        return NoteError(str(error))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return NoteError(f"could not be processed ({kind_of_error(error)})")


_Answer = list[object] | str
"""Outcomes, or the sentence that says why the work could not be built."""

_work: Work[object] | str = "nothing was started"


def _start(make_work: Callable[[], Work[object]]) -> None:
    global _work
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    try:
        _work = _built(make_work)
    except Exception as error:
        _work = str(error)


def _in_worker(documents: Sequence[Document]) -> _Answer:
    return _work if isinstance(_work, str) else _all(_work, documents)
