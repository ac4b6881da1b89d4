"""Offsets decided elsewhere, as a user gives them: `--shift-file`, `--shift-field`, live lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import Command

NOTE = "Admitted on 2019-03-14, discharged on 2019-03-20."


@pytest.fixture
def secret(tmp_path: Path) -> tuple[object, ...]:
    path = tmp_path / "key"
    path.write_bytes(b"k" * 32)
    path.chmod(0o600)
    return ("--key-file", path, "--detector", "rules", "--replace", "surrogate")


def line(**values: object) -> bytes:
    return json.dumps(values).encode() + b"\n"


def test_a_file_of_offsets_and_two_passes(
    incognote: Command, tmp_path: Path, secret: tuple[object, ...]
) -> None:
    for patient in ("p1", "p2", "Okafor"):
        (tmp_path / "notes" / patient).mkdir(parents=True)
        (tmp_path / "notes" / patient / "a.txt").write_text(NOTE)
    offsets = tmp_path / "offsets.csv"
    offsets.write_text("mrn,offset\np1,100\np2,-100\n")
    said = ("--patient-folder", "--shift-file", offsets, "--scan-first")
    ran = incognote("deid", tmp_path / "notes", "-o", tmp_path / "out", *secret, *said)
    assert ran.status == 1
    assert "its patient is not in the file of --shift-file" in ran.err
    assert "Okafor" not in ran.err
    assert sorted(path.read_text() for path in (tmp_path / "out").rglob("*.txt")) == [
        "Admitted on 2018-12-04, discharged on 2018-12-10.",
        "Admitted on 2019-06-22, discharged on 2019-06-28.",
    ]


def test_lines_as_they_come_and_one_that_contradicts(
    incognote: Command, secret: tuple[object, ...]
) -> None:
    lines = b"".join(line(id=n, p="Okafor", days=days, text=NOTE) for n, days in enumerate((5, 6)))
    said = ("--format", "jsonl", "--patient-field", "p", "--shift-field", "days", "--drop", "days")
    ran = incognote("deid", *said, *secret, stdin=lines)
    assert ran.status == 1
    assert "standard input, line 2: its patient has other days" in ran.err
    assert "Okafor" not in ran.err
    (row,) = map(json.loads, ran.out.splitlines())
    assert row["text"] == "Admitted on 2019-03-19, discharged on 2019-03-25."


def test_a_dry_run_finds_what_is_amiss(
    incognote: Command, tmp_path: Path, secret: tuple[object, ...]
) -> None:
    table = tmp_path / "in.jsonl"
    table.write_bytes(line(p="m", days=5, text=NOTE) + line(p="m", days=0, text=NOTE))
    said = ("--patient-field", "p", "--shift-field", "days", "--drop", "days", "--dry-run")
    ran = incognote("deid", table, *said, *secret)
    assert ran.status == 1
    assert "line 2: the field of --shift-field has a shift of 0 days" in ran.err


@pytest.mark.parametrize("option", [("--shift-days", "30"), ("--keep-season",)])
def test_two_ways_to_shift_are_refused(
    incognote: Command, tmp_path: Path, secret: tuple[object, ...], option: tuple[str, ...]
) -> None:
    note = tmp_path / "a.txt"
    note.write_text(NOTE)
    ran = incognote("deid", note, *secret, "--shift-file", tmp_path / "offsets.csv", *option)
    assert ran.status == 2
    assert ran.err.count("\n") == 1
    assert option[0] in ran.err
