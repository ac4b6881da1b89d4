"""`incognote find`: places without text, in the unit that was asked for."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from commands import Command

from incognote.base.lock import output_lock

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
    ran = incognote("score", "--without-identifiers", gold, tmp_path / "found.jsonl")
    assert ran.status == 2
    assert "utf8" in ran.err


def test_a_name_that_is_not_utf8_is_escaped_and_read_back(
    incognote: Command, tmp_path: Path
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text(NOTE)
    odd = os.fsdecode(os.fsencode(tmp_path / "notes") + b"/M\xfcller.txt")
    Path(odd).write_text(NOTE)
    output = tmp_path / "spans.jsonl"
    by_rules = ("--detector", "rules")
    assert incognote("find", tmp_path / "notes", "-o", output, *by_rules).status == 0
    told = output.read_bytes()
    assert sorted(row["id"] for row in rows(told)) == ["M\\xfcller", "a"]
    assert incognote("find", tmp_path / "notes", *by_rules).out == told


def test_ids_may_be_names_so_only_the_owner_may_read_them(
    incognote: Command, tmp_path: Path
) -> None:
    (tmp_path / "SMITH.txt").write_text(NOTE)
    output = tmp_path / "spans.jsonl"
    assert incognote("find", tmp_path / "SMITH.txt", "-o", output).status == 0
    assert output.stat().st_mode & 0o077 == 0


def test_one_run_at_a_time_writes_an_output(incognote: Command, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(NOTE)
    output = tmp_path / "spans.jsonl"
    with output_lock(output, "find", folder=False):
        ran = incognote("find", tmp_path / "a.txt", "-o", output, "--overwrite")
    assert ran.status == 2
    assert "another run is writing here (find, process" in ran.err
    assert not output.exists()


def test_notes_are_marked_for_hand_and_scored_after_it(incognote: Command, tmp_path: Path) -> None:
    """README's afternoon: find marks, a person corrects, score tells what was changed."""
    notes, marked, corrected = (tmp_path / name for name in ("notes", "marked", "corrected"))
    notes.mkdir()
    (notes / "1.txt").write_text(NOTE)
    (notes / "2.txt").write_text("Zyx sees Dr. Okafor.")
    ran = incognote("find", notes, "--as", "inline", "-o", marked, "--detector", "rules")
    assert ran.status == 0
    assert ran.out == b""
    assert "2 notes with 2 marks to correct (PHI: keep them apart)" in ran.err
    corrected.mkdir()
    for path in marked.iterdir():
        text = path.read_text().replace("Zyx", "[[PATIENT|Zyx]]")
        (corrected / path.name).write_text(text)
    scores = json.loads(incognote("score", corrected, marked, "--json").out)
    release = scores["systems"][0]["release"]
    assert release["covered_recall"]["value"] == 2 / 3


def test_marked_notes_need_an_output_and_no_places(incognote: Command, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text(NOTE)
    ran = incognote("find", tmp_path / "note.txt", "--as", "brat")
    assert ran.status == 2
    assert ran.err == "incognote: --as needs -o: what it writes is PHI, and not for the screen\n"
    arguments = ("find", tmp_path / "note.txt", "--as", "brat", "-o", tmp_path / "out")
    for more in (("--offsets", "utf8"), ("--sample-review", "3")):
        ran = incognote(*arguments, *more)
        assert ran.status == 2
        assert "leave out --sample-review and --offsets" in ran.err
