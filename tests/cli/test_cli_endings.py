"""Outputs that end like another format, and runs of which nothing comes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import Command

RULES = ("--detector", "rules", "--workers", 1)


def test_an_ending_of_another_format_is_refused(incognote: Command, tmp_path: Path) -> None:
    table = tmp_path / "t.jsonl"
    table.write_text('{"text": "Seen by Dr. Okafor"}\n')
    for name in ("y.csv", "y.parquet", "y.csv.gz", "y.txt"):
        ran = incognote("deid", table, "-o", tmp_path / name, *RULES)
        assert ran.status == 2
        assert "but the notes are jsonl and stay so: end it in .jsonl" in ran.err
        assert [path.name for path in tmp_path.iterdir()] == ["t.jsonl"]
    assert incognote("deid", table, "-o", tmp_path / "y.ndjson", *RULES).status == 0
    assert incognote("deid", table, "-o", tmp_path / "plain", *RULES).status == 0


@pytest.mark.parametrize(
    ("name", "content"),
    [("t.csv", "id,note\n1,Seen by Dr. Okafor\n"), ("t.jsonl", '{"note": "Dr. Okafor"}\n')],
)
def test_a_wrong_text_field_leaves_nothing_behind(
    name: str, content: str, incognote: Command, tmp_path: Path
) -> None:
    table, out = tmp_path / name, tmp_path / f"out-{name}"
    table.write_text(content)
    ran = incognote("deid", table, "-o", out, "--text-field", "nope", *RULES)
    assert ran.status == 1
    assert "nope" in ran.err
    assert "audit" not in ran.err
    assert list(tmp_path.iterdir()) == [table]
    asked = tmp_path / "audit.json"
    incognote("deid", table, "-o", out, "--text-field", "nope", "--audit", asked, *RULES)
    assert json.loads(asked.read_text())["notes"]["failed"] == 1
    ran = incognote("deid", table, "-o", out, "--text-field", "note", *RULES)
    assert ran.status == 0


def test_a_name_that_is_not_utf8(incognote: Command, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "caf\udce9.txt").write_bytes(b"Seen by Dr. Okafor")
    (notes / "bad\udce9.txt").write_bytes(b"Dr. Okafor\0")
    ran = incognote("corpus", "convert", notes, "-o", tmp_path / "o.jsonl", "--to", "jsonl")
    assert ran.status in (1, 2)
    (notes / "bad\udce9.txt").unlink()
    ran = incognote("corpus", "convert", notes, "-o", tmp_path / "o.jsonl", "--to", "jsonl")
    assert ran.status == 0
    assert json.loads((tmp_path / "o.jsonl").read_text())["id"] == "caf\\xe9"
