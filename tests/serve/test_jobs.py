"""Files as jobs: the same result as the command's, sealed at rest, gone on with after a kill."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from serve.servers import Server, running

from incognote.runs.secret_files import make_key, read_key
from incognote.samples import sample_notes
from incognote.serve.jobs import MOST_DEATHS
from incognote.serve.keys import add_key
from incognote.serve.spool import INPUT, SealedLog, Spool, SpoolError

NOTES = list(sample_notes().values())
PLANTED = ("Zebulon", "Quackenbush")
PLANTED_NOTE = "Zebulon Quackenbush was seen by Dr. Okafor on 3/14/2019."


@pytest.fixture(scope="module")
def spool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the spool; the key lies beside it."""
    return tmp_path_factory.mktemp("jobs") / "spool"


@pytest.fixture(scope="module")
def server(spool: Path) -> Iterator[Server]:
    """A service that takes jobs."""
    with running(*options(spool)) as server:
        yield server


def options(spool: Path, *more: str) -> list[str]:
    """Of a service with this spool."""
    key = str(spool.with_name("spool.key"))
    return ["--detector", "rules", "--spool", str(spool), "--spool-key-file", key, *more]


@pytest.fixture
def client(server: Server) -> Iterator[httpx.Client]:
    """A client of it."""
    with server.client() as client:
        yield client


def begin(client: httpx.Client, content: bytes, **body: Any) -> str:
    """A job with its file; the id."""
    made = client.post("/v1/jobs", json=body)
    assert made.status_code == 201, made.text
    sent = client.put(made.json()["input"], content=content)
    assert sent.status_code == 202, sent.text
    return str(made.json()["id"])


def end(client: httpx.Client, id: str) -> dict[str, Any]:
    """Its status when it has ended."""
    until = time.monotonic() + 120
    while (status := client.get(f"/v1/jobs/{id}").json())["state"] in ("queued", "running"):
        assert time.monotonic() < until
        threading.Event().wait(0.05)
    return dict(status)


def result(client: httpx.Client, content: bytes, **body: Any) -> bytes:
    """What a job makes of a file."""
    id = begin(client, content, **body)
    status = end(client, id)
    assert status["state"] == "done", status
    return client.get(status["result"]).content


def by_command(folder: Path, name: str, content: bytes, *words: str) -> bytes:
    """What `incognote deid` makes of it."""
    (folder / name).write_bytes(content)
    output = folder / f"clean-{name}"
    line = [sys.executable, "-m", "incognote", "deid", str(folder / name), "-o", str(output)]
    subprocess.run([*line, "--detector", "rules", *words], check=True, capture_output=True)
    return output.read_bytes()


def jsonl(texts: list[str]) -> bytes:
    """A line for each."""
    return "".join(
        json.dumps({"id": str(number), "note": text}) + "\n" for number, text in enumerate(texts)
    ).encode()


def test_a_job_gives_what_the_command_gives(client: httpx.Client, tmp_path: Path) -> None:
    lines = jsonl(NOTES)
    assert result(client, lines, format="jsonl", text=["note"]) == by_command(
        tmp_path, "notes.jsonl", lines, "--text-field", "note"
    )
    table = b"id,name,text\n" + b"".join(
        b'%d,Okafor,"Dr. Okafor, 3/14/2019"\n' % each for each in range(40)
    )
    body = {
        "format": "csv",
        "known": {"name": "PATIENT"},
        "drop": ["name"],
        "policy": "safe-harbor",
    }
    words = ["--known", "name=PATIENT", "--drop", "name", "--policy", "safe-harbor"]
    words += ["--text-field", "text"]
    assert result(client, table, text=["text"], **body) == by_command(
        tmp_path, "notes.csv", table, *words
    )
    note = NOTES[0].encode()
    assert result(client, note, format="text", replace="mask") == by_command(
        tmp_path, "note.txt", note, "--replace", "mask"
    )


