"""Errors as answers: RFC 9457's problem+json, one sentence each, never a word of a note."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

MEDIA_TYPE = "application/problem+json"
LEFT = 499
"""The status in logs and figures where the client left; it is no status of HTTP."""
CLIENT_LEFT = 499
"""The status of a request whose client has gone; nobody reads it but the log."""


class ProblemError(HTTPException):
    """Ends a request with this status; `detail` says what to do.

    One of starlette's, since FastAPI would take any other for a fault of the body while it is read.
    """

    def __init__(
        self, status: int, detail: str, *, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(status, detail, dict(headers or {}))


class BusyError(ProblemError):
    """More waits than is worked on; the client may come again in so many seconds."""

    def __init__(self, status: int, detail: str, seconds: float) -> None:
        super().__init__(status, detail, headers={"Retry-After": str(max(1, round(seconds)))})


def title_of(status: int) -> str:
    """A status in words."""
    return "Client Closed Request" if status == CLIENT_LEFT else HTTPStatus(status).phrase


def problem(
    status: int,
    detail: str,
    *,
    errors: Sequence[Mapping[str, str]] = (),
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    """The answer."""
    content: dict[str, Any] = {
        "type": "about:blank",
        "title": title_of(status),
        "status": status,
        "detail": detail,
    }
    if errors:
        content["errors"] = list(errors)
    return JSONResponse(content, status, headers=headers, media_type=MEDIA_TYPE)


def refusal(
    path: str,
    status: int,
    detail: str,
    *,
    errors: Sequence[Mapping[str, str]] = (),
    headers: Mapping[str, str] | None = None,
) -> Response:
    """A problem on any path; other services' clients read theirs in another form."""
    return problem(status, detail, errors=errors, headers=headers)


def invalid_fields(errors: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Pydantic's errors by their place in the request, without what stood there.

    A key that is not ours may be a note's word: it is shown by its length only.
    """
    found = []
    for error in errors:
        places = [str(step) for step in error["loc"] if step != "body"]
        if error["type"] == "extra_forbidden" and places:
            places[-1] = f"(a key of {len(places[-1])} characters)"
        reason = "is not known" if error["type"] == "extra_forbidden" else _reason(error)
        found.append({"field": ".".join(places) or "body", "reason": reason})
    return found


def _reason(error: Mapping[str, Any]) -> str:
    """Pydantic's sentence; those of our own checks are ours."""
    kind, message = str(error["type"]), str(error["msg"])
    if kind == "value_error":
        return message.removeprefix("Value error, ")
    if kind == "json_invalid":
        return "the body is no JSON"
    return message[:1].lower() + message[1:]
