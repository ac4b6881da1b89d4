"""Worker processes: one pool, results in order, and what every process that we start must keep to.

De-identification, the preparation of text for pretraining and the examples of pretraining use
`WorkerPool` and `in_order`. A comparison trains in processes of its own (`workshop/compare/pool.py`),
which report while they work and end one by one; it shares `begin_worker` and `library_threads`.

Processes are spawned, not forked: the threads of torch and of tokenizers do not survive a fork.
"""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool as BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from types import FrameType, TracebackType
from typing import Any, Generic, TypeVar, cast

Task = TypeVar("Task")
Result = TypeVar("Result")
Work = Callable[[Task], Result]


class WorkerPool(Generic[Task, Result]):
    """Processes that each call `make_work` once, and then work on tasks.

    `make_work` and the tasks are pickled. A worker leaves Ctrl-C to its parent and ends when the
    parent does. One that dies (killed, or for want of memory) makes the results that are awaited a
    `BrokenProcessPool`; what that means is the caller's to say. Leaving the `with` block by an
    exception ends the workers at once, whatever they are at.
    """

    def __init__(self, make_work: Callable[[], Work[Task, Result]], workers: int) -> None:
        self._executor = ProcessPoolExecutor(
            workers, get_context("spawn"), initializer=_start, initargs=(make_work,)
        )

    def submit(self, task: Task) -> Future[Result]:
        """Send a task to the next free worker.

        A process is started when there is work for it, and no signal comes in between: one that is
        half started is never ended, and keeps the queue open that `close` waits for.
        """
        interrupts = Interrupts()
        with interrupts.listening(), interrupts.held(), library_threads():
            return cast(Future[Result], self._executor.submit(_work_on, task))

    def end(self) -> None:
        """Terminate the workers; `close` still has to be called."""
        for process in list((getattr(self._executor, "_processes", None) or {}).values()):
            process.terminate()

    def close(self) -> None:
        """Wait for the tasks that are in work, and end the workers."""
        self._executor.shutdown(wait=True, cancel_futures=True)

    def __enter__(self) -> WorkerPool[Task, Result]:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            self.end()
        self.close()


def in_order(
    tasks: Iterable[Task],
    submit: Callable[[Task], Callable[[], Result]],
    room: int,
    *,
    size_of: Callable[[Task], int] = lambda task: 1,
) -> Iterator[Result]:
    """The result of each task, in the order of the tasks.

    `submit` starts a task and gives a function that waits for its result. Tasks in flight have a
    size of at most `room` in all, unless a single one has more; the next task is not even read
    before there is room, so that memory does not grow with their number.
    """
    waiting: deque[tuple[Callable[[], Result], int]] = deque()
    in_flight = 0

    def first() -> Result:
        """Wait for it, and hold on to nothing of it."""
        nonlocal in_flight
        result_of, size = waiting.popleft()
        in_flight -= size
        return result_of()

    for task in tasks:
        size = size_of(task)
        while waiting and in_flight + size > room:
            yield first()
        waiting.append((submit(task), size))
        in_flight += size
        while waiting and in_flight >= room:
            yield first()
    while waiting:
        yield first()


_work: Callable[[Any], Any] | None = None
"""In a worker: what it does with a task."""


def _start(make_work: Callable[[], Callable[[Any], Any]]) -> None:
    global _work
    begin_worker()
    _work = make_work()


def _work_on(task: Any) -> Any:
    assert _work is not None
    return _work(task)


def begin_worker() -> None:
    """In a new process: Ctrl-C is the parent's to answer, and nothing outlives the parent.

    A worker whose parent was killed would wait for work for ever, with notes in its memory.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


LIBRARIES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")
"""Read by the libraries of numpy, torch and tokenizers when they are loaded; not by onnxruntime."""


@contextmanager
def library_threads(
    threads: int = 1, names: Sequence[str] = LIBRARIES, *, override: bool = False
) -> Iterator[None]:
    """A process that is started in here has so many threads for each library.

    What the user's environment says already stays, unless `override`.
    """
    before = {name: os.environ.get(name) for name in names}
    changed = [name for name, value in before.items() if override or value is None]
    os.environ.update(dict.fromkeys(changed, str(threads)))
    try:
        yield
    finally:
        for name in changed:
            if (value := before[name]) is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


class Interrupts:
    """SIGINT and SIGTERM at a moment that suits.

    While `listening`, a signal that comes inside `held` is answered at the end of it: what must not
    be torn apart is ended first.
    """

    def __init__(self) -> None:
        self._before: dict[signal.Signals, Any] = {}
        self._is_held = False
        self._waiting: signal.Signals | None = None

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Signals go to the main thread; in another there is nothing to hold."""
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._answer)
        try:
            yield
        finally:
            for number, handler in self._before.items():
                signal.signal(number, handler)
            self._before.clear()

    @contextmanager
    def held(self) -> Iterator[None]:
        """No signal is answered between the lines in here."""
        self._is_held = True
        try:
            yield
        finally:
            self._is_held = False
        if self._waiting is not None:
            number, self._waiting = self._waiting, None
            self._answer(number, None)

    def _answer(self, number: int, frame: FrameType | None) -> None:
        """As the handler does that was there before."""
        handler = self._before.get(signal.Signals(number))
        if self._is_held:
            self._waiting = signal.Signals(number)
        elif callable(handler):
            handler(number, frame)
        elif handler != signal.SIG_IGN:
            raise KeyboardInterrupt
