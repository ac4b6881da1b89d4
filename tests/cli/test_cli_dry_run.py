"""`deid`'s help begins with what most people need; a dry run and patterns do what they say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import Command

COMMON = (
    "--output", "--replace", "--policy", "--number", "--key-file", "--make-key", "--text-field", "--known", "--speed",
    "--workers", "--dry-run", "--resume", "--overwrite", "--help",
)  # fmt: skip


def test_help_shows_the_common_options_first(incognote: Command) -> None:
    page = incognote("deid", "--help").out.decode()
    first = page.split("─ Options ─")[1].split("╭─")[0]
    shown = [line.split()[1] for line in first.splitlines() if line.startswith("│ --")]
    assert tuple(shown) == COMMON
    assert "*.txt" in page


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    for patient in ("p1", "p2"):
        for year in ("2019", "2020"):
            folder = tmp_path / "notes" / patient / year
            folder.mkdir(parents=True)
            (folder / "a.txt").write_text("Seen by Dr. Okafor.")
    return tmp_path / "notes"


def test_a_dry_run_says_what_would_be_done_and_writes_nothing(
    incognote: Command, notes: Path, tmp_path: Path
) -> None:
    (notes / "bad.xml").write_text("<not closed Okafor")
    key = tmp_path / "key"
    key.write_bytes(b"k" * 32)
    key.chmod(0o600)
    before = sorted(tmp_path.rglob("*"))
    ran = incognote(
        "deid", notes, "-o", tmp_path / "clean", "--dry-run", "--patient-folder", "--replace", "surrogate",
        "--key-file", key,
    )  # fmt: skip
    assert ran.status == 1
    assert "text: 4 notes in 4 files" in ran.err
    assert "a dry run: 4 notes of 4 patients with 76 characters would be de-identified" in ran.err
    assert "--patient-level 1 makes 2" in ran.err
    assert "Okafor" not in ran.err
    assert sorted(tmp_path.rglob("*")) == before


def test_one_level_of_folders_names_the_patient(
    incognote: Command, notes: Path, tmp_path: Path
) -> None:
    ran = incognote(
        "deid", notes, "-o", tmp_path / "clean", "--patient-folder", "--patient-level", 1,
        "--detector", "rules",
    )  # fmt: skip
    assert ran.status == 0
    assert "4 notes of 2 patients de-identified" in ran.err
    audit = json.loads((tmp_path / "clean.audit.json").read_text())
    assert audit["patients"] == 2
    assert audit["settings"]["patient_level"] == 1


def test_surrogates_without_a_patient_come_with_a_warning(
    incognote: Command, notes: Path, tmp_path: Path
) -> None:
    key = tmp_path / "key"
    surrogates = ("--replace", "surrogate", "--key-file", key, "--make-key", "--detector", "rules")
    ran = incognote("deid", notes, "-o", tmp_path / "clean", *surrogates)
    assert "each note is its own patient" in " ".join(ran.err.split())
    ran = incognote(
        "deid", notes / "p1" / "2019" / "a.txt", "-o", tmp_path / "one.txt", *surrogates
    )
    assert "its own patient" not in ran.err


def test_patterns_choose_files(incognote: Command, notes: Path, tmp_path: Path) -> None:
    ran = incognote(
        "deid", notes, "-o", tmp_path / "clean", "--include", "*.txt", "--exclude", "2019",
        "--detector", "rules",
    )  # fmt: skip
    assert ran.status == 0
    assert "2 notes de-identified" in ran.err
    none = incognote("deid", notes, "-o", tmp_path / "none", "--include", "*.xml")
    assert none.status == 2
    assert "no files here that --include and --exclude leave" in none.err


def test_a_dry_run_is_refused_where_the_run_would_be(
    incognote: Command, notes: Path, tmp_path: Path
) -> None:
    out = tmp_path / "clean"
    arguments = ("deid", str(notes), "-o", str(out), "--detector", "rules")
    assert incognote(*arguments).status == 0
    again = incognote(*arguments, "--dry-run")
    assert (again.status, again.err) == (2, incognote(*arguments).err)
    assert incognote(*arguments, "--dry-run", "--overwrite").status == 0
