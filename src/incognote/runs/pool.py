"""Work on notes, in this process or in several; what goes wrong with a note stays with that note.

A note may raise anything, or take the process that works on it along (for want of memory, say).
Then the notes that were in work are done again by a process of their own, and one by one if that
dies too: the one at fault is known by being alone with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Generic, Protocol, TypeVar, cast

from incognote.base.errors import AlignError, RunError, StoppedError, kind_of_error
from incognote.base.registry import PluginError
from incognote.base.workers import BrokenProcessPool, WorkerPool
from incognote.document import Document

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

_Answer = list[object] | str
"""Of a process: outcomes, or the sentence that says why the work could not be built."""
_Workers = WorkerPool[Sequence[Document], _Answer]


class Pool(Protocol[Outcome]):
    """Takes notes, and gives their outcomes when they are asked for."""

    def submit(self, documents: Sequence[Document]) -> Callable[[], Outcomes[Outcome]]: ...


@contextmanager
def pool_of(make_work: Callable[[], Work[Outcome]], workers: int) -> Iterator[Pool[Outcome]]:
    """`make_work` builds the work once in every process, and is pickled when `workers` > 1."""
    if workers == 1:
        yield _Here(_build(make_work))
        return
    pool = _Processes(make_work, workers)
    try:
        yield pool
    except BaseException:
        pool.end()
        raise
    finally:
        pool.close()


def _build(make_work: Callable[[], Work[Outcome]]) -> Work[Outcome]:
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
    """Works in this process."""

    def __init__(self, work: Work[Outcome]) -> None:
        self._work = work

    def submit(self, documents: Sequence[Document]) -> Callable[[], Outcomes[Outcome]]:
        return lambda: _work_on_all(self._work, documents)


class _Processes(Generic[Outcome]):
    """Works in several processes, which are replaced if they die."""

    def __init__(self, make_work: Callable[[], Work[Outcome]], workers: int) -> None:
        self._make_work = partial(_contained_work, make_work)
        self._workers = workers
        self._many: _Workers | None = None
        self._single: _Workers | None = None
        self._deaths = 0

    def submit(self, documents: Sequence[Document]) -> Callable[[], Outcomes[Outcome]]:
        if self._single is not None:  # the notes that were in work have been done again
            self._single.close()
            self._single = None
        try:
            future = self._send(documents)
        except BrokenProcessPool:
            self._many = None
            future = self._send(documents)
        return lambda: self._result(future, documents)

    def _send(self, documents: Sequence[Document]) -> Future[_Answer]:
        self._many = self._many or WorkerPool(self._make_work, self._workers)
        return self._many.submit(documents)

    def _result(self, future: Future[_Answer], documents: Sequence[Document]) -> Outcomes[Outcome]:
        try:
            return self._outcomes(future.result())
        except RunError:
            raise
        except Exception:  # a process died, or what it sent cannot be unpacked
            return self._retry(documents)

    def _retry(self, documents: Sequence[Document]) -> Outcomes[Outcome]:
        """In a process of their own, and one by one if that dies too."""
        try:
            return self._in_own_process(documents)
        except BrokenProcessPool:
            pass
        except RunError:
            raise
        except Exception:
            if len(documents) == 1:
                return [NoteError("what was made of it cannot be sent back")]
        if len(documents) > 1:
            return [outcome for each in documents for outcome in self._retry([each])]
        self._deaths += 1
        if self._deaths >= MOST_DEATHS:
            raise StoppedError(
                f"{self._deaths} worker processes have died one after the other, perhaps for want "
                "of memory; what is finished is kept: continue with --resume, perhaps with fewer "
                "--workers"
            )
        return [NoteError("the process that worked on it died, perhaps for want of memory")]

    def _in_own_process(self, documents: Sequence[Document]) -> Outcomes[Outcome]:
        if self._single is None:
            self._single = WorkerPool(self._make_work, 1)
            try:
                self._outcomes(self._single.submit([]).result())
            except BrokenProcessPool:
                self._single = None
                raise StoppedError(
                    "worker processes die as they start, perhaps for want of memory; what is "
                    "finished is kept: continue with --resume, perhaps with fewer --workers"
                ) from None
        try:
            outcomes = self._outcomes(self._single.submit(documents).result())
        except BrokenProcessPool:
            self._single = None
            raise
        if documents:
            self._deaths = 0
        return outcomes

    def _outcomes(self, answer: _Answer) -> Outcomes[Outcome]:
        if isinstance(answer, str):
            raise RunError(answer)
        return cast(Outcomes[Outcome], answer)

    def end(self) -> None:
        """Terminate the processes, whatever they are at."""
        for pool in filter(None, (self._many, self._single)):
            pool.end()

    def close(self) -> None:
        for pool in filter(None, (self._many, self._single)):
            pool.close()


def _contained_work(
    make_work: Callable[[], Work[object]],
) -> Callable[[Sequence[Document]], _Answer]:
    """The work of a process, or the sentence that says why it could not be built."""
    try:
        return partial(_work_on_all, _build(make_work))
    except Exception as error:
        reason = str(error)
        return lambda documents: reason


def _work_on_all(work: Work[Outcome], documents: Sequence[Document]) -> Outcomes[Outcome]:
    """Together, or one by one if that fails, so that only the notes at fault do."""
    try:
        outcomes = list(work(documents))
        if len(outcomes) == len(documents):
            return list(outcomes)
    except KeyboardInterrupt:
        raise
    except BaseException:  # a panic in a library of another language is no Exception
        pass
    return [_work_on_one(work, document) for document in documents]


def _work_on_one(work: Work[Outcome], document: Document) -> Outcome | NoteError:
    """Whatever goes wrong inside stays inside: its message might quote the note."""
    try:
        (outcome,) = work([document])
        return outcome
    except (AlignError, PluginError) as error:  # say nothing of the note
        return NoteError(str(error))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return NoteError(f"could not be processed ({kind_of_error(error)})")
