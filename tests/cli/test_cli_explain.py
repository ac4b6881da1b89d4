"""`incognote find --explain`: why, as JSON and as a table, without text unless it is asked for."""

from __future__ import annotations

import io
import json
import re
import stat
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from commands import Command
from places import ROOT

NOTE = "Patient Zorb 😀, seen by Dr. Okafor. Okafor \x1b[31mwill call.\n"
RULES = ("--detector", "rules")
PAGE = (ROOT / "docs/explain.md").read_text(encoding="utf-8")


def rows(out: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.decode().splitlines()]


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "note.txt"
    path.write_text(NOTE, encoding="utf-8")
    return path


def test_the_spans_are_those_of_find(incognote: Command, note: Path) -> None:
    (plain,) = rows(incognote("find", note, *RULES).out)
    ran = incognote("find", note, "--explain", *RULES)
    (explained,) = rows(ran.out)
    assert (ran.status, explained["id"]) == (0, plain["id"])
    for span, why in zip(plain["spans"], explained["spans"], strict=True):
        assert span.items() <= why.items()
        assert why["why"][0]["decides"] == ["place", "type", "score"]
    (origin,) = [why for span in explained["spans"] for why in span["why"] if "origin" in why]
    assert origin["origin"] == [28, 34]
    assert (explained["left"], explained["dropped"]) == ([], [])
    assert b"Okafor" not in ran.out


def test_offsets_are_in_the_unit_that_was_asked_for(incognote: Command, note: Path) -> None:
    data = NOTE.encode("utf-16-le")
    (row,) = rows(incognote("find", note, "--explain", "--offsets", "utf16", *RULES).out)
    reason = row["spans"][-1]["why"][0]
    start, end = reason["origin"]
    assert row["offsets"] == "utf16"
    assert data[2 * start : 2 * end].decode("utf-16-le") == "Okafor"
    assert data[2 * reason["start"] : 2 * reason["end"]].decode("utf-16-le") == "Okafor"


def test_text_only_where_it_is_asked_for(incognote: Command, note: Path, tmp_path: Path) -> None:
    output = tmp_path / "why.jsonl"
    ran = incognote("find", note, "--explain", "--with-text", "-o", output, *RULES)
    assert ran.status == 0
    assert "it is PHI" in ran.err
    assert stat.S_IMODE(output.stat().st_mode) == 0o600
    (row,) = rows(output.read_bytes())
    assert [span["text"] for span in row["spans"]] == ["Zorb", "Okafor", "Okafor"]
    assert row["spans"][1]["before"].endswith("seen by Dr. ")
    assert row["spans"][1]["after"].startswith(". Okafor")
    quiet = incognote("find", note, "--explain", "--with-text", "--quiet", *RULES)
    assert quiet.err == ""


def test_a_table_for_people(incognote: Command, note: Path) -> None:
    ran = incognote("find", note, "--explain", "--as", "text", *RULES)
    lines = ran.out.decode().splitlines()
    assert lines[0].strip() == "note"
    assert lines[1].split() == ["place", "what", "why"]
    assert any("propagated: DOCTOR" in line and "follows from 28-34" in line for line in lines)
    assert "Okafor" not in ran.out.decode()
    shown = incognote("find", note, "--explain", "--as", "text", "--with-text", *RULES).out
    assert b"Okafor" in shown
    assert b"\x1b" not in shown


def test_a_terminal_gets_the_table_by_itself(
    incognote: Command, note: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    ran = incognote("find", note, "--explain", *RULES)
    assert "follows from" in re.sub(r"\s+", " ", ran.out.decode())


def test_json_lines_are_answered_as_they_come(incognote: Command) -> None:
    lines = b'{"id": "a", "text": "Dr. Okafor"}\n{"id": "b", "text": "none"}\n'
    ran = incognote("find", "--explain", "--format", "jsonl", *RULES, stdin=lines)
    assert [(row["id"], len(row["spans"])) for row in rows(ran.out)] == [("a", 1), ("b", 0)]


def test_a_known_value_is_named_by_its_field(incognote: Command, tmp_path: Path) -> None:
    table = tmp_path / "notes.csv"
    table.write_text('key,who,mrn,note\n1,"Zorb, Quill",77410093,Chart of Zorb 77-41-0093\n')
    options = ("--text-field", "note", "--known", "who=PATIENT", "--known", "mrn=MEDICALRECORD")
    (row,) = rows(incognote("find", table, *options, "--explain", *RULES).out)
    known = [
        (why["values"], why["fields"])
        for span in row["spans"]
        for why in span["why"]
        if why["source"] == "known"
    ]
    assert known == [([1], ["who"]), ([2], ["mrn"])]


def test_the_confidence_of_words_that_were_left(incognote: Command, tmp_path: Path) -> None:
    path = tmp_path / "note.txt"
    path.write_text("Seen in clinic by Foley team. Likes Bingo and the Tamarack.\n")
    counts = []
    for floor in ("0.001", "0.01", "1"):
        ran = incognote("find", path, "--explain", "--left-from", floor, "--speed", "fast")
        (row,) = rows(ran.out)
        assert all(word["score"] >= float(floor) for word in row["left"])
        counts.append(len(row["left"]))
    assert counts[0] >= counts[1] >= counts[2] == 0
    assert counts[0] > 0


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--with-text",), "--with-text, --left-from and --as text are for --explain: add it"),
        (("--as", "text"), "are for --explain"),
        (("--explain", "--sample-review", "3"), "leave out --sample-review"),
        (("--explain", "--as", "inline", "-o", "out"), "or --as but text"),
        (("--explain", "--as", "text", "--offsets", "utf8"), "leave out --offsets"),
        (("--explain", "--left-from", "0.0001"), "--left-from 0.0001: choose from 0.001 to 1"),
    ],
)
def test_what_does_not_go_together_is_refused(
    incognote: Command, note: Path, options: tuple[str, ...], says: str
) -> None:
    ran = incognote("find", note, *options)
    assert (ran.status, ran.out) == (2, b"")
    assert says in re.sub(r"\s+", " ", ran.err)


# The page


def block(name: str) -> str:
    (content,) = re.findall(rf"^```{name}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    return str(content)


def plain(line: str) -> str:
    """Without what depends on the CPU's kernels."""
    return re.sub(r"0\.\d+|1\.00", "#", " ".join(line.split()))


def test_the_page_shows_what_the_commands_write(
    incognote: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("note.txt").write_text(block("text note.txt"), encoding="utf-8")
    first, second = re.findall(
        r"^```console\n\$ incognote (.*?)\n(.*?)^```", PAGE, re.DOTALL | re.M
    )
    for command, output in (first, second):
        ran = incognote(*command.split())
        assert ran.status == 0
        shown = [plain(line) for line in ran.out.decode().splitlines() if line.strip()]
        assert shown == [plain(line) for line in output.splitlines()]
    (row,) = rows(Path("why.jsonl").read_bytes())
    assert [word["vetoes"] for word in row["left"]] == [["eponyms"]]
    with redirect_stdout(io.StringIO()) as printed:
        exec(block("python"), {})
    assert printed.getvalue() == block("text output")
