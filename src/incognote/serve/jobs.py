"""The worker of jobs: one thread of a process takes them from the spool, one after the other."""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from incognote.base.errors import UserError, kind_of_error
from incognote.base.messages import log
from incognote.runs.settings import Settings
from incognote.serve.engine import Engine
from incognote.serve.folder_jobs import FOLDERS, FolderWork, Locations
from incognote.serve.job_work import CancelledError, JobContext, UploadWork
from incognote.serve.spool import Job, Spool, SpoolError

_POLL = 0.5
MOST_DEATHS = 3
"""A job during which the process died so often is given up: it may well be the cause."""


class JobWorker:
    """Takes jobs that are queued, and those whose worker died."""

    def __init__(
        self,
        spool: Spool,
        engine: Engine,
        settings: Settings,
        *,
        largest: int,
        locations: Locations,
    ) -> None:
        self._spool, self.locations = spool, locations
        self._context = JobContext(spool, engine, settings, self._stopping, largest)
        self._closing = threading.Event()
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._run, name="incognote jobs", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def wake(self) -> None:
        """There is something to do."""
        self._wake.set()

    def close(self, seconds: float) -> None:
        """Stop after the notes in work; the job goes on when a service is there again."""
        self._closing.set()
        self._wake.set()
        self._thread.join(seconds)

    def _run(self) -> None:
        while not self._closing.is_set():
            try:
                self._spool.sweep()
                for job in self._spool.jobs():
                    if job.state in ("queued", "running") and not self._closing.is_set():
                        self._try(job)
            except Exception as error:
                log("serve", "spool unreadable", error=kind_of_error(error))
            self._wake.wait(_POLL)
            self._wake.clear()

    def _try(self, job: Job) -> None:
        """Work on a job, unless another process does."""
        with held(self._spool.path(job.id)) as ours:
            if not ours:
                return
            job = self._spool.job(job.id)
            if job.ended or job.state == "waiting":
                return
            deaths = job.deaths + (job.state == "running")
            if deaths >= MOST_DEATHS:
                reason = f"the service died {deaths} times while it worked on this job"
                self._spool.update(job.id, state="failed", reason=reason, deaths=deaths)
                log("serve", "job given up", id=job.id)
                return
            try:
                job = self._spool.update(job.id, state="running", deaths=deaths)
                if job.format == FOLDERS:
                    FolderWork(self._context, job, self.locations).do()
                else:
                    UploadWork(self._context, job).do()
                log("serve", "job done", id=job.id)
            except CancelledError:
                with suppress(SpoolError):
                    if self._closing.is_set():
                        self._spool.update(job.id, state="queued")
                    else:
                        self._spool.update(job.id, state="cancelled", reason="cancelled")
            except Exception as error:
                reason = str(error) if isinstance(error, UserError) else kind_of_error(error)
                with suppress(SpoolError):
                    self._spool.update(job.id, state="failed", reason=reason)
                log("serve", "job failed", id=job.id, error=kind_of_error(error))

    def _stopping(self, id: str) -> bool:
        return self._closing.is_set() or self._spool.is_cancelled(id)


@contextmanager
def held(folder: Path) -> Iterator[bool]:
    """Whether the job is ours now: a lock that the system takes back when its holder dies."""
    try:
        handle = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        yield False
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        yield False
        return
    try:
        yield True
    finally:
        os.close(handle)
