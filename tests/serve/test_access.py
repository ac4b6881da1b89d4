"""Who may ask, how much and how long; and that nothing of a note is written anywhere."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest
from serve.servers import Server, running

from incognote.base.errors import RunError
from incognote.runs.settings import Settings
from incognote.serve import keys
from incognote.serve.app import application
from incognote.serve.gate import OPEN, SECURITY, scope_of
from incognote.serve.keys import ApiKey, KeyRing, add_key, read_keys, remove_key
from incognote.serve.options import ServeOptions

PLANTED = ("Zebulon", "Quackenbush", "555-0147", "999-88-7766")
NOTE = "Zebulon Quackenbush, tel. (212) 555-0147, SSN 999-88-7766, seen 3/14/2019."


# Addresses and keys


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"host": "0.0.0.0"}, "give --keys"),
        ({"host": "0.0.0.0", "keys": Path("k")}, "in the clear"),
        ({"certificate": Path("c")}, "belong together"),
        ({"port": 70_000}, "port must be"),
        ({"queue": 0}, "queue must be"),
    ],
)
def test_what_is_not_safe_is_refused(options: dict[str, object], words: str) -> None:
    with pytest.raises(RunError, match=words):
        ServeOptions(**options)  # type: ignore[arg-type]


def command(*words: str) -> subprocess.CompletedProcess[str]:
    """`incognote` with these words."""
    line = [sys.executable, "-m", "incognote", *words]
    return subprocess.run(line, capture_output=True, text=True, check=False)


def test_a_key_is_kept_as_a_hash_and_shown_once(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    added = command(
        "keys", "add", "ward7", "--keys", str(file), "--scope", "jobs", "--per-minute", "9"
    )
    secret = added.stdout.strip()
    assert secret not in file.read_text()
    assert file.stat().st_mode & 0o077 == 0
    (key,) = read_keys(file)
    assert KeyRing([key]).find(secret) == key
    assert KeyRing([key]).find(secret[:-1]) is None
    listed = command("keys", "list", "--keys", str(file)).stdout
    assert "ward7" in listed
    assert "jobs" in listed
    assert command("keys", "add", "ward7", "--keys", str(file)).returncode == 2
    assert command("keys", "add", "no name", "--keys", str(file)).returncode == 2
    remove_key(file, "ward7")
    assert read_keys(file) == []
    file.chmod(0o644)
    with pytest.raises(RunError, match="others may read"):
        read_keys(file)


def test_what_cannot_be_used_is_refused_before_anything_listens(tmp_path: Path) -> None:
    missing, folder = str(tmp_path / "keys.json"), tmp_path / "spool"
    spool = ["--spool", str(folder), "--spool-key-file", str(tmp_path / "spool.key")]
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    for options, words in (
        (["--keys", missing, "--workers", "2"], "cannot be read"),
        ([*spool, "--workers", "2"], "others may read this spool folder"),
        ([*spool, "--job-source", f"notes={missing}"], "no such folder for jobs"),
        (["--job-source", f"notes={tmp_path}"], "give --spool too"),
        ([*spool, "--job-source", "notes"], "is not LOCATION=DIR"),
    ):
        ran = command("serve", "--port", "0", *options)
        assert ran.returncode == 2
        assert words in ran.stderr
        assert ran.stderr.count("\n") == 1, ran.stderr


@pytest.mark.parametrize(
    "content", ["", "[]", '{"schema": 1, "keys": [{"name": "a"}]}', '{"schema": 2}']
)
def test_a_file_that_holds_no_keys_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "keys.json"
    file.touch(0o600)
    file.write_text(content)
    with pytest.raises(RunError, match=r"no file of keys|schema"):
        read_keys(file)


def test_a_rate_is_a_bucket_that_fills_steadily() -> None:
    now = 0.0
    key = ApiKey(name="a", hash="", scopes=("deid",), per_minute=6)
    ring = KeyRing([key], clock=lambda: now)
    assert [ring.wait_of(key) for _ in range(6)] == [0.0] * 6
    assert ring.wait_of(key) == pytest.approx(10)
    now = 10.0
    assert ring.wait_of(key) == 0.0
    assert ring.wait_of(key) > 0


def test_keys_are_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the library's function, and with every key, whichever it is."""
    compared: list[tuple[str, str]] = []

    def compare(first: str, second: str) -> bool:
        compared.append((first, second))
        return hmac.compare_digest(first, second)

    monkeypatch.setattr(keys, "hmac", SimpleNamespace(compare_digest=compare))
    hashes = [hashlib.sha256(bytes([number])).hexdigest() for number in range(3)]
    ring = KeyRing([ApiKey(name=each[:8], hash=each, scopes=("deid",)) for each in hashes])
    for secret in ("\0", "\1", "\2", "none"):
        compared.clear()
        assert (ring.find(secret) is None) == (secret == "none")
        assert [first for first, _ in compared] == hashes
        assert {second for _, second in compared} == {hashlib.sha256(secret.encode()).hexdigest()}


