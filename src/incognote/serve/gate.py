"""What every request passes before a route sees it, and every answer on its way out.

In order: a request id, the key and its rate, the length of the body, the time to send it. An answer
gets the headers that keep browsers from guessing, framing and storing; what happened is counted and
logged by route and status, with nothing of the request but its id.
"""

from __future__ import annotations

import asyncio
import errno
import re
import secrets
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from h11 import LocalProtocolError
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from incognote.base.errors import kind_of_error
from incognote.base.messages import log
from incognote.serve.keys import ApiKey, KeyRing
from incognote.serve.keys import Scope as KeyScope
from incognote.serve.metrics import Metrics
from incognote.serve.problems import LEFT, ProblemError

REQUEST_ID = "X-Request-Id"
AZURE_REQUEST_ID = "x-ms-client-request-id"
_REQUEST_ID = re.compile(r"[0-9a-fA-F-]{8,64}")
"""As a UUID is written: anything else might be a name, and would stand in the log."""
OPEN = frozenset({"/livez", "/readyz", "/health", "/version"})
"""Need no key: they tell nothing of notes."""
SECURITY = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}
_ADMIN = ("/metrics",)
_JOBS = ("/v1/jobs", "/jobs")


def scope_of(path: str) -> KeyScope:
    """What a key must allow for this path."""
    if path in _ADMIN:
        return "admin"
    if any(path == root or path.startswith((f"{root}/", f"{root}:")) for root in _JOBS):
        return "jobs"
    return "deid"


@dataclass(frozen=True)
class Limits:
    """Of a request: bytes of its body, seconds to send it."""

    body: int
    seconds: float
    file: int = 0
    """Of a file that is sent as a job; it may take as long as it comes steadily."""

    def of(self, path: str) -> int:
        """Bytes of a body sent to this path."""
        return self.file if is_file(path) else self.body


def is_file(path: str) -> bool:
    """Whether a body sent to this path is a file."""
    return path.startswith("/v1/jobs/") and path.endswith("/input")


