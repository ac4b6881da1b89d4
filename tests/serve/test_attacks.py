"""What a hostile or unlucky client does to others: nothing."""

from __future__ import annotations

import asyncio
import errno
import json
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import psutil
import pytest
from serve.servers import Server, running

from incognote.runs.settings import Settings
from incognote.samples import sample_notes
from incognote.serve.app import application
from incognote.serve.engine import Choice
from incognote.serve.options import ServeOptions
from incognote.serve.spool import INPUT, SealedWriter, Spool

NOTES = list(sample_notes().values())


def place_of(server: Server) -> tuple[str, int]:
    """Of its socket."""
    host, _, port = server.url.removeprefix("http://").rpartition(":")
    return host, int(port)


def test_a_note_alone_and_in_company_has_the_same_bytes(server: Server) -> None:
    bodies = [{"text": text} for text in NOTES]
    with server.client() as client:
        alone = [client.post("/v1/deid", json=body).content for body in bodies]

    async def together() -> list[bytes]:
        async with httpx.AsyncClient(base_url=server.url, timeout=120) as client:
            asked = [client.post("/v1/deid", json=body) for body in bodies * 3]
            return [answer.content for answer in await asyncio.gather(*asked)]

    assert asyncio.run(together()) == alone * 3


def test_work_for_a_client_who_left_is_not_done(server: Server) -> None:
    def read(client: httpx.Client) -> float:
        (line,) = [
            line
            for line in client.get("/metrics").text.splitlines()
            if line.startswith("incognote_notes_total")
        ]
        return float(line.split()[-1])

    note = "\n".join(NOTES)
    body = json.dumps({"notes": [{"text": note}] * 60}).encode()
    with server.client() as client:
        before = read(client)
        with socket.create_connection(place_of(server)) as connection:
            head = f"POST /v1/deid HTTP/1.1\r\nHost: a\r\nContent-Length: {len(body)}\r\n"
            connection.sendall(head.encode() + b"Content-Type: application/json\r\n\r\n" + body)
            time.sleep(0.3)
        assert client.post("/v1/deid", json={"text": "Dr. Okafor"}).status_code == 200
        assert read(client) - before < 40


def test_many_connections_are_refused_and_forgotten() -> None:
    with running("--detector", "rules", "--connections", "20", "--read-limit", "2") as server:
        idle = [socket.create_connection(place_of(server)) for _ in range(60)]
        with server.client() as client:
            until = time.monotonic() + 60
            while client.get("/livez").status_code != 200:  # 503 until they are cut off
                assert time.monotonic() < until
                time.sleep(0.2)
            assert client.post("/v1/deid", json={"text": "Dr. Okafor"}).status_code == 200
        for connection in idle:
            connection.close()


def test_two_files_for_one_job_are_one_too_many(tmp_path: Path) -> None:
    options = ["--spool", str(tmp_path / "spool"), "--spool-key-file", str(tmp_path / "key")]
    texts = [f"Dr. Okafor {each}. ".encode() * 20_000 for each in range(4)]
    with running("--detector", "rules", *options) as server, server.client() as client:
        id = client.post("/v1/jobs", json={"format": "text"}).json()["id"]
        with ThreadPoolExecutor(4) as threads:
            sent = threads.map(lambda text: client.put(f"/v1/jobs/{id}/input", content=text), texts)
            statuses = sorted(answer.status_code for answer in sent)
        assert statuses[0] == 202
        assert set(statuses[1:]) == {409}
        client.delete(f"/v1/jobs/{id}")


def test_a_job_outlives_the_worker_that_had_it(tmp_path: Path) -> None:
    options = ["--spool", str(tmp_path / "spool"), "--spool-key-file", str(tmp_path / "key")]
    line = json.dumps({"text": NOTES[0]}).encode() + b"\n"
    with running("--detector", "rules", "--workers", "2", *options) as server:

        def get(path: str) -> httpx.Response:
            """Over a connection of its own, so that either worker answers; one may just have died."""
            while True:
                try:
                    with server.client() as client:
                        return client.get(path)
                except httpx.TransportError:
                    time.sleep(0.1)

        with server.client() as client:
            id = client.post("/v1/jobs", json={"format": "jsonl"}).json()["id"]
            assert client.put(f"/v1/jobs/{id}/input", content=line * 300).status_code == 202
        while get(f"/v1/jobs/{id}").json()["notes"] < 16:
            time.sleep(0.05)
        for worker in psutil.Process(server.process.pid).children():
            if any(each.path.endswith(f"{id}/lock") for each in worker.open_files()):
                worker.kill()
        while (job := get(f"/v1/jobs/{id}").json())["state"] == "running":
            time.sleep(0.1)
        assert (job["state"], job["notes"]) == ("done", 300)
        assert get(f"/v1/jobs/{id}/result").content.count(b"\n") == 300
        assert server.stop() == 0


def test_a_full_disk_is_said_and_leaves_no_half_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: SealedWriter) -> int:
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr(SealedWriter, "finish", full)
    options = ServeOptions(spool=tmp_path / "spool", spool_key_file=tmp_path / "key")
    app = application(options, Settings(find_by="rules"))

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://a") as client:
            made = await client.post("/v1/jobs", json={"format": "text"})
            return await client.put(made.json()["input"], content=b"Dr. Okafor")

    answer = asyncio.run(ask())
    assert answer.status_code == 507
    assert "no room" in answer.json()["detail"]
    assert not [*(tmp_path / "spool").rglob("*sealed*")]


def test_a_clock_that_was_wrong_keeps_no_job_for_years(tmp_path: Path) -> None:
    now = 2_000_000_000.0
    spool = Spool(tmp_path / "s", b"k" * 16, hours=1, clock=lambda: now)
    job = spool.create("", "text", {"text": ["column"]})
    assert spool.job(job.id).request == {"text": ["column"]}
    assert b"column" not in (spool.path(job.id) / "job.json").read_bytes()
    now -= 60
    assert spool.sweep() == 0
    now -= 10 * 365 * 86_400
    assert spool.sweep() == 1
    assert not spool.path(job.id).exists()


def test_a_large_file_is_sealed_in_one_go(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "s", b"k" * 16, hours=1)
    file = spool.sealed(spool.create("", "text", {}), INPUT)
    assert file.write([b"a" * 20_000_000]) == 20_000_000
    assert sum(map(len, file.read())) == 20_000_000


def test_rules_can_be_asked_for_where_the_service_has_a_speed() -> None:
    settings = Choice(find_by="rules").of(Settings(speed="fast"))
    assert settings.choice.parts[0] == "rules"
    assert Choice(find_by="both").of(Settings(speed="fast")).speed == "fast"