def test_every_route_has_its_scope() -> None:
    routes = application(ServeOptions(), Settings()).openapi()["paths"]
    by_scope: dict[str, set[str]] = {}
    for path in set(routes) - OPEN:
        by_scope.setdefault(scope_of(path), set()).add(path)
    assert by_scope.pop("admin") == {"/metrics"}
    assert by_scope.pop("jobs") == {path for path in routes if "/jobs" in path}
    assert set(by_scope) == {"deid"}
    assert set(OPEN) == {"/livez", "/readyz", "/health", "/version"}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A file of keys, and the keys by their names."""
    file = tmp_path_factory.mktemp("keys") / "keys.json"
    secrets = {
        "notes": add_key(file, "notes", ["deid"]),
        "operator": add_key(file, "operator", ["admin"]),
        "slow": add_key(file, "slow", ["deid"], per_minute=2),
    }
    return file, secrets


def test_keys_scopes_rates_and_tls(
    guarded: tuple[Path, dict[str, str]], certificate: tuple[Path, Path]
) -> None:
    file, keys = guarded
    context = ssl.create_default_context(cafile=str(certificate[0]))
    options = ["--keys", str(file), "--certificate", str(certificate[0])]
    options += ["--private-key", str(certificate[1]), "--detector", "rules"]
    with running(*options, verify=context) as server:
        assert server.url.startswith("https://")

        def status(path: str, key: str | None, body: object = None) -> int:
            with server.client(key, verify=context) as client:
                answer = client.get(path) if body is None else client.post(path, json=body)
            return answer.status_code

        assert status("/livez", None) == status("/readyz", None) == 200
        assert status("/v1/deid", None, {"text": NOTE}) == 401
        assert status("/v1/deid", "inc_wrong", {"text": NOTE}) == 401
        assert status("/v1/deid", keys["notes"], {"text": NOTE}) == 200
        assert status("/v1/deid", keys["operator"], {"text": NOTE}) == 403
        assert status("/metrics", keys["notes"]) == 403
        assert status("/metrics", keys["operator"]) == 200
        asked = [status("/v1/deid", keys["slow"], {"text": NOTE}) for _ in range(3)]
        assert asked == [200, 200, 429]
        with httpx.Client(base_url=server.url, verify=context) as client:
            answer = client.get("/v1/deid", headers={"X-API-Key": keys["notes"]})
            assert answer.status_code == 405
            assert "max-age" in answer.headers["strict-transport-security"]
        assert server.stop() == 0
        assert not any(secret in server.output for secret in keys.values())


# Limits


@pytest.fixture(scope="module")
def small() -> object:
    """A service that takes little and waits briefly."""
    with running(
        *("--detector", "rules", "--max-body", "0.02", "--read-limit", "1", "--queue", "4"),
        *("--no-presidio", "--no-azure"),
    ) as server:
        yield server


def test_a_body_that_is_too_long_is_refused_announced_or_not(small: Server) -> None:
    with small.client() as client:
        assert client.post("/v1/deid", json={"text": "a" * 30_000}).status_code == 413

        def parts() -> object:
            yield b'{"text": "'
            yield from (b"a" * 1000 for _ in range(40))

        assert client.post("/v1/deid", content=parts()).status_code == 413  # type: ignore[arg-type]
        packed = client.post("/v1/deid", content=b"x", headers={"Content-Encoding": "gzip"})
        assert packed.status_code == 415


@pytest.mark.parametrize(
    "sent",
    [
        b"POST /v1/deid HT",
        b"POST /v1/deid HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\nContent-Type: application/json\r\n\r\n{",
    ],
)
def test_who_sends_too_slowly_is_cut_off(small: Server, sent: bytes) -> None:
    host, _, port = small.url.removeprefix("http://").rpartition(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        connection.sendall(sent)
        began = time.monotonic()
        answer = b""
        while part := connection.recv(4096):
            answer += part
        assert 0.5 < time.monotonic() - began < 15
    assert not answer or b" 408 " in answer.partition(b"\r\n")[0]


def test_more_than_may_wait_is_refused_with_the_time_to_wait(small: Server) -> None:
    with small.client() as client:
        first = client.post("/v1/deid", json={"notes": [{"text": "a"}] * 4})
        assert first.status_code == 200
    long = "Seen by Dr. Okafor on 3/14/2019. " * 500

    async def ask() -> list[httpx.Response]:
        async with httpx.AsyncClient(base_url=small.url, timeout=60) as client:
            body = {"notes": [{"text": long}]}
            return await asyncio.gather(*(client.post("/v1/deid", json=body) for _ in range(24)))

    answers = asyncio.run(ask())
    refused = [answer for answer in answers if answer.status_code == 429]
    assert refused
    assert all(int(answer.headers["retry-after"]) >= 1 for answer in refused)
    assert {answer.status_code for answer in answers} == {200, 429}


def test_routes_of_others_can_be_switched_off(small: Server) -> None:
    with small.client() as client:
        for path in ("/analyze", "/anonymize", "/decrypt", "/deid", "/jobs/job-1:cancel"):
            assert client.post(path, json={}).status_code == 404
        for path in ("/recognizers", "/supportedentities", "/anonymizers", "/health", "/jobs"):
            assert client.get(path).status_code == 404
        assert client.put("/jobs/job-1", json={}).json()["status"] == 404
        paths = client.get("/openapi.json").json()["paths"]
        assert {path.split("/")[1] for path in paths} == {
            *("v1", "livez", "readyz", "metrics", "version"),
        }


def test_pages_of_other_origins_may_not_ask(small: Server) -> None:
    with small.client() as client:
        answer = client.get("/livez", headers={"Origin": "https://example.org"})
        assert "access-control-allow-origin" not in answer.headers
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"


def test_named_origins_may_ask_and_no_others() -> None:
    named = "https://tools.example.org"
    options = ["--detector", "rules", "--allow-origin", named]
    with running(*options) as server, server.client() as client:
        for origin, allowed in ((named, named), ("https://example.org", None)):
            asked = {"Origin": origin, "Access-Control-Request-Method": "POST"}
            for answer in (
                client.options("/v1/deid", headers=asked),
                client.post("/v1/deid", json={"text": "a"}, headers={"Origin": origin}),
            ):
                assert answer.headers.get("access-control-allow-origin") == allowed
                assert "access-control-allow-credentials" not in answer.headers


def test_every_answer_has_the_headers_that_keep_browsers_out(small: Server) -> None:
    with small.client() as client:
        answers = [
            client.get("/livez"),
            client.post("/v1/deid", json={"text": "a"}),
            client.post("/v1/deid", json={}),
            client.get("/nowhere"),
            client.post("/v1/deid", content=b"a" * 30_000),
        ]
    assert [answer.status_code for answer in answers] == [200, 200, 422, 404, 413]
    for answer in answers:
        for name, value in SECURITY.items():
            assert answer.headers[name] == value
        assert "server" not in answer.headers


def test_a_request_id_is_given_back_unless_it_may_be_a_name(small: Server) -> None:
    with small.client() as client:
        given = client.get(
            "/livez", headers={"X-Request-Id": "0b7c9d1e-0000-4000-8000-12345678abcd"}
        )
        assert given.headers["x-request-id"] == "0b7c9d1e-0000-4000-8000-12345678abcd"
        other = client.get("/livez", headers={"X-Request-Id": "Zebulon-Quackenbush"})
        assert "Zebulon" not in other.headers["x-request-id"]


# What a service leaves behind


def test_nothing_of_a_note_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with running("--detector", "rules") as server:
        with server.client() as client:
            bodies: list[object] = [
                {"text": NOTE},
                {"text": NOTE, NOTE: 1},
                {"notes": [{"text": NOTE, "id": NOTE, "patient": NOTE}]},
                {"text": NOTE, "replace": NOTE},
                {"text": NOTE, "policy": NOTE},
                [NOTE],
            ]
            answers = [client.post("/v1/deid", json=body) for body in bodies]
            answers.append(client.post(f"/v1/{NOTE}", json={}))
            answers.append(
                client.get("/livez", params={"q": NOTE}, headers={"X-Request-Id": "Zebulon"})
            )
            answers.append(client.request("ZEBULON", "/livez"))
            answers.append(client.post("/v1/deid", content=f'{{"text": "{NOTE}'.encode()))
            metrics = client.get("/metrics").text
        assert server.stop() == 0
    assert [answer.status_code for answer in answers[:3]] == [200, 422, 200]
    written = server.output + metrics
    written += "".join(
        path.read_text(errors="replace") for path in tmp_path.rglob("*") if path.is_file()
    )
    refusals = "".join(answer.text for answer in answers if answer.status_code >= 400)
    for word in PLANTED:
        assert word not in written
        assert word not in refusals
    assert 'incognote_requests_total{route="/v1/deid",status="200"} 2.0' in metrics
    assert all("event" in json.loads(line) for line in server.lines if line.startswith("{"))


# Ends


def test_requests_in_work_are_answered_before_the_end(server_text: Callable[[int], str]) -> None:
    with running("--detector", "rules") as server:
        answers: list[httpx.Response] = []

        def ask() -> None:
            with server.client() as client:
                answers.append(client.post("/v1/deid", json={"text": server_text(120_000)}))

        asking = threading.Thread(target=ask)
        asking.start()
        with server.client() as client:
            while 'route="/v1/deid"' not in client.get("/metrics").text and asking.is_alive():
                if "incognote_waiting_notes" in client.get("/metrics").text:
                    break
        time.sleep(0.2)
        assert server.stop() == 0
        asking.join()
        assert [answer.status_code for answer in answers] == [200]


@pytest.fixture
def server_text() -> Callable[[int], str]:
    """A note of about so many characters."""
    line = "Seen by Dr. Okafor on 3/14/2019, MRN 307-74-18.\n"
    return lambda characters: line * (characters // len(line))


def test_several_processes_share_the_port_and_sum_their_figures(tmp_path: Path) -> None:
    with running("--detector", "rules", "--workers", "2") as server:
        for _ in range(12):
            with server.client() as client:
                assert client.post("/v1/deid", json={"text": NOTE}).status_code == 200
        with server.client() as client:
            metrics = client.get("/metrics").text
        assert 'incognote_requests_total{route="/v1/deid",status="200"} 12.0' in metrics
        assert server.stop() == 0
