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
            await send(message)

        key: ApiKey | None = None
        try:
            key = self._admit(scope["path"], headers)
            scope["incognote.key"] = key
            await self._app(scope, self._bounded(scope["path"], headers, receive), answer)
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

    def _bounded(self, path: str, headers: Headers, receive: Receive) -> Receive:
        """The body as it comes, refused where it is too long or too slow."""
        most = self._limits.of(path)
        too_long = f"the body is longer than {most:,} bytes"
        length = headers.get("Content-Length", "")
        if length.isdecimal() and (len(length) > 18 or int(length) > most):
            raise ProblemError(413, too_long, headers=_CLOSE)
        if length and "Transfer-Encoding" in headers:  # proxies read such a request otherwise
            raise ProblemError(400, "give a length or send chunks, not both", headers=_CLOSE)
        if headers.get("Content-Encoding", "identity") != "identity":
            raise ProblemError(415, "send the body as it is, without Content-Encoding")
        until = time.monotonic() + self._limits.seconds
        steady = is_file(path)
        received, whole = 0, False

        async def bounded() -> Message:
            nonlocal received, whole
            if whole:  # only the end of the connection can come
                return await receive()
            seconds = self._limits.seconds if steady else until - time.monotonic()
            try:
                async with asyncio.timeout(seconds):
                    message = await receive()
            except TimeoutError:
                raise ProblemError(408, "the request came too slowly", headers=_CLOSE) from None
            received += len(message.get("body", b""))
            if received > most:
                raise ProblemError(413, too_long, headers=_CLOSE)
            whole = message["type"] != "http.request" or not message.get("more_body", False)
            return message

        return bounded


def _failure(error: Exception) -> tuple[int, str]:
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return 507, "the service has no room for files left: try again later"
    return 500, f"the service failed ({kind_of_error(error)}); nothing was processed"


_CLOSE = {"Connection": "close"}
"""What else the client sends of this request is not waited for."""
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"})
