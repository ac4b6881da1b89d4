"""Odd bytes to the service over sockets: it refuses them in its own words, quotes nothing, and goes on.

Every trial is a connection of its own: requests whose HTTP, JSON or meaning is broken in one of many
ways, then one that is well. What answers must be an answer, no fault of the server's and no echo; the
good request after it must get exactly its own.
"""

from __future__ import annotations

import gzip
import json
import random
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from fuzz.faults import FaultError, Findings
from fuzz.mutations import mutated_bytes
from serve.servers import Server, running

from incognote import Deidentifier

CANARY = "Quixxalby Zorbelheim"
CANARIES = tuple(word.encode() for word in CANARY.split())
TEXT = f"Pt: {CANARY}, MRN: 307-74-18, seen by Dr. Núñez on 3/14/2019."
ROUTES = (
    "/v1/deid", "/v1/find", "/v1/score", "/v1/jobs", "/analyze", "/anonymize", "/decrypt", "/deid",
    "/v1/jobs/00000000000000000000000000000000/input",
)  # fmt: skip
BODIES: tuple[object, ...] = (
    {"text": TEXT},
    {"notes": [{"text": TEXT, "id": CANARY, "known": [{"type": "PATIENT", "value": CANARY}]}]},
    {"notes": [{"text": TEXT, "spans": [{"start": 4, "end": 13, "type": "PATIENT"}]}]},
    {"text": TEXT, "replace": {"DEFAULT": "tag", "DATE": CANARY}, "offsets": "utf16"},
    {"text": TEXT, "language": "en", "allow_list": [CANARY], "score_threshold": 0.5},
    {"text": TEXT, "analyzer_results": [{"start": 4, "end": 9, "score": 1, "entity_type": CANARY}]},
    {"inputText": TEXT, "operation": "Redact"},
    {"format": "csv", "text": [CANARY], "known": {CANARY: "PATIENT"}},
    {"key": CANARY, "text": TEXT},
    [TEXT],
)
ODD_JSON = (
    b"NaN", b"Infinity", b"-Infinity", b"1e99999", b"-0", b"9" * 5000, b'"\\ud800"', b'"\\udfff\\ud800"',
    b'"\\u0000"', b"null", b"true", b"{}", b"[]", b'""', b"[" * 20_000, b'{"a":' * 20_000, b'"\xff"',
    b'"\xed\xa0\x80"', b"'text'", b"{text: 1}", b"[1,]", b"/**/1", b"",
)  # fmt: skip
ODD_HEADERS = (
    b"Content-Length: 5\r\nContent-Length: 6", b"Content-Length: -1", b"Content-Length: 1e3",
    b"Content-Length: " + b"9" * 40, b"Content-Length:", b"Transfer-Encoding: chunked, gzip",
    b"Transfer-Encoding: chunked\r\nContent-Length: 4", b"Transfer-Encoding: xchunked",
    b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", b"Content-Encoding: gzip",
    b"Content-Encoding: br, gzip", b"Expect: 100-continue", b"Expect: " + CANARIES[0],
    b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13", b"Upgrade: h2c",
    b"X: " + b"a" * 70_000, b"\r\n".join(b"X-%d: a" % number for number in range(2000)),
    b"X-\x00: a", b"X: \x00", b"X: a\r\n folded", b": a", b"X", b"X : a", b"X-Request-Id: " + CANARIES[0],
    b"Authorization: Bearer " + CANARIES[0], b"X-API-Key: " + CANARIES[1], b"Cookie: " + CANARIES[1],
    b"Host: " + CANARIES[0], b"Origin: http://" + CANARIES[0], b"Range: bytes=0-1",
    b"Content-Type: text/plain", b"Content-Type: application/json; charset=utf-16",
    b"Content-Type: multipart/form-data", b"Content-Type: \xff", b"Connection: close, close, keep-alive",
)  # fmt: skip
ODD_LINES = (
    b"GET / HTTP/9.9", b"GET /", b"PRI * HTTP/2.0", b"GET http://example.org/livez HTTP/1.1", b"GET * HTTP/1.1",
    b"GET /livez\x00 HTTP/1.1", b"GET /%00/../../etc/passwd HTTP/1.1", b"POST /v1/" + CANARIES[0] + b" HTTP/1.1",
    b"GET /" + b"a" * 70_000 + b" HTTP/1.1", b"GET /livez?" + CANARIES[1] + b" HTTP/1.1", b"CONNECT a:1 HTTP/1.1",
    CANARIES[0].upper() + b" /v1/deid HTTP/1.1", b"TRACE /v1/deid HTTP/1.1", b"OPTIONS /v1/deid HTTP/1.1",
    b"post /v1/deid http/1.1", b"", b"\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"GET /\xff HTTP/1.1",
    b"POST /v1/deid HTTP/1.0", b"HEAD /livez HTTP/1.1", b"DELETE /v1/jobs/" + CANARIES[0] + b" HTTP/1.1",
)  # fmt: skip
_PATIENCE = 0.5
_AT_ONCE = 8


