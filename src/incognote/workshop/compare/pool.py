"""A pool of processes, one task each. The parent outlives whatever happens to a child.

Not the pool of `base/workers.py`: a cell of a comparison trains for hours in a process of its own,
reports while it does, has threads that the plan gives it, and when it dies is one failed cell among
others. Processes are spawned, not forked: torch's threads do not survive a fork. A child whose parent
is gone ends at once; its state on disk is whole at any moment.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import connection, get_context
from multiprocessing.connection import Connection
from typing import Any, Generic, TypeVar

from incognote.base.errors import RunError
from incognote.base.workers import begin_worker, library_threads

T = TypeVar("T")
_PATIENCE = 20.0
_LIBRARIES = ("OMP_NUM_THREADS", "RAYON_NUM_THREADS")


@dataclass(frozen=True)
class Event(Generic[T]):
    """What a child told, or how it ended: well, or for a reason."""

    task: T
    told: Any = None
    ended: bool = False
    reason: str | None = None


Work = Callable[[T, Callable[[Any], None]], None]


def run_tasks(
    work: Work[T],
    tasks: Iterable[T],
    workers: int,
    threads: int,
    *,
    stopping: Callable[[], None] = lambda: None,
) -> Iterator[Event[T]]:
    """Run the tasks in order, `workers` at a time; each is taken when a process is free for it.

    stopping: called when processes are to end before they are done.
    """
    context = get_context("spawn")
    waiting = iter(tasks)
    running: dict[Connection, tuple[T, Any]] = {}
    try:
        while True:
            while len(running) < workers and (task := next(waiting, None)) is not None:
                mine, theirs = context.Pipe(duplex=False)
                child = context.Process(target=_child, args=(work, task, theirs))
                with library_threads(threads, _LIBRARIES, override=True):
                    child.start()
                theirs.close()
                running[mine] = (task, child)
                yield Event(task)
            if not running:
                return
            for ready in connection.wait(list(running)):
                assert isinstance(ready, Connection)
                task, child = running[ready]
                try:
                    message = ready.recv()
                except (EOFError, OSError):
                    message = None
                if message is not None and message[0] == "told":
                    yield Event(task, told=message[1])
                    continue
                child.join()
                del running[ready]
                ready.close()
                if message is None:
                    yield Event(task, ended=True, reason=_death(child.exitcode))
                else:
                    yield Event(task, ended=True, reason=message[1])
    finally:
        if running:
            stopping()
            _end([child for _, child in running.values()])


def _child(work: Work[T], task: T, parent: Connection) -> None:
    """The process: a Ctrl-C is the parent's to answer."""
    begin_worker()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    reason = None
    try:
        work(task, lambda told: parent.send(("told", told)))
    except RunError as error:
        reason = str(error)
    except (MemoryError, OSError, RuntimeError) as error:
        reason = _one_line(error)
    except Exception as error:
        # The message of an unforeseen error could quote a note.
        reason = f"unforeseen {type(error).__name__}, {_where(error)}"
    with suppress(OSError):
        parent.send(("ended", reason))


def _end(children: list[Any]) -> None:
    """Ask, wait, and insist."""
    for child in children:
        child.terminate()
    until = time.monotonic() + _PATIENCE
    for child in children:
        child.join(max(0.0, until - time.monotonic()))
        if child.is_alive():
            child.kill()
            child.join()


def _death(code: int | None) -> str:
    if code is not None and code < 0:
        name = signal.Signals(-code).name
        hint = " (out of memory?)" if -code == signal.SIGKILL else ""
        return f"the process was ended by {name}{hint}"
    return f"the process ended with status {code}"


def _one_line(error: BaseException) -> str:
    first = next(iter(str(error).splitlines()), "")
    return f"{type(error).__name__}: {first}" if first else type(error).__name__


def _where(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"line {trace.tb_lineno} of {trace.tb_frame.f_code.co_filename}" if trace else "nowhere"
