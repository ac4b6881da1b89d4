"""Standard input is streamed: a JSON line in, a JSON line out."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from commands import Command

NOTE = "Seen by Dr. Okafor."
RULES = ("--detector", "rules")


def line(id: str, text: str = NOTE) -> bytes:
    return json.dumps({"id": id, "text": text}).encode() + b"\n"


@pytest.mark.parametrize("command", ["deid", "find"])
@pytest.mark.parametrize("workers", ["1", "2"])
def test_each_line_is_answered_before_the_next_is_written(command: str, workers: str) -> None:
    arguments = [command, "--format", "jsonl", *RULES, "-j", workers, "--quiet"]
    with subprocess.Popen(
        [sys.executable, "-m", "incognote", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for id in ("a", "b", "c"):
            process.stdin.write(line(id))
            process.stdin.flush()
            row = json.loads(process.stdout.readline())
            assert row["id"] == id
            assert len(row.get("spans", ())) == (command == "find")
            assert "Okafor" not in json.dumps(row)
        process.stdin.close()
        assert process.stdout.read() == b""
    assert process.returncode == 0


def test_what_is_streamed_is_what_a_file_gives(incognote: Command, tmp_path: Path) -> None:
    table = tmp_path / "notes.jsonl"
    table.write_bytes(b"".join(line(str(n), f"{n}: {NOTE}") for n in range(40)) + b"\n")
    filed = incognote("deid", table, *RULES).out
    streamed = incognote("deid", "--format", "jsonl", *RULES, stdin=table.read_bytes())
    assert streamed.status == 0
    assert streamed.out == filed


def test_a_line_that_fails_is_said_and_not_written(incognote: Command, tmp_path: Path) -> None:
    audit = tmp_path / "audit.json"
    stdin = line("a") + b'{"id": "b", "text": "Okafor\n' + line("c")
    ran = incognote("deid", "--format", "jsonl", *RULES, "--audit", audit, stdin=stdin)
    assert ran.status == 1
    assert [json.loads(each)["id"] for each in ran.out.splitlines()] == ["a", "c"]
    assert "incognote: standard input, line 2" in ran.err
    assert "Okafor" not in ran.err
    assert json.loads(audit.read_text())["notes"]["failed"] == 1
    found = incognote("find", "--format", "jsonl", *RULES, stdin=stdin)
    assert (found.status, len(found.out.splitlines())) == (1, 2)
