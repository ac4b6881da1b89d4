"""The processes of a service: one or several, TLS, logs, and how they end."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from uvicorn.supervisors import Multiprocess

from incognote.base.messages import log
from incognote.onnx.sessions import cores
from incognote.runs.secret_files import make_key, read_key
from incognote.runs.settings import Settings
from incognote.serve.keys import read_keys
from incognote.serve.listening import Server, config, listening, log_to_stderr, url_of
from incognote.serve.metrics import FOLDER
from incognote.serve.options import ServeOptions
from incognote.serve.spool import Spool


def serve(options: ServeOptions, settings: Settings) -> int:
    """Answer until a signal comes; the exit status."""
    settings.check()
    _check_secrets(options)
    start = Start(options, settings, threads=max(1, cores() // options.workers))
    if options.workers == 1:
        log_to_stderr(options.log_format)
    settled = config(
        options,
        start,
        read_limit=options.read_limit,
        grace=options.grace,
        workers=options.workers,
        limit_concurrency=options.connections,
    )
    listener = listening(options)
    url = url_of(options, listener)
    log("serve", "listening", url=url, workers=options.workers)
    print(f"incognote: serving on {url}", file=sys.stderr, flush=True)
    with listener:
        if options.workers == 1:
            server = Server(settled)
            server.run(sockets=[listener])
            return 0 if server.started else 1
        with _shared_figures():
            log_to_stderr(options.log_format)
            supervisor = Multiprocess(settled, sockets=[listener])
            supervisor.run()
    return 0


def _check_secrets(options: ServeOptions) -> None:
    """Refuse files that cannot be used before anything listens; a new spool gets its key."""
    if options.keys is not None:
        read_keys(options.keys)
    if options.spool is not None and options.spool_key_file is not None:
        make_key(options.spool_key_file)
        Spool(options.spool, read_key(options.spool_key_file), hours=options.job_hours)


@dataclass(frozen=True)
class Start:
    """Makes the application in the process that runs it."""

    options: ServeOptions
    settings: Settings
    threads: int

    def __call__(self) -> Any:
        from incognote.serve.app import application

        if self.options.workers > 1:
            log_to_stderr(self.options.log_format)
        return application(self.options, self.settings, threads=self.threads)


@contextmanager
def _shared_figures() -> Iterator[None]:
    """A folder in which several processes leave their figures."""
    folder = Path(tempfile.mkdtemp(prefix="incognote-figures-"))
    os.environ[FOLDER] = str(folder)
    try:
        yield
    finally:
        os.environ.pop(FOLDER, None)
        shutil.rmtree(folder, ignore_errors=True)
