"""A thin client of `incognote serve`: `Client` for ordinary code, `AsyncClient` for asyncio. Needs httpx.

>>> client = Client("http://127.0.0.1:8000")  # doctest: +SKIP
>>> client.deid("Seen by Dr. Okafor on 3/14/2019.").text  # doctest: +SKIP
'Seen by Dr. [DOCTOR] on [DATE].'

Options are those of the routes (`replace`, `policy`, `detector`, `speed`, `offsets`, …). A refusal is a
`ServiceError` with the service's sentence. Where the service is busy, a request is sent again after the
time that it names, up to `retries` times.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import httpx

from incognote.base.errors import UserError

_BUSY = (429, 503)
_LONGEST_WAIT = 60.0
_BETWEEN_LOOKS = 0.5
_ENDS = ("done", "failed", "cancelled")


class ServiceError(UserError):
    """What the service refused, or could not do; `status` is that of its answer."""

    def __init__(self, code: int, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


@dataclass(frozen=True)
class Note:
    """A note's result; of one that failed, `error` says why, and there is no text."""

    id: str | None
    text: str | None
    spans: list[dict[str, Any]] | None = field(repr=False, default=None)
    explanation: dict[str, Any] | None = field(repr=False, default=None)
    error: str | None = None

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> Note:
        """From an answer."""
        return cls(
            content["id"],
            content.get("text"),
            content["spans"],
            content.get("explanation"),
            content["error"]["detail"] if content.get("error") else None,
        )


Given = str | Mapping[str, Any]
"""A text, or a note with `text`, `id`, `patient`, `known` and so on."""


def _body(notes: Sequence[Given], options: Mapping[str, Any]) -> dict[str, Any]:
    listed = [{"text": note} if isinstance(note, str) else dict(note) for note in notes]
    return {"notes": listed, **options}


def _checked(answer: httpx.Response) -> httpx.Response:
    if answer.is_success:
        return answer
    try:
        content = answer.json()
        sentence = str(content["detail"])
        fields = [f"{each['field']} {each['reason']}" for each in content.get("errors", ())]
    except (ValueError, KeyError, TypeError):
        sentence, fields = f"the service answered with status {answer.status_code}", []
    raise ServiceError(answer.status_code, "; ".join([sentence, *fields]))


def _wait(answer: httpx.Response) -> float:
    """Seconds until a request may be sent again."""
    try:
        return min(_LONGEST_WAIT, max(0.0, float(answer.headers.get("Retry-After", 1))))
    except ValueError:
        return 1.0


def _headers(key: str | None) -> dict[str, str]:
    return {} if key is None else {"Authorization": f"Bearer {key}"}


class Client:
    """A connection to a service; `key` is its API key, `verify` a certificate to trust."""

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        timeout: float = 120.0,
        retries: int = 5,
        verify: Any = True,
    ) -> None:
        self._http = httpx.Client(
            base_url=url, headers=_headers(key), timeout=timeout, verify=verify
        )
        self._retries = retries

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._http.close()

    def deid(self, note: Given, **options: Any) -> Note:
        """De-identify one note."""
        (found,) = self.deid_many([note], **options)
        return found

    def deid_many(self, notes: Sequence[Given], **options: Any) -> list[Note]:
        """De-identify some notes, in order; one that fails has an error and no text."""
        return self._notes("/v1/deid", notes, options)

    def find(self, note: Given, **options: Any) -> Note:
        """Where the identifiers of a note are."""
        (found,) = self._notes("/v1/find", [note], options)
        return found

    def version(self) -> dict[str, Any]:
        """Which version and model answer."""
        return dict(self._send("GET", "/version").json())

    def run_job(self, content: bytes | Iterator[bytes], **job: Any) -> bytes:
        """Send a file as a job, wait for its end, take the result and delete the job."""
        made = self._send("POST", "/v1/jobs", json=job).json()
        place = f"/v1/jobs/{made['id']}"
        try:
            self._send("PUT", made["input"], content=content)
            while (status := self._send("GET", place).json())["state"] not in _ENDS:
                time.sleep(_BETWEEN_LOOKS)
            if status["state"] != "done":
                raise ServiceError(409, f"the job {status['state']}: {status['reason']}")
            return self._send("GET", status["result"]).content
        finally:
            self._send("DELETE", place)

    def _notes(self, path: str, notes: Sequence[Given], options: Mapping[str, Any]) -> list[Note]:
        answer = self._send("POST", path, json=_body(notes, options))
        return [Note.of(each) for each in answer.json()["notes"]]

    def _send(self, method: str, path: str, **content: Any) -> httpx.Response:
        for _ in range(self._retries):
            answer = self._http.request(method, path, **content)
            if answer.status_code not in _BUSY:
                return _checked(answer)
            time.sleep(_wait(answer))
        return _checked(self._http.request(method, path, **content))


class AsyncClient:
    """The same for asyncio."""

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        timeout: float = 120.0,
        retries: int = 5,
        verify: Any = True,
    ) -> None:
        self._http = httpx.AsyncClient(
            base_url=url, headers=_headers(key), timeout=timeout, verify=verify
        )
        self._retries = retries

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def deid(self, note: Given, **options: Any) -> Note:
        """De-identify one note."""
        (found,) = await self.deid_many([note], **options)
        return found

    async def deid_many(self, notes: Sequence[Given], **options: Any) -> list[Note]:
        """De-identify some notes, in order; one that fails has an error and no text."""
        return await self._notes("/v1/deid", notes, options)

    async def find(self, note: Given, **options: Any) -> Note:
        """Where the identifiers of a note are."""
        (found,) = await self._notes("/v1/find", [note], options)
        return found

    async def version(self) -> dict[str, Any]:
        """Which version and model answer."""
        return dict((await self._send("GET", "/version")).json())

    async def run_job(self, content: bytes | AsyncIterator[bytes], **job: Any) -> bytes:
        """Send a file as a job, wait for its end, take the result and delete the job."""
        made = (await self._send("POST", "/v1/jobs", json=job)).json()
        place = f"/v1/jobs/{made['id']}"
        try:
            await self._send("PUT", made["input"], content=content)
            while (status := (await self._send("GET", place)).json())["state"] not in _ENDS:
                await asyncio.sleep(_BETWEEN_LOOKS)
            if status["state"] != "done":
                raise ServiceError(409, f"the job {status['state']}: {status['reason']}")
            return (await self._send("GET", status["result"])).content
        finally:
            await self._send("DELETE", place)

    async def _notes(
        self, path: str, notes: Sequence[Given], options: Mapping[str, Any]
    ) -> list[Note]:
        answer = await self._send("POST", path, json=_body(notes, options))
        return [Note.of(each) for each in answer.json()["notes"]]

    async def _send(self, method: str, path: str, **content: Any) -> httpx.Response:
        for _ in range(self._retries):
            answer = await self._http.request(method, path, **content)
            if answer.status_code not in _BUSY:
                return _checked(answer)
            await asyncio.sleep(_wait(answer))
        return _checked(await self._http.request(method, path, **content))
