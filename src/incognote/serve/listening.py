"""How a program listens: its socket, TLS, patience with slow clients, its log, and how it ends."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import ssl
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from h11 import LocalProtocolError
from uvicorn.protocols.http.h11_impl import H11Protocol

from incognote.base.errors import RunError, reason_of
from incognote.base.messages import ROOT, JsonFormatter, LineFormatter
from incognote.serve.options import NetworkOptions

LONGEST_HEAD = 64 * 1024
"""Bytes of a request's line and headers."""
PATIENCE = 20.0
"""Seconds that a request's line and headers may take."""


def listening(options: NetworkOptions) -> socket.socket:
    """The socket, bound before anything is loaded; a certificate that does not fit is refused first."""
    _check_certificate(options)
    try:
        family, *_, address = socket.getaddrinfo(
            options.host, options.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        return socket.create_server(address[:2], family=family, backlog=2048)
    except OSError as error:
        raise RunError(
            f"{options.host}, port {options.port}: cannot be listened on: {reason_of(error)}"
        ) from None


def _check_certificate(options: NetworkOptions) -> None:
    """Refuse files that are no certificate and its key."""
    if options.certificate is None:
        return
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


def url_of(options: NetworkOptions, listener: socket.socket) -> str:
    """Where it is reached on this machine."""
    host, port = listener.getsockname()[:2]
    return f"{'https' if options.certificate else 'http'}://{f'[{host}]' if ':' in host else host}:{port}"


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


def config(
    options: NetworkOptions,
    start: Callable[[], Any],
    *,
    read_limit: float = PATIENCE,
    grace: float = 5.0,
    **more: Any,
) -> uvicorn.Config:
    """How `start`, which makes the application, is run; a client has `read_limit` for its headers."""
    return uvicorn.Config(
        start,
        factory=True,
        host=options.host,
        port=options.port,
        http=PatientProtocol.within(read_limit),
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=options.behind_proxy,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=max(1, round(grace)),
        h11_max_incomplete_event_size=LONGEST_HEAD,
        ssl_certfile=None if options.certificate is None else str(options.certificate),
        ssl_keyfile=None if options.private_key is None else str(options.private_key),
        **more,
    )


class PatientProtocol(H11Protocol):
    """Closes a connection whose request line and headers do not come in time, or that takes no answer."""

    seconds = PATIENCE
    _closing: asyncio.TimerHandle | None = None
    _stalled: asyncio.TimerHandle | None = None

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

    def pause_writing(self) -> None:
        """The client takes nothing for now; it has its time to go on."""
        super().pause_writing()
        self._stalled = self.loop.call_later(self.seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """It goes on."""
        self._forget(self._stalled)
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """A connection that said its last word already is only closed."""
        try:
            super().send_400_response(msg)
        except LocalProtocolError:
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget(self._closing)
        self._forget(self._stalled)
        super().connection_lost(exc)

    @staticmethod
    def _forget(timer: asyncio.TimerHandle | None) -> None:
        if timer is not None:
            timer.cancel()

    def _close_if_idle(self) -> None:
        self._closing = None
        if (self.cycle is None or self.cycle.response_complete) and not self.transport.is_closing():
            self.transport.close()


def log_to_stderr(form: str) -> None:
    """Our own events, and uvicorn's warnings without what they were about."""
    logger = logging.getLogger(ROOT)
    if any(isinstance(each, logging.StreamHandler) for each in logger.handlers):
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if form == "json" else LineFormatter())
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    for name in ("uvicorn.error", "asyncio"):
        server = logging.getLogger(name)
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