def test_a_parquet_file_comes_back_as_one(client: httpx.Client, tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": NOTES, "n": range(len(NOTES))}), tmp_path / "a.parquet")
    content = (tmp_path / "a.parquet").read_bytes()
    clean = pq.read_table(io.BytesIO(result(client, content, format="parquet", text=["text"])))
    by_hand = by_command(tmp_path, "b.parquet", content, "--text-field", "text")
    assert clean.equals(pq.read_table(io.BytesIO(by_hand)))


def test_an_archive_comes_back_with_numbers_for_names(client: httpx.Client) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ward/Zebulon Quackenbush.txt", PLANTED_NOTE)
        archive.writestr("more.jsonl", json.dumps({"text": PLANTED_NOTE}) + "\n")
    with zipfile.ZipFile(io.BytesIO(result(client, stream.getvalue(), format="zip"))) as clean:
        assert clean.namelist() == ["000001.txt", "000002.jsonl"]
        assert b"Okafor" not in clean.read("000001.txt") + clean.read("000002.jsonl")
        assert b"[DATE]" in clean.read("000002.jsonl")


def test_a_record_that_fails_is_left_out_and_counted(client: httpx.Client) -> None:
    id = begin(
        client, b'{"text": "Dr. Okafor"}\nnonsense\n{"text": "Dr. Okafor"}\n', format="jsonl"
    )
    assert end(client, id)["state"] == "done"
    assert client.get(f"/v1/jobs/{id}/result").content.count(b"\n") == 2
    audit = client.get(f"/v1/jobs/{id}/audit").json()
    assert (audit["notes"]["written"], audit["notes"]["failed"]) == (2, 1)
    assert audit["characters"]["coverage"] == 1.0


@pytest.mark.parametrize(
    ("format", "content", "words"),
    [
        ("zip", b"PK nonsense", "no ZIP archive"),
        ("parquet", b"nonsense", ""),
        ("text", b"\x00\x01\x02\xff" * 100, ""),
        ("csv", b"a,b\n1,2\n", "text"),
    ],
)
def test_a_file_that_cannot_be_read_fails_its_job(
    client: httpx.Client, format: str, content: bytes, words: str
) -> None:
    id = begin(client, content, format=format)
    status = end(client, id)
    if status["state"] == "done":
        assert client.get(f"/v1/jobs/{id}/audit").json()["notes"]["failed"] == 1
    else:
        assert status["state"] == "failed"
        assert words in status["reason"]
        assert client.get(status["result"]).status_code == 409


def test_what_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", b"a" * 3_000_000)
    few = options(tmp_path / "spool", "--max-file", "1")
    with running(*few) as server, server.client() as client:
        status = end(client, begin(client, stream.getvalue(), format="zip"))
        assert (status["state"], "unpacks to more" in status["reason"]) == ("failed", True)
        table = io.BytesIO()
        pq.write_table(pa.table({"text": ["a " * 500] * 4000}), table)
        assert len(table.getvalue()) < 10_000
        status = end(client, begin(client, table.getvalue(), format="parquet", text=["text"]))
        assert (status["state"], "unpacks to more" in status["reason"]) == ("failed", True)
        made = client.post("/v1/jobs", json={"format": "text"}).json()
        assert client.put(made["input"], content=b"a" * 1_100_000).status_code == 413


def test_dates_that_would_tell_the_shift_are_refused(tmp_path: Path, key_file: Path) -> None:
    table = b"text,admitted\n" + b"seen 3/14/2019,2019-03-14\n" * 20
    with_key = options(tmp_path / "spool", "--key-file", str(key_file))
    with running(*with_key) as server, server.client() as client:
        body = {"format": "csv", "text": ["text"], "replace": "surrogate"}
        status = end(client, begin(client, table, **body))
    assert (status["state"], "dates beside its notes" in status["reason"]) == ("failed", True)


def test_what_cannot_be_is_refused_before_a_file_is_sent(client: httpx.Client) -> None:
    for body, status in (
        ({"format": "brat"}, 422),
        ({"format": "text", "policy": "none"}, 422),
        ({"format": "text", "replace": "surrogate"}, 422),
        ({"format": "csv", "known": {"name": "NOTHING"}}, 422),
        ({"format": "text", "columns": "/etc/plan.toml"}, 422),
    ):
        assert client.post("/v1/jobs", json=body).status_code == status
    for id in ("0" * 32, "..", "%2e%2e%2fkeys"):
        assert client.get(f"/v1/jobs/{id}").status_code in (404, 405)
    id = begin(client, b"Dr. Okafor", format="text")
    assert client.put(f"/v1/jobs/{id}/input", content=b"again").status_code == 409
    assert client.delete(f"/v1/jobs/{id}").status_code == 204
    assert client.get(f"/v1/jobs/{id}").status_code == 404


def test_a_job_can_be_cancelled(client: httpx.Client) -> None:
    id = begin(client, jsonl(NOTES * 200), format="jsonl", text=["note"])
    client.post(f"/v1/jobs/{id}/cancel")
    assert end(client, id)["state"] == "cancelled"
    made = client.post("/v1/jobs", json={"format": "text"}).json()
    assert client.post(f"/v1/jobs/{made['id']}/cancel").json()["state"] == "cancelled"


def test_a_killed_service_goes_on_and_nothing_lies_open(tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    texts = [
        f"{PLANTED_NOTE} Visit {number}.\n" + NOTES[number % len(NOTES)] for number in range(400)
    ]
    content = jsonl(texts)
    with running(*options(spool)) as server:
        with server.client() as client:
            id = begin(client, content, format="jsonl", text=["note"])
            while client.get(f"/v1/jobs/{id}").json()["notes"] < 32:
                threading.Event().wait(0.02)
        server.stop(signal.SIGKILL)
        first = server.output
    lying = b"".join(path.read_bytes() for path in spool.rglob("*") if path.is_file())
    assert not any(word.encode() in lying or word in first for word in PLANTED)
    before = json.loads((spool / id / "job.json").read_bytes())["notes"]
    assert 32 <= before < 400
    with running(*options(spool)) as server, server.client() as client:
        status = end(client, id)
        clean = client.get(status["result"]).content
    assert status["notes"] == 400
    assert clean == by_command(tmp_path, "notes.jsonl", content, "--text-field", "note")


def test_a_job_during_which_the_service_keeps_dying_is_given_up(tmp_path: Path) -> None:
    key = tmp_path / "spool.key"
    make_key(key)
    spool = Spool(tmp_path / "spool", read_key(key), hours=1)
    jobs = [spool.create("", "text", {}) for _ in range(2)]
    for job, state in zip(jobs, ("running", "queued"), strict=True):
        spool.sealed(job, INPUT).write([NOTES[0].encode()])
        spool.update(job.id, state=state, deaths=MOST_DEATHS - 1)
    with running(*options(tmp_path / "spool")) as server, server.client() as client:
        given_up, stopped = (end(client, job.id) for job in jobs)
    assert (given_up["state"], "died 3 times" in given_up["reason"]) == ("failed", True)
    assert stopped["state"] == "done"


def test_a_job_belongs_to_its_key(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    keys = {name: add_key(file, name, ["jobs"]) for name in ("mine", "other")}
    keys["admin"] = add_key(file, "admin", ["jobs", "admin"])
    with running(*options(tmp_path / "spool", "--keys", str(file))) as server:
        with server.client(keys["mine"]) as client:
            id = begin(client, b"Dr. Okafor", format="text")
            assert [job["id"] for job in client.get("/v1/jobs").json()] == [id]
        with server.client(keys["other"]) as client:
            assert client.get("/v1/jobs").json() == []
            for path in ("", "/result", "/audit"):
                assert client.get(f"/v1/jobs/{id}{path}").status_code == 404
            assert client.delete(f"/v1/jobs/{id}").status_code == 404
        with server.client(keys["admin"]) as client:
            assert client.get(f"/v1/jobs/{id}").status_code == 200


# The spool


@given(st.lists(st.binary(max_size=200_000), max_size=4))
def test_a_sealed_file_opens_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, parts: list[bytes]
) -> None:
    spool = Spool(tmp_path_factory.mktemp("spool") / "s", b"k" * 16, hours=1)
    file = spool.sealed(spool.create("", "text", {}), INPUT)
    assert file.write(parts) == sum(map(len, parts))
    assert b"".join(file.read()) == b"".join(parts)


def test_a_sealed_file_that_was_changed_cut_or_moved_does_not_open(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "s", b"k" * 16, hours=1)
    job, other = (spool.create("", "text", {}) for _ in range(2))
    file = spool.sealed(job, INPUT)
    file.write([b"a" * 200_000])
    whole = file.path.read_bytes()
    for damaged in (whole[:-1], whole[: 65_536 + 32], whole[:100] + b"x" + whole[101:], b""):
        file.path.write_bytes(damaged)
        with pytest.raises(SpoolError):
            list(file.read())
    moved = spool.sealed(other, INPUT)
    moved.path.write_bytes(whole)
    with pytest.raises(SpoolError):
        list(moved.read())
    with pytest.raises(SpoolError, match="another key"):
        Spool(tmp_path / "s", b"other key of 16 bytes", hours=1).sealed(job, INPUT)


def test_a_log_that_was_cut_keeps_what_is_whole(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "s", b"k" * 16, hours=1)
    file = spool.sealed(spool.create("", "text", {}), "records.sealed")
    log = SealedLog(file)
    log.append(b"one")
    log.append(b"two")
    log.close()
    file.path.write_bytes(file.path.read_bytes()[:-3])
    log = SealedLog(file)
    assert log.entries == [b"one"]
    log.append(b"three")
    log.close()
    again = SealedLog(file)
    assert again.entries == [b"one", b"three"]
    again.close()


def test_what_is_over_its_time_is_deleted(tmp_path: Path) -> None:
    now = 1000.0
    spool = Spool(tmp_path / "s", b"k" * 16, hours=1, clock=lambda: now)
    job = spool.create("", "text", {})
    assert spool.sweep() == 0
    now += 3601
    assert spool.sweep() == 1
    assert not spool.path(job.id).exists()
