"""No identifier is written anywhere: planted in every part of every request, searched in all that was written.

What is searched: standard output and error, figures, error answers, temporary files, the spool, the
memory's disk, core files, and the files that the process has open when it is asked.
"""

from __future__ import annotations

import io
import json
import signal
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from serve.servers import Server, running

from incognote.serve.keys import add_key

PLANTED = ("Zebulon", "Quackenbush", "Zorbelheim", "999-88-7766", "555-0147")
NOTE = "Zebulon Quackenbush of Zorbelheim, tel. (212) 555-0147, SSN 999-88-7766, was seen on 3/14/2019."
WORD = "Quackenbush"
SMALL = ("--max-body", "0.02", "--max-file", "0.5", "--max-notes", "4", "--queue", "8")
PLACES = ("TMPDIR", "HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the service writes whatever it writes: its home, its temporary files, its working folder."""
    for name in PLACES:
        (tmp_path / name).mkdir()
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.chdir(tmp_path / "HOME")
    monkeypatch.setenv("PYTHONFAULTHANDLER", "1")
    return tmp_path


@pytest.fixture
def jobs(place: Path) -> list[str]:
    """Options of a service that takes files."""
    return ["--spool", str(place / "spool"), "--spool-key-file", str(place / "spool.key")]


def bodies() -> Iterator[tuple[str, object]]:
    """Bodies that are good and bad, for every route that takes one."""
    known = [{"type": "PATIENT", "value": WORD}]
    marks = [{"start": 0, "end": 7, "type": "PATIENT"}]
    for path in ("/v1/deid", "/v1/find"):
        yield path, {"text": NOTE}
        yield path, {"text": NOTE, "explain": True}
        yield path, {"notes": [{"text": NOTE, "id": NOTE, "patient": NOTE, "known": known}]}
        yield path, {"notes": [{"text": NOTE, "spans": marks}], "offsets": "utf16"}
        yield path, {"notes": [{"text": NOTE, "spans": [{**marks[0], "end": 9999, "type": WORD}]}]}
        yield path, {"notes": [{"text": NOTE, "known": [{"type": WORD, "value": WORD}]}]}
        yield path, {"notes": [{"text": NOTE}] * 9}
        for key in ("replace", "policy", "detector", "speed", "offsets", "number", WORD, NOTE):
            yield path, {"text": NOTE, key: NOTE}
        yield path, {"text": NOTE, "replace": {WORD: WORD, "DATE": NOTE}}
        yield path, {"text": NOTE * 500}
        yield path, [NOTE]
        yield path, NOTE
    gold = {"id": WORD, "text": NOTE, "spans": marks}
    yield "/v1/score", {"gold": [gold], "predicted": [{"id": "other", "spans": marks}]}
    yield "/v1/score", {"gold": [{**gold, "spans": [{**marks[0], "end": 999}]}], "predicted": []}
    yield "/v1/score", {"gold": [{**gold, "spans": [{**marks[0], "type": WORD}]}], "predicted": []}
    yield "/v1/features", {"texts": [NOTE], "layer": 99}
    yield "/v1/features", {"texts": [NOTE], "pool": WORD}
    yield "/v1/fill-mask", {"text": NOTE}
    yield "/v1/fill-mask", {"text": f"{NOTE} [MASK]", "top_k": WORD}
    for key in (
        "language",
        "entities",
        "score_threshold",
        "allow_list",
        "allow_list_match",
        "regex_flags",
    ):
        yield "/analyze", {"text": NOTE, "language": "en", key: NOTE}
    pattern = {"name": WORD, "regex": f"({WORD}", "score": 1}
    recognizer = {"name": WORD, "supported_entity": WORD, "patterns": [pattern]}
    yield "/analyze", {"text": NOTE, "language": "en", "ad_hoc_recognizers": [recognizer]}
    yield "/analyze", {"text": [NOTE] * 9, "language": "en"}
    result = {"start": 0, "end": 7, "score": 1, "entity_type": WORD}
    yield "/anonymize", {"text": NOTE, "analyzer_results": [{**result, "end": 9999}]}
    yield "/anonymize", {"text": NOTE, "analyzer_results": [{**result, "start": WORD}]}
    for type in ("mask", "hash", "encrypt", "replace", WORD):
        operator = {
            "type": type,
            "masking_char": WORD,
            "hash_type": WORD,
            "key": WORD,
            "new_value": 1,
        }
        yield (
            "/anonymize",
            {"text": NOTE, "analyzer_results": [result], "anonymizers": {WORD: operator}},
        )
    yield "/decrypt", {"text": NOTE, "key": WORD}
    yield "/decrypt", {"text": NOTE, "key": "0123456789abcdef"}
    entity = {"category": WORD, "offset": 0, "length": 7, "text": WORD}
    tagged = {"encoding": "Utf8", "entities": [entity]}
    yield "/deid", {"inputText": NOTE, "operation": WORD}
    yield "/deid", {"inputText": NOTE, "operation": "SurrogateOnly", "taggedEntities": tagged}
    entity = {**entity, "category": "Patient", "text": "Zorbelheim"}
    tagged = {"encoding": "Utf8", "entities": [entity]}
    yield "/deid", {"inputText": NOTE, "operation": "SurrogateOnly", "taggedEntities": tagged}
    yield "/deid", {"inputText": NOTE, "customizations": {"surrogateLocale": WORD}}
    for key in ("format", "policy", "replace", "encoding", WORD):
        yield "/v1/jobs", {"format": "csv", key: WORD}
    yield "/v1/jobs", {"format": "csv", "known": {WORD: WORD}}


def ask_everything(client: httpx.Client) -> list[httpx.Response]:
    """Bodies, and paths, queries, headers and methods with identifiers in them."""
    answers = [client.post(path, json=body) for path, body in bodies()]
    text = json.dumps({"text": NOTE}).encode()
    for content, kind in (
        (text[:-1], "application/json"),
        (text, "text/plain"),
        (text, f"application/json; charset={WORD}"),
        (NOTE.encode("utf-16"), "application/json"),
        (b'{"text": "Zebulon \xff"}', "application/json"),
    ):
        answers.append(client.post("/v1/deid", content=content, headers={"Content-Type": kind}))
    words = quote(NOTE)
    for path in (
        f"/{words}",
        f"/v1/{words}",
        f"/v1/jobs/{words}",
        f"/v1/jobs/{words}/input",
        f"/jobs/{words}",
    ):
        answers += [client.request(method, path) for method in ("GET", "PUT", "POST", "DELETE")]
    for name in (
        "X-Request-Id",
        "x-ms-client-request-id",
        "X-API-Key",
        "Authorization",
        "Cookie",
        "Referer",
    ):
        answers.append(client.get("/recognizers", params={"language": WORD}, headers={name: WORD}))
    for name in ("Content-Encoding", "Expect", "Origin", "User-Agent", "X-Forwarded-For", "Host"):
        answers.append(client.post("/v1/deid", json={"text": NOTE}, headers={name: WORD}))
    answers.append(client.request(WORD.upper(), "/v1/deid", params={WORD: NOTE}))
    return answers


def archive(**members: bytes) -> bytes:
    """A ZIP archive; names are PHI too."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members.items():
            packed.writestr(f"{WORD}/{name}", content)
    return stream.getvalue()


FILES: tuple[tuple[dict[str, object], bytes], ...] = (
    ({"format": "text"}, NOTE.encode()),
    ({"format": "text"}, NOTE.encode() + b"\xff\x00\x01" * 50),
    ({"format": "jsonl", "text": [WORD]}, json.dumps({"text": NOTE}).encode()),
    ({"format": "jsonl"}, json.dumps({"text": NOTE}).encode()[:-4] + b"\n{}\n[1]\n"),
    ({"format": "csv", "text": ["text"], "known": {WORD: "PATIENT"}}, f"text\n{NOTE}\n".encode()),
    ({"format": "csv", "text": ["text"]}, f'{WORD},text\n"{NOTE}\n'.encode()),
    ({"format": "parquet"}, NOTE.encode()),
    ({"format": "i2b2"}, f"<r><TEXT><![CDATA[{NOTE}]]></TEXT><TAGS><{WORD}".encode()),
    ({"format": "inline"}, f"[[{WORD}|{NOTE}".encode()),
    (
        {"format": "zip"},
        archive(**{f"{WORD}.txt": NOTE.encode(), f"{WORD}.xyz": b"\x00\x01" + NOTE.encode()}),
    ),
    ({"format": "zip"}, archive(**{f"{WORD}.jsonl": b'{"text": "' + NOTE.encode()})),
    ({"format": "zip"}, archive(**{f"{WORD}.txt": NOTE.encode() * 9000})),
    ({"format": "zip"}, archive(**{f"{WORD}.txt": NOTE.encode()})[:-30]),
)


def send_files(client: httpx.Client) -> tuple[list[httpx.Response], set[str]]:
    """As jobs, and ask for all that can be asked of them; the answers, and how the jobs ended."""
    answers, states = [], set()
    for body, content in FILES:
        made = client.post("/v1/jobs", json=body)
        answers.append(made)
        id = made.json()["id"]
        headers = {
            "Content-Disposition": f'attachment; filename="{WORD}.txt"',
            "Content-Type": WORD,
        }
        answers.append(client.put(f"/v1/jobs/{id}/input", content=content, headers=headers))
        until = time.monotonic() + 60
        while (status := client.get(f"/v1/jobs/{id}")).json()["state"] in ("queued", "running"):
            assert time.monotonic() < until
            time.sleep(0.05)
        states.add(status.json()["state"])
        if WORD not in str(body):  # who asks for a column by that name is told that there is none
            answers += [status, client.get(f"/v1/jobs/{id}/audit")]
    return answers, states


def written(place: Path, server: Server) -> str:
    """All that lies in the service's places, and all that it said."""
    files = [path for path in place.rglob("*") if path.is_file()]
    names = " ".join(str(path.relative_to(place)) for path in files)
    memory = [path for path in Path("/dev/shm").glob("incognote-*/*") if path.is_file()]
    contents = [path.read_bytes().decode("latin-1") for path in [*files, *memory]]
    return "\n".join([server.output, names, *contents])


def assert_clean(text: str, what: str) -> None:
    """No planted word, as it is, as a URL has it, or in hexadecimal or UTF-16."""
    lower = text.casefold().replace("\0", "")
    for word in PLANTED:
        for form in (word, quote(word), word.encode().hex()):
            at = lower.find(form.casefold())
            assert at < 0, f"{what} holds a planted word: …{text[max(0, at - 80) : at]}…"


def test_nothing_that_is_asked_leaves_a_trace(place: Path, jobs: list[str]) -> None:
    with running("--detector", "rules", *SMALL, *jobs) as server, server.client() as client:
        answers = ask_everything(client)
        of_jobs, states = send_files(client)
        figures = client.get("/metrics").text
        during = written(place, server)
        assert server.stop() == 0
    assert {answer.status_code for answer in answers} >= {200, 404, 405, 413, 415, 422}
    assert states == {"done", "failed"}
    assert_clean(figures, "a figure")
    assert_clean(during, "something written while it ran")
    assert_clean(written(place, server), "something written")
    for answer in answers:
        if answer.status_code >= 400:
            assert_clean(
                answer.text + str(answer.headers), f"an error of {answer.request.url.path[:9]}"
            )
    for answer in of_jobs:
        assert_clean(answer.text + str(answer.headers), "an answer on a job")
    assert "unforeseen" not in server.output


def test_nor_where_keys_are_asked_for_and_the_log_is_for_people(place: Path) -> None:
    file = place / "keys.json"
    add_key(file, "ward7", ["deid"])
    with running("--detector", "rules", "--keys", str(file), "--log-format", "lines") as server:
        with server.client(WORD) as client:
            answers = ask_everything(client)
        assert server.stop() == 0
    assert {answer.status_code for answer in answers} == {401}
    assert_clean("".join(answer.text for answer in answers), "an error")
    assert_clean(written(place, server), "something written")


def test_nor_when_it_crashes(place: Path, jobs: list[str]) -> None:
    """While it works on a job and on requests; whatever the signal writes is searched too."""
    many = "".join(json.dumps({"text": f"{NOTE} {each}"}) + "\n" for each in range(3_000)).encode()
    with running("--detector", "rules", *jobs) as server:
        with server.client() as client:
            id = client.post("/v1/jobs", json={"format": "jsonl"}).json()["id"]
            client.put(f"/v1/jobs/{id}/input", content=many)
            while client.get(f"/v1/jobs/{id}").json()["notes"] < 16:
                time.sleep(0.02)
        server.stop(signal.SIGABRT)
    assert (place / "spool" / id / "records.sealed").stat().st_size
    assert_clean(written(place, server), "something written")


def test_nothing_of_a_file_is_open_on_a_disk(place: Path, jobs: list[str]) -> None:
    many = "".join(json.dumps({"text": f"{NOTE} {each}"}) + "\n" for each in range(3_000)).encode()
    with running("--detector", "rules", *jobs) as server, server.client() as client:
        id = client.post("/v1/jobs", json={"format": "jsonl"}).json()["id"]
        client.put(f"/v1/jobs/{id}/input", content=many)
        while client.get(f"/v1/jobs/{id}").json()["notes"] < 16:
            time.sleep(0.02)
        folder = Path(f"/proc/{server.process.pid}/fd")
        opened = [str(path.readlink()) for path in folder.iterdir() if path.is_symlink()]
        on_disk = [Path(each) for each in opened if each.startswith(str(place))]
        assert on_disk
        for path in on_disk:
            assert_clean(path.read_bytes().decode("latin-1"), "an open file")
