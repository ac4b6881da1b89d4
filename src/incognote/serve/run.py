"""The processes of a service: one or several, TLS, logs, and how they end."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import signal
import socket
import ssl
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.supervisors import Multiprocess

from incognote.base.errors import RunError, reason_of
from incognote.base.messages import ROOT, JsonFormatter, LineFormatter, log
from incognote.onnx.sessions import cores
from incognote.runs.settings import Settings
from incognote.serve.metrics import FOLDER
from incognote.serve.options import ServeOptions

LONGEST_HEAD = 64 * 1024
"""Bytes of a request's line and headers."""


def serve(options: ServeOptions, settings: Settings) -> int:
    """Answer until a signal comes; the exit status."""
    settings.check()
    start = Start(options, settings, threads=max(1, cores() // options.workers))
    if options.workers == 1:
        _log_to_stderr(options.log_format)
    config = _config(options, start)
    if options.certificate is not None:
        _check_certificate(options)
    listening = _listening(options)
    scheme = "https" if options.certificate else "http"
    host, port = listening.getsockname()[:2]
    log("serve", "listening", url=f"{scheme}://{host}:{port}", workers=options.workers)
    print(f"incognote: serving on {scheme}://{host}:{port}", file=sys.stderr, flush=True)
    with listening:
        if options.workers == 1:
            server = Server(config)
            server.run(sockets=[listening])
            return 0 if server.started else 1
        with _shared_figures():
            _log_to_stderr(options.log_format)
            supervisor = Multiprocess(config, sockets=[listening])
            supervisor.run()
    return 0


def _check_certificate(options: ServeOptions) -> None:
    """Refuse files that are no certificate and its key, before anything is begun."""
    assert options.certificate is not None
    for path in (options.certificate, options.private_key):
        if path is not None and not path.is_file():
            raise RunError(f"{path}: no such file")
    try:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options.certificate, options.private_key)
    except (OSError, ssl.SSLError):
        raise RunError(
            f"{options.certificate}: no certificate (PEM) that goes with the private key"
        ) from None


def _listening(options: ServeOptions) -> socket.socket:
    """The socket, bound before any model is loaded."""
    try:
        family, *_, address = socket.getaddrinfo(
            options.host, options.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        return socket.create_server(address[:2], family=family, backlog=2048)
    except OSError as error:
        raise RunError(
            f"{options.host}, port {options.port}: cannot be listened on: {reason_of(error)}"
        ) from None


class Server(uvicorn.Server):
    """Ends well when it is told to end: a signal that was obeyed is not raised again."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop gracefully at SIGTERM and SIGINT, at once at a second SIGINT."""
        signals = (signal.SIGTERM, signal.SIGINT)
        before = {each: signal.signal(each, self.handle_exit) for each in signals}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)


@dataclass(frozen=True)
class Start:
    """Makes the application in the process that runs it."""

    options: ServeOptions
    settings: Settings
    threads: int

    def __call__(self) -> Any:
        from incognote.serve.app import application

        if self.options.workers > 1:
            _log_to_stderr(self.options.log_format)
        return application(self.options, self.settings, threads=self.threads)


def _config(options: ServeOptions, start: Start) -> uvicorn.Config:
    return uvicorn.Config(
        start,
        factory=True,
        host=options.host,
        port=options.port,
        workers=options.workers,
        http=PatientProtocol.within(options.read_limit),
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=options.behind_proxy,
        limit_concurrency=options.connections,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=max(1, round(options.grace)),
        h11_max_incomplete_event_size=LONGEST_HEAD,
        ssl_certfile=None if options.certificate is None else str(options.certificate),
        ssl_keyfile=None if options.private_key is None else str(options.private_key),
    )


class PatientProtocol(H11Protocol):
    """Closes a connection whose request line and headers do not come in time."""

    seconds = 20.0
    _closing: asyncio.TimerHandle | None = None

    @classmethod
    def within(cls, seconds: float) -> type[PatientProtocol]:
        """With that much patience."""
        cls.seconds = seconds
        return cls

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._closing = self.loop.call_later(self.seconds, self._close_if_idle)

    def data_received(self, data: bytes) -> None:
        """A new request on an old connection has its time too."""
        if self._closing is None and (self.cycle is None or self.cycle.response_complete):
            self._closing = self.loop.call_later(self.seconds, self._close_if_idle)
        super().data_received(data)
        if (
            self._closing is not None
            and self.cycle is not None
            and not self.cycle.response_complete
        ):
            self._closing.cancel()
            self._closing = None

    def connection_lost(self, exc: Exception | None) -> None:
        if self._closing is not None:
            self._closing.cancel()
        super().connection_lost(exc)

    def _close_if_idle(self) -> None:
        self._closing = None
        if (self.cycle is None or self.cycle.response_complete) and not self.transport.is_closing():
            self.transport.close()


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


def _log_to_stderr(form: str) -> None:
    """Our own events, and uvicorn's warnings without what they were about."""
    logger = logging.getLogger(ROOT)
    if any(isinstance(each, logging.StreamHandler) for each in logger.handlers):
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if form == "json" else LineFormatter())
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    server = logging.getLogger("uvicorn.error")
    server.handlers = [_Plain(handler)]
    server.propagate = False
    server.setLevel(logging.WARNING)


class _Plain(logging.Handler):
    """Passes on that something happened, and not what: a traceback may hold what a client sent."""

    def __init__(self, handler: logging.Handler) -> None:
        super().__init__()
        self._handler = handler

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else None
        plain = logging.LogRecord(f"{ROOT}.serve", record.levelno, "", 0, "server", None, None)
        plain.figures = {"error": error or "see the status of the requests"}
        self._handler.emit(plain)
