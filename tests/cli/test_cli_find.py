"""`incognote find`: places without text, in the unit that was asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from commands import Command

NOTE = "Mrs 😀 é: seen by Dr. Okafor."


def rows(out: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.decode().splitlines()]


def test_places_and_no_text(incognote: Command, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "note-1.txt").write_text(NOTE)
    (tmp_path / "b.v2.txt").write_text("Nothing.")
    ran = incognote("find", tmp_path)
    assert ran.status == 0
    first, second = rows(ran.out)
    start = NOTE.index("Okafor")
    assert first["id"] == "a/note-1"
    assert second == {"id": "b.v2", "spans": []}
    (span,) = first["spans"]
    assert (span["start"], span["end"], span["type"]) == (start, start + 6, "DOCTOR")
    assert set(span) == {"start", "end", "type", "score", "source"}
    assert b"Okafor" not in ran.out


def test_bytes_and_utf16_units(incognote: Command) -> None:
    for unit, encoding, width in (("utf8", "utf-8", 1), ("utf16", "utf-16-le", 2)):
        (row,) = rows(incognote("find", "--offsets", unit, stdin=NOTE.encode()).out)
        (span,) = row["spans"]
        data = NOTE.encode(encoding)
        assert row["offsets"] == unit
        assert data[span["start"] * width : span["end"] * width].decode(encoding) == "Okafor"


def test_tables_keep_their_ids(incognote: Command, tmp_path: Path) -> None:
    table = tmp_path / "notes.csv"
    table.write_text("key,note,more\nk1,Dr. Okafor,none\n")
    fields = ("--text-field", "note", "--text-field", "more", "--id-field", "key")
    ran = incognote("find", table, *fields, "-o", tmp_path / "spans.jsonl")
    assert ran.status == 0
    ids = [row["id"] for row in rows((tmp_path / "spans.jsonl").read_bytes())]
    assert ids == ["k1/note", "k1/more"]


def test_an_existing_output_is_kept(incognote: Command, tmp_path: Path) -> None:
    output = tmp_path / "spans.jsonl"
    output.write_text("precious")
    (tmp_path / "note.txt").write_text(NOTE)
    assert incognote("find", tmp_path / "note.txt", "-o", output).status == 2
    assert output.read_text() == "precious"


def test_failures_are_told_and_the_rest_is_written(incognote: Command, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xff Okafor")
    (tmp_path / "b.txt").write_text(NOTE)
    ran = incognote("find", tmp_path, "--workers", 2)
    assert ran.status == 1
    assert [row["id"] for row in rows(ran.out)] == ["b"]
    assert "input 1" in ran.err
    assert "Okafor" not in ran.err


def test_predictions_in_other_units_are_not_scored(incognote: Command, tmp_path: Path) -> None:
    gold = tmp_path / "gold.jsonl"
    gold.write_text(json.dumps({"id": "n", "text": NOTE, "spans": []}) + "\n")
    incognote("find", gold, "--offsets", "utf8", "-o", tmp_path / "found.jsonl")
    ran = incognote("score", gold, tmp_path / "found.jsonl")
    assert ran.status == 2
    assert "utf8" in ran.err
