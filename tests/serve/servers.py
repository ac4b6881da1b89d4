"""A service as a process of its own, reached over a real socket."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import httpx

_STARTED = re.compile(r"serving on (https?://\S+)")


@dataclass
class Server:
    """A service that runs, its address, and all that it has written so far."""

    process: subprocess.Popen[str]
    url: str
    lines: list[str] = field(default_factory=list)

    @property
    def output(self) -> str:
        """Standard error and output together."""
        return "".join(self.lines)

    def client(self, key: str | None = None, **options: object) -> httpx.Client:
        """With the key, if the service needs one."""
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        return httpx.Client(base_url=self.url, headers=headers, timeout=60, **options)  # type: ignore[arg-type]

    def stop(self, how: int = signal.SIGTERM) -> int:
        """Send a signal and wait for the end; the exit status."""
        self.process.send_signal(how)
        return self.process.wait(60)


@contextmanager
def running(*options: str, wait: bool = True, verify: object = True) -> Iterator[Server]:
    """`incognote serve` on a free port; with `wait`, ready."""
    command = [sys.executable, "-m", "incognote", "serve", "--port", "0", *options]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
    )
    server = Server(process, "")
    reader = threading.Thread(target=_read, args=(server,), daemon=True)
    reader.start()
    try:
        _until(lambda: server.url or process.poll() is not None)
        assert server.url, server.output
        if wait:
            with httpx.Client(base_url=server.url, verify=verify, timeout=60) as client:  # type: ignore[arg-type]
                _until(lambda: _is_ready(client))
        yield server
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        reader.join()
        assert process.stdout is not None
        process.stdout.close()


def _is_ready(client: httpx.Client) -> bool:
    try:
        return client.get("/readyz").status_code == 200
    except httpx.TransportError:
        return False


def _read(server: Server) -> None:
    assert server.process.stdout is not None
    for line in server.process.stdout:
        server.lines.append(line)
        if (started := _STARTED.search(line)) and not server.url:
            server.url = started[1]


def _until(there: object, seconds: float = 120) -> None:
    """Wait for something that will come."""
    assert callable(there)
    end = time.monotonic() + seconds
    while not there():
        assert time.monotonic() < end, "it does not come"
        threading.Event().wait(0.02)
