"""`incognote demo`: notes before and after on the screen, nothing written."""

from __future__ import annotations

import json
from pathlib import Path

from commands import Command


def test_the_samples_come_with_the_package(incognote: Command) -> None:
    ran = incognote("demo")
    assert ran.status == 0
    out = ran.out.decode()
    assert "6 notes" in out
    assert out.count(": before") == out.count(": after") == 6


def test_a_note_of_ones_own_is_shown_before_and_after(incognote: Command, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_bytes(b"Seen by Dr. Okafor.\n")
    ran = incognote("demo", note)
    out = ran.out.decode()
    assert ran.status == 0
    assert "Seen by Dr. Okafor." in out
    assert "Seen by Dr. [DOCTOR]." in out
    assert "1 note, 20 characters, 1 identifier found" in out
    assert list(tmp_path.iterdir()) == [note]


def test_the_first_notes_of_a_table(incognote: Command, tmp_path: Path) -> None:
    rows = [{"id": f"row-{n}", "note": f"Seen by Dr. Okafor, visit {n}."} for n in range(9)]
    table = tmp_path / "notes.jsonl"
    table.write_text("".join(json.dumps(row) + "\n" for row in rows))
    ran = incognote("demo", table, "--text-field", "note", "--most", 3, "--replace", "surrogate")
    out = ran.out.decode()
    assert out.count(": before") == 3
    assert "There are more notes" in out
    after = out.split("row-0: after")[1].split("row-1: before")[0]
    assert "Seen by Dr. " in after
    assert "Okafor" not in after


def test_a_note_cannot_steer_the_terminal(incognote: Command, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_bytes(b"\x1b]0;owned\x07 \x1b[2J Dr. Okafor\r\n")
    ran = incognote("demo", note)
    assert ran.status == 0
    assert b"\x1b" not in ran.out
    assert b"\x07" not in ran.out


def test_what_is_not_there_is_one_line(incognote: Command, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    for path in (tmp_path / "absent.txt", empty):
        ran = incognote("demo", path)
        assert ran.status == 2
        assert ran.err.count("\n") == 1
