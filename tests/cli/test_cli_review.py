"""`incognote review` from the command line: begun, read, exported, and taken up by `deid`."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from commands import Command

NOTE = "Mrs. Anna Lee of Springfield saw Dr. Okafor on 3/14/2019. Zorblatt stayed. MRN 4411023."


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.txt").write_text(NOTE, encoding="utf-8")
    (folder / "b.txt").write_text("Nothing to see.\n", encoding="utf-8")
    return folder


def test_a_review_from_its_notes_to_decisions(
    incognote: Command, notes: Path, tmp_path: Path
) -> None:
    review = tmp_path / "review"
    begin = ("review", "start", notes, "-o", review, "--detector", "rules", "--no-page", "--all")
    ran = incognote(*begin, "--replace", "redact")
    assert ran.status == 0, ran.err
    assert "2 notes, 2 of them in the sample" in " ".join(ran.err.split())
    assert (tmp_path / "review.key").stat().st_mode & 0o077 == 0
    ran = incognote(*begin)
    assert (ran.status, "has a review already" in ran.err) == (2, True)

    server = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "incognote",
            "review",
            "open",
            review,
            "--port",
            "0",
            "--no-browser",
        ],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert server.stderr is not None
    try:
        link = None
        while link is None:
            line = server.stderr.readline()
            assert line, "the server ended"
            link = re.search(r"(http://127\.0\.0\.1:\d+)/#(\S+)", line)
        with httpx.Client(base_url=link[1]) as http:
            assert "default-src 'none'" in http.get("/").headers["Content-Security-Policy"]
            assert http.get("/page/../app.py").status_code == 404
            assert http.get("/page/%2e%2e%2fapp.py").status_code == 404
            assert http.post("/api/enter", json={"secret": link[2]}).status_code == 204
            csrf = {"X-CSRF": http.get("/api/session").json()["csrf"]}
            number = next(
                each["note"]
                for each in http.get("/api/queue").json()["notes"]
                if each["characters"] == len(NOTE)
            )
            view = http.get(f"/api/notes/{number}").json()
            assert "[" not in view["output"]["text"]  # redacted, as it was begun
            date = next(m["id"] for m in view["marks"] if m["type"] == "DATE")
            start = NOTE.index("Zorblatt")
            for version, wish in enumerate(
                (
                    {"do": "reject", "mark": date},
                    {"do": "add", "start": start, "end": start + 8, "type": "PATIENT"},
                )
            ):
                body = {"version": version, **wish}
                answer = http.post(f"/api/notes/{number}/actions", json=body, headers=csrf)
                assert answer.status_code == 200, answer.text
            body = {"version": 2, "state": "done"}
            assert http.post(f"/api/notes/{number}/reading", json=body, headers=csrf).is_success
    finally:
        server.send_signal(signal.SIGTERM)
        assert server.wait(30) == 0
        rest = server.stderr.read()
        server.stderr.close()
    assert not any(word in rest for word in ("Okafor", "Zorblatt", "Springfield"))

    ran = incognote("review", "status", review, "--json")
    told = json.loads(ran.out)
    assert (told["read"], told["missed"], told["removed"]) == (1, 1, 1)
    ran = incognote("review", "log", review)
    rows = [json.loads(line) for line in ran.out.splitlines()]
    assert [row["do"] for row in rows] == ["reject", "add"]
    assert b"Zorblatt" not in ran.out
    ran = incognote("review", "log", review, "--of", "access")
    assert {json.loads(line)["note"] for line in ran.out.splitlines()} == {number}

    ran = incognote("review", "export", review, "-o", tmp_path / "read.jsonl")
    assert ran.status == 0, ran.err
    [exported] = map(json.loads, (tmp_path / "read.jsonl").read_text().splitlines())
    assert {"Zorblatt"} <= {exported["text"][s["start"] : s["end"]] for s in exported["spans"]}

    released = tmp_path / "released"
    ran = incognote("release", review, "-o", released)
    assert (ran.status, "1 of 2 notes of the sample" in " ".join(ran.err.split())) == (2, True)
    assert not released.exists()
    ran = incognote("release", review, "-o", released, "--anyway")
    assert ran.status == 0, ran.err
    texts = [path.read_text() for path in sorted(released.glob("*.txt"))]
    assert any("3/14/2019" in text and "Zorblatt" not in text for text in texts)
    assert "Nothing to see.\n" in texts
    assert not any("[" in text for text in texts)  # redacted, as the review was begun

    clean = tmp_path / "clean"
    ran = incognote(
        "deid", notes, "-o", clean, "--detector", "rules", "--decisions", review, "--names", "keep"
    )
    assert ran.status == 0, ran.err
    text = (clean / "a.txt").read_text()
    assert "3/14/2019" in text
    assert "Zorblatt" not in text
    assert "Okafor" not in text
    audit = json.loads((tmp_path / "clean.audit.json").read_text())
    assert audit["settings"]["decisions"]


def test_reviewers_are_invited_and_sent_away(
    incognote: Command, notes: Path, tmp_path: Path
) -> None:
    review = tmp_path / "review"
    incognote("review", "start", notes, "-o", review, "--detector", "rules", "--no-page")
    ran = incognote("review", "invite", review, "anna", "--role", "adjudicator")
    assert re.fullmatch(r"http://127\.0\.0\.1:8010/#\S{32}\n", ran.out.decode())
    assert incognote("review", "invite", review, "anna", "--remove").status == 0
    assert incognote("review", "invite", review, "nobody", "--remove").status == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("start", "notes", "-o", "review", "--all", "--sample", "5"), "--all reads all notes"),
        (("start", "notes", "-o", "review", "--sample", "0"), "sample"),
        (("start", "none", "-o", "review"), "none"),
        (("start", "notes", "-o", "notes"), "is not empty"),
        (("start", "notes", "-o", "review", "--host", "0.0.0.0"), "in the clear"),
        (("open", "nowhere"), "there is no review here"),
        (("status", "nowhere"), "there is no review here"),
        (("export", "nowhere", "-o", "x.jsonl"), "there is no review here"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    incognote: Command,
    notes: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = incognote("review", *words, *(("--no-page",) if words[0] == "start" else ()))
    assert ran.status == 2
    assert said in " ".join(ran.err.split())
    assert "Traceback" not in ran.err
    assert not (tmp_path / "review").exists()
