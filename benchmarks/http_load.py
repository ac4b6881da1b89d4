"""A small HTTP client for load: plain asyncio streams, so that it is never what is measured."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Ask:
    """A request, ready to send; one that others follow has them made of its answer."""

    path: str
    body: Any
    data: bytes = field(init=False, repr=False)

    def __post_init__(self) -> None:
        content = json.dumps(self.body).encode()
        head = (
            f"POST {self.path} HTTP/1.1\r\nHost: benchmark\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(content)}\r\n\r\n"
        )
        object.__setattr__(self, "data", head.encode() + content)


class Connection:
    """Kept open as long as the service does."""

    def __init__(self, host: str, port: int) -> None:
        self._place = host, port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def answer(self, data: bytes) -> bytes:
        """The body of an answer that must be good; a service may close what was long idle."""
        try:
            return await self._answer(data)
        except (asyncio.IncompleteReadError, ConnectionError):
            self.close()
            return await self._answer(data)

    async def _answer(self, data: bytes) -> bytes:
        if self._streams is None:
            self._streams = await asyncio.open_connection(*self._place)
        reader, writer = self._streams
        writer.write(data)
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        status = head.split(" ", 2)[1]
        length = int(head.partition("content-length:")[2].split("\r\n", 1)[0])
        body = await reader.readexactly(length)
        if "connection: close" in head:
            self.close()
        if status != "200":
            raise RuntimeError(f"status {status}: {body[:200]!r}")
        return body

    def close(self) -> None:
        """Give the connection up."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


def saturate(host: str, port: int, items: Sequence[Sequence[Any]], connections: int) -> float:
    """Seconds until all items are answered, each connection always with one under way.

    An item is an `Ask`, or several, of which each may be a function of the answer before it.
    """

    async def run() -> float:
        waiting: Iterator[Sequence[Any]] = iter(items)

        async def work() -> None:
            connection = Connection(host, port)
            for item in waiting:
                await _follow(connection, item)
            connection.close()

        began = time.perf_counter()
        await asyncio.gather(*(work() for _ in range(connections)))
        return time.perf_counter() - began

    return asyncio.run(run())


async def _follow(connection: Connection, item: Sequence[Any]) -> None:
    answer = b""
    for step in item:
        ask = step if isinstance(step, Ask) else step(answer)
        answer = await connection.answer(ask.data)


def latencies(
    host: str, port: int, items: Sequence[Sequence[Any]], times: Sequence[float]
) -> list[float]:
    """Seconds from when each item was due until its answer, however many are under way."""

    async def run() -> list[float]:
        idle: list[Connection] = []
        began = time.perf_counter() + 0.05

        async def one(item: Sequence[Any], due: float) -> float:
            await asyncio.sleep(began + due - time.perf_counter())
            connection = idle.pop() if idle else Connection(host, port)
            await _follow(connection, item)
            idle.append(connection)
            return time.perf_counter() - began - due

        found = await asyncio.gather(*map(one, items, times))
        for connection in idle:
            connection.close()
        return found

    return asyncio.run(run())
