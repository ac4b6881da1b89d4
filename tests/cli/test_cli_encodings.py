"""Notes in other encodings through the commands: found, replaced, written back, or refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import Command

NOTE = "Seen by Dr. Okafor on 3/4/2019.\n"
CLEAN = "Seen by Dr. [DOCTOR] on [DATE].\n"
RULES = ("--detector", "rules", "--workers", 1)


@pytest.mark.parametrize("name", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-16", "utf-8-sig"])
def test_a_wide_note_is_clean_in_its_own_encoding(
    name: str, incognote: Command, tmp_path: Path
) -> None:
    note, clean = tmp_path / "note.txt", tmp_path / "clean.txt"
    note.write_bytes(NOTE.encode(name))
    assert incognote("deid", note, "-o", clean, *RULES).status == 0
    assert clean.read_bytes() == CLEAN.encode(name)


def test_a_table_of_an_old_program(incognote: Command, tmp_path: Path) -> None:
    rows = "id;text\r\n1;El paciente José Peña, varón de 45 años. Dr. Okafor\r\n"
    table, clean = tmp_path / "notes.csv", tmp_path / "clean.csv"
    table.write_bytes(rows.encode("cp1252"))
    assert incognote("deid", table, "-o", clean, *RULES).status == 0
    assert clean.read_bytes().startswith(b"id;text\r\n1;El paciente ")
    assert "varón de ".encode("cp1252") in clean.read_bytes()
    assert b"Okafor" not in clean.read_bytes()


def test_standard_input_too(incognote: Command) -> None:
    ran = incognote("deid", *RULES, stdin=NOTE.encode("utf-16-le"))
    assert ran.status == 0
    assert ran.out == CLEAN.encode("utf-16-le")


def test_a_doubtful_note_is_refused_until_its_encoding_is_said(
    incognote: Command, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.txt").write_bytes("Mrs Peña was seen today. Dr. Okafor".encode("mac-roman"))
    (notes / "b.txt").write_bytes("Mr. Peña. Dr. Okafor".encode())
    ran = incognote("deid", notes, "-o", tmp_path / "clean", *RULES)
    assert ran.status == 1
    assert "input 1: its encoding is in doubt: it may be" in ran.err
    assert "say --encoding" in ran.err
    assert len(list((tmp_path / "clean").glob("note*"))) == 1
    said = ("--encoding", "utf-8,mac-roman")
    assert incognote("deid", notes, "-o", tmp_path / "both", *RULES, *said).status == 0
    written = b"".join(path.read_bytes() for path in sorted((tmp_path / "both").glob("note*")))
    assert b"Okafor" not in written
    assert b"\x96" not in written


def test_find_and_the_corpus_commands_read_the_encoding_that_is_said(
    incognote: Command, tmp_path: Path
) -> None:
    note = tmp_path / "note.txt"
    note.write_bytes("Péña [[DOCTOR|Okafor]]".encode("mac-roman"))
    said = ("--encoding", "mac-roman")
    ran = incognote("find", note, *RULES, *said)
    assert ran.status == 0
    target = tmp_path / "out.jsonl"
    assert incognote("corpus", "convert", note, "-o", target, "--to", "jsonl", *said).status == 0
    assert json.loads(target.read_text("utf-8"))["text"] == "Péña Okafor"
    for command in ("stats", "validate"):
        assert incognote("corpus", command, note, *said).status == 0
    assert incognote("demo", note, *said).status == 0
    assert (
        incognote("score", note, target, "--encoding", "utf-8,mac-roman", "--resamples", 0).status
        == 0
    )


def test_an_encoding_that_is_none_is_one_line(incognote: Command, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"a")
    ran = incognote("deid", tmp_path / "a.txt", "-o", tmp_path / "b.txt", "--encoding", "klingon")
    assert ran.status == 2
    assert ran.err.startswith("incognote: 'klingon' is not an encoding")
    assert not (tmp_path / "b.txt").exists()