@cache
def expected() -> tuple[tuple[bytes, str], ...]:
    """Good requests, and the text that is the answer to each."""
    made = Deidentifier(detector="rules")
    texts = [
        f"Ref {number}: seen by Dr. Okafor, tel. 212-555-01{number:02}." for number in range(40)
    ]
    return tuple((request(json.dumps({"text": text}).encode()), made(text).text) for text in texts)


def request(body: bytes, line: bytes = b"POST /v1/deid HTTP/1.1", *headers: bytes) -> bytes:
    """A request; its length is told unless the headers say it otherwise."""
    given = b"\r\n".join(headers).lower()
    lines = [line, b"Host: localhost", *headers]
    if b"content-type" not in given:
        lines.append(b"Content-Type: application/json")
    if b"content-length" not in given and b"transfer-encoding" not in given:
        lines.append(b"Content-Length: %d" % len(body))
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def odd_request(rng: random.Random) -> bytes:
    """One that something is wrong with, or odd about."""
    route = b"POST %s HTTP/1.1" % rng.choice(ROUTES).encode()
    text = json.dumps(rng.choice(BODIES), ensure_ascii=rng.random() < 0.5)
    body = text.encode()
    match rng.randrange(10):
        case 0:
            return mutated_bytes(rng, request(body, route))
        case 1:
            return request(mutated_bytes(rng, body), route)
        case 2:
            return request(rng.choice(ODD_JSON), route)
        case 3:  # an odd value somewhere within
            return request(_with_odd_value(rng, text), route)
        case 4:
            return request(
                text.encode(rng.choice(("utf-16", "utf-32", "utf-8-sig", "cp1252"))), route
            )
        case 5:
            return request(body, route, rng.choice(ODD_HEADERS))
        case 6:
            return request(b"", rng.choice(ODD_LINES))
        case 7:
            return request(_chunked(rng, body), route, b"Transfer-Encoding: chunked")
        case 8:
            packed = gzip.compress(b'{"text": "' + b"a" * 5_000_000 + b'"}')
            return request(
                packed, route, b"Content-Encoding: " + rng.choice((b"gzip", b"x-gzip", b"deflate"))
            )
        case _:  # twice the same key, or cut off, or much more than was announced
            return rng.choice(
                (
                    request(body[:-1] + b"," + body[1:], route),
                    request(body, route)[: rng.randrange(len(body))],
                    request(body + body, route, b"Content-Length: %d" % len(body)),
                    request(b"{" + b'"%s":1,' % CANARIES[0] * 9_000 + b'"a":1}', route),
                )
            )


def _with_odd_value(rng: random.Random, text: str) -> bytes:
    place = rng.choice([at for at, character in enumerate(text) if character == ":"] or [0])
    return (
        text[: place + 1].encode()
        + rng.choice(ODD_JSON)
        + rng.choice((b",", b"}", b""))
        + text[place + 1 :].encode()
    )


def _chunked(rng: random.Random, body: bytes) -> bytes:
    sizes = (
        b"%x",
        b"0x%x",
        b"%x;a=b",
        b"-%x",
        b"+%x",
        b"%x" + b" " * 20,
        b"%d",
        b"%x\r",
        b"fffffffffffffffff%x",
    )
    size = rng.choice(sizes) % len(body)
    end = rng.choice(
        (b"0\r\n\r\n", b"0\r\nX: %s\r\n\r\n" % CANARIES[0], b"0\r\n", b"\r\n", b"", b"zz\r\n\r\n")
    )
    return size + b"\r\n" + body + rng.choice((b"\r\n", b"\n", b"")) + end


@contextmanager
def service(folder: Path) -> Iterator[Server]:
    """By rules, with all routes and small limits."""
    jobs = ["--spool", str(folder / "spool"), "--spool-key-file", str(folder / "key")]
    limits = ["--max-body", "0.1", "--read-limit", "3", "--queue", "1000", "--max-notes", "64"]
    with running("--detector", "rules", *jobs, *limits) as server:
        yield server