class Refusal(Protocol):
    """Makes the answer to what is refused, in the form that clients of the path read."""

    def __call__(
        self,
        path: str,
        status: int,
        detail: str,
        *,
        errors: Sequence[Mapping[str, str]] = (),
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """The answer."""


class Gate:
    """The outermost layer of the application."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        limits: Limits,
        metrics: Metrics,
        refusal: Refusal,
        keys: KeyRing | None = None,
        secure: bool = False,
    ) -> None:
        self._app, self._limits, self._metrics, self._keys = app, limits, metrics, keys
        self._refusal = refusal
        self._headers = dict(SECURITY)
        if secure:
            self._headers["Strict-Transport-Security"] = "max-age=31536000"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, or the start and end of the application."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        headers = Headers(scope=scope)
        given = headers.get(REQUEST_ID) or headers.get(AZURE_REQUEST_ID, "")
        request_id = given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(8)
        body = Body(scope["path"], headers, self._limits, receive)
        status = 0

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                out = MutableHeaders(scope=message)
                out[REQUEST_ID] = request_id
                if AZURE_REQUEST_ID in headers:
                    out[AZURE_REQUEST_ID] = request_id
                for name, value in self._headers.items():
                    out.setdefault(name, value)
            elif not message.get("more_body", False) and message["type"] == "http.response.body":
                await send({**message, "more_body": True})
                await body.discard()
                message = {"type": "http.response.body", "body": b"", "more_body": False}
            await send(message)

        key: ApiKey | None = None
        try:
            key = self._admit(scope["path"], headers)
            scope["incognote.key"] = key
            body.check()
            await self._app(scope, body, answer)
        except ProblemError as refusal:
            if not status:
                refused = self._refusal(
                    scope["path"], refusal.status_code, refusal.detail, headers=refusal.headers
                )
                await refused(scope, receive, answer)
        except asyncio.CancelledError:
            status = status or LEFT
            raise
        except (ClientDisconnect, LocalProtocolError):  # nobody is there to be answered
            status = LEFT
        except Exception as error:
            log("serve", "unforeseen", error=kind_of_error(error), id=request_id)
            if not status:
                code, detail = _failure(error)
                await self._refusal(scope["path"], code, detail)(scope, receive, answer)
        finally:
            route = getattr(scope.get("route"), "path", "other")
            seconds = time.perf_counter() - began
            self._metrics.request(route, status, seconds)
            log(
                "serve",
                "request",
                id=request_id,
                method=scope["method"] if scope["method"] in _METHODS else "other",
                route=route,
                status=status,
                seconds=round(seconds, 4),
                key=None if key is None else key.name,
            )

    def _admit(self, path: str, headers: Headers) -> ApiKey | None:
        if self._keys is None or path in OPEN:
            return None
        kind, _, secret = headers.get("Authorization", "").partition(" ")
        if kind.lower() != "bearer":
            secret = headers.get("X-API-Key", "")
        key = self._keys.find(secret.strip())
        if key is None:
            raise ProblemError(
                401,
                "send an API key: Authorization: Bearer KEY, or X-API-Key: KEY",
                headers={"WWW-Authenticate": "Bearer"},
            )
        if not key.allows(scope_of(path)):
            raise ProblemError(403, f"this key does not allow {scope_of(path)!r}")
        if wait := self._keys.wait_of(key):
            raise ProblemError(
                429,
                "this key has made its requests for now",
                headers={"Retry-After": str(int(wait) + 1)},
            )
        return key


class Body:
    """The body of a request as it comes, refused where it is too long or too slow."""

    def __init__(self, path: str, headers: Headers, limits: Limits, receive: Receive) -> None:
        self._headers, self._receive = headers, receive
        self._most, self._seconds, self._steady = limits.of(path), limits.seconds, is_file(path)
        self._until = time.monotonic() + limits.seconds
        self._received, self._whole, self._late = 0, False, False

    def check(self) -> None:
        """Refuse what the headers already say is too much."""
        length = self._headers.get("Content-Length", "")
        if length.isdecimal() and (len(length) > 18 or int(length) > self._most):
            raise self._too_long()
        if length and "Transfer-Encoding" in self._headers:  # proxies read such a request otherwise
            raise ProblemError(400, "give a length or send chunks, not both", headers=_CLOSE)
        if self._headers.get("Content-Encoding", "identity") != "identity":
            raise ProblemError(415, "send the body as it is, without Content-Encoding")

    async def __call__(self) -> Message:
        """What comes next."""
        if self._whole:  # only the end of the connection can come
            return await self._receive()
        seconds = self._seconds if self._steady else self._until - time.monotonic()
        try:
            async with asyncio.timeout(seconds):
                message = await self._receive()
        except TimeoutError:
            self._late = True
            raise ProblemError(408, "the request came too slowly", headers=_CLOSE) from None
        self._note(message)
        if self._received > self._most:
            raise self._too_long()
        return message

    def _note(self, message: Message) -> None:
        self._received += len(message.get("body", b""))
        self._whole = message["type"] != "http.request" or not message.get("more_body", False)

    def _too_long(self) -> ProblemError:
        return ProblemError(413, f"the body is longer than {self._most:,} bytes", headers=_CLOSE)

    async def discard(self) -> None:
        """Take the rest of what the client sends, for a moment, before the connection is closed.

        A client that is still sending when it is closed may lose the answer with it.
        """
        if self._whole or self._late or "Expect" in self._headers:
            return
        most = self._received + _MOST_DISCARDED
        with suppress(TimeoutError):
            async with asyncio.timeout(_DISCARDING_SECONDS):
                while not self._whole and self._received < most:
                    self._note(await self._receive())


def _failure(error: Exception) -> tuple[int, str]:
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return 507, "the service has no room for files left: try again later"
    return 500, f"the service failed ({kind_of_error(error)}); nothing was processed"


_CLOSE = {"Connection": "close"}
"""What else the client sends of this request is no request."""
_DISCARDING_SECONDS, _MOST_DISCARDED = 2.0, 256_000_000
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"})