def fuzz_wire(
    count: int,
    seed: int,
    folder: Path,
    findings: Findings,
    advance: Callable[[], object] = lambda: None,
) -> None:
    """Try so many connections, some at a time; then look at all that the service wrote."""
    with service(folder) as server:
        place = server.url.removeprefix("http://").rpartition(":")

        def attempt(number: int) -> None:
            rng = random.Random(f"{seed} {number}")
            odd = odd_request(rng)
            try:
                findings.counts[f"wire: {trial((place[0], int(place[2])), odd, rng)}"] += 1
            except Exception as error:
                findings.add(f"connection {number} of seed {seed}", error, odd)
            advance()

        with ThreadPoolExecutor(_AT_ONCE) as threads:
            list(threads.map(attempt, range(count)))
        try:
            if server.process.poll() is not None:
                raise FaultError("the service is gone")
            if server.stop() != 0:
                raise FaultError("the service did not end well")
            if any(word.decode() in server.output for word in CANARIES):
                raise FaultError("the log quotes a canary")
            if "unforeseen" in server.output or "Traceback" in server.output:
                raise FaultError("something unforeseen stands in the log")
        except FaultError as error:
            findings.add(f"all of seed {seed}", error, server.output.encode())


def trial(place: tuple[str, int], odd: bytes, rng: random.Random) -> str:
    """An odd request and, if the connection is still there, a good one: what came of the odd one."""
    good, text = rng.choice(expected())
    with socket.create_connection(place, timeout=20) as connection:
        answer = _exchange(connection, odd)
        if answer is None:
            outcome = "closed"
        else:
            status, head, body, kept = answer
            _check(odd, status, head, body)
            outcome = f"{status // 100}xx"
            if kept and status // 100 == 4:
                _check_good(_exchange(connection, good, patient=True), text, lenient=True)
    with socket.create_connection(place, timeout=20) as connection:
        _check_good(_exchange(connection, good, patient=True), text)
    return outcome


Answer = tuple[int, bytes, bytes, bool]
"""Status, headers, body, and whether the connection stays."""


def _check(odd: bytes, status: int, head: bytes, body: bytes) -> None:
    presidio = odd.partition(b"\r\n")[0].split(b" ")[1:2] == [b"/analyze"]
    if status >= 500 and not (presidio and b'{"error"' in body) and status != 501:
        raise FaultError(f"status {status}")
    quoted = head + (body if status >= 400 else b"")
    if any(word in quoted for word in CANARIES):
        raise FaultError(f"an answer of status {status} quotes a canary")


def _check_good(answer: Answer | None, text: str, *, lenient: bool = False) -> None:
    """`lenient` where the bytes before may still belong to the odd request."""
    if answer is None or (lenient and answer[0] != 200):
        if not lenient:
            raise FaultError("a good request has no answer")
        return
    status, _, body, _ = answer
    if status != 200 or json.loads(body)["notes"][0]["text"] != text:
        raise FaultError(f"a good request got status {status}, or another's answer")


def _exchange(connection: socket.socket, data: bytes, *, patient: bool = False) -> Answer | None:
    """The first answer that is one; None if the connection ends without.

    Who is not patient says soon that nothing more comes, since the service may wait for more.
    """
    try:
        connection.sendall(data)
        head = _until_head(connection, patient=patient)
        while head.startswith(b"HTTP/1.1 100"):
            head = _until_head(connection, patient=patient)
        if not head:
            return None
        return _answer(connection, head)
    except (ConnectionError, BrokenPipeError):
        return None


def _until_head(connection: socket.socket, *, patient: bool) -> bytes:
    """Byte by byte, so that nothing of what follows is taken."""
    connection.settimeout(20 if patient else _PATIENCE)
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        try:
            part = connection.recv(1)
        except TimeoutError:
            connection.settimeout(20)
            connection.shutdown(socket.SHUT_WR)
            continue
        if not part:
            return b""
        head += part
    connection.settimeout(20)
    return head


def _answer(connection: socket.socket, head: bytes) -> Answer:
    lower = head.lower()
    status = int(head.split(b" ", 2)[1])
    kept = b"connection: close" not in lower
    if b"content-length:" in lower:
        length = int(lower.partition(b"content-length:")[2].split(b"\r\n", 1)[0])
    else:
        length = 0 if kept else 1 << 30
    body = b""
    while len(body) < length and (part := connection.recv(65_536)):
        body += part
    return status, head, body, kept
