"""`incognote deid --replace surrogate`: patients, keys, options, two passes."""

from __future__ import annotations

import json
import re
import sqlite3
from datetime import date
from pathlib import Path

import pytest
from commands import Command

from incognote.runs import scan as scanning

NOTE = "Seen by Dr. Ama Brandt on {day}/2019. MRN: 4471902. Call 419-471-8026.\n"


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "key"
    path.write_bytes(b"0123456789abcdef0123456789abcdef\n")
    path.chmod(0o600)
    return path


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    for name, day in (("one/1042-01", "3/14"), ("one/1042-02", "3/28"), ("two/1043-01", "3/14")):
        path = folder / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(NOTE.format(day=day))
    return folder


def outputs(folder: Path) -> list[str]:
    return [path.read_text() for path in sorted(folder.rglob("*.txt"))]


def days_apart(one: str, other: str) -> int:
    from datetime import date

    days = []
    for text in (one, other):
        match = re.search(r"(\d+)/(\d+)/(\d{4})", text)
        assert match is not None
        days.append(date(int(match[3]), int(match[1]), int(match[2])))
    return (days[1] - days[0]).days


@pytest.mark.parametrize(
    "told", [["--patient-folder"], ["--patient-pattern", r"(\d+)-\d+\.txt"]], ids=" ".join
)
def test_a_patients_notes_keep_together(
    incognote: Command, notes: Path, key: Path, tmp_path: Path, told: list[str]
) -> None:
    clean = tmp_path / "clean"
    ran = incognote("deid", notes, "-o", clean, "--replace", "surrogate", "--key-file", key, *told)
    assert ran.status == 0, ran.err
    first, second, other = outputs(clean)
    assert "Brandt" not in first + second + other
    assert days_apart(first, second) == 14
    doctor = re.search(r"Dr\. (.+) on", first)
    assert doctor is not None
    assert doctor[1] in second
    assert doctor[1] not in other
    audit = json.loads((tmp_path / "clean.audit.json").read_text())
    assert audit["notes"]["with_patient_told"] == 3
    assert audit["settings"]["surrogates"]["date_order"] == "mdy"
    assert "key" not in audit["settings"]["surrogates"]


@pytest.mark.parametrize(
    ("options", "missing"),
    [
        (["--patient-folder"], 0),
        (["--patient-folder", "--patient-level", "2"], 3),
        (["--patient-pattern", "stay-(a)"], 3),
        (["--patient-pattern", "1042"], 1),
    ],
)
def test_notes_whose_patient_is_not_told_are_counted(
    incognote: Command, key: Path, notes: Path, tmp_path: Path, options: list[str], missing: int
) -> None:
    ran = incognote(
        "deid", notes, "-o", tmp_path / "clean", "--replace", "surrogate", "--key-file", key,
        "--detector", "rules", "--quiet", *options,
    )  # fmt: skip
    assert ran.status == 0
    sentence = (
        f"notes whose patient the option does not tell: {missing} of 3; each is its own patient"
    )
    assert (sentence in ran.err) == bool(missing)


def test_a_table_tells_the_patient(incognote: Command, key: Path, tmp_path: Path) -> None:
    table, clean = tmp_path / "notes.jsonl", tmp_path / "clean.jsonl"
    rows = [("a", "1", "3/14"), ("b", "2", "3/14"), ("c", "1", "3/21"), ("d", "", "3/14")]
    table.write_text(
        "".join(
            json.dumps({"id": id, "who": who, "text": NOTE.format(day=day)}) + "\n"
            for id, who, day in rows
        )
    )
    arguments = ("deid", table, "-o", clean, "--patient-field", "who", "--key-file", key)
    assert incognote(*arguments, "--replace", "surrogate").status == 0
    texts = {row["id"]: row["text"] for row in map(json.loads, clean.read_text().splitlines())}
    assert days_apart(texts["a"], texts["c"]) == 7
    reversed_table = tmp_path / "reversed.jsonl"
    reversed_table.write_text("".join(reversed(table.read_text().splitlines(keepends=True))))
    again = tmp_path / "again.jsonl"
    arguments = ("deid", reversed_table, "-o", again, "--patient-field", "who", "--key-file", key)
    assert incognote(*arguments, "--replace", "surrogate", "--workers", "2").status == 0
    assert {
        row["id"]: row["text"] for row in map(json.loads, again.read_text().splitlines())
    } == texts
    audit = json.loads((tmp_path / "clean.jsonl.audit.json").read_text())
    assert audit["notes"]["with_patient_told"] == 3


def test_a_key_is_made_when_asked(incognote: Command, notes: Path, tmp_path: Path) -> None:
    key = tmp_path / "new.key"
    arguments = ("deid", notes, "--replace", "surrogate", "--key-file", key)
    missing = incognote(*arguments, "-o", tmp_path / "a")
    assert missing.status == 2
    assert "--make-key makes one" in missing.err
    assert incognote(*arguments, "-o", tmp_path / "a", "--make-key").status == 0
    assert key.stat().st_mode & 0o777 == 0o600
    made = key.read_bytes()
    assert incognote(*arguments, "-o", tmp_path / "b", "--make-key").status == 0
    assert key.read_bytes() == made
    assert outputs(tmp_path / "a") == outputs(tmp_path / "b")


def test_a_scan_leaves_nothing_behind(
    incognote: Command, notes: Path, key: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No fake of the first run may be given in the second, whose corpus has them as real names."""
    seen: list[bytes] = []
    opened = scanning.open_scan

    def spy(path: Path, secret: bytes) -> object:
        seen.append(path.read_bytes())
        return opened(path, secret)

    monkeypatch.setattr(scanning, "open_scan", spy)
    arguments = ("deid", notes, "--replace", "surrogate", "--key-file", key, "--patient-folder")
    assert incognote(*arguments, "-o", tmp_path / "a").status == 0
    fakes = outputs(tmp_path / "a")
    (notes / "three").mkdir()
    (notes / "three" / "note.txt").write_text(fakes[0])
    assert incognote(*arguments, "-o", tmp_path / "b", "--scan-first").status == 0
    again = outputs(tmp_path / "b")
    doctor = re.search(r"Dr\. (\S+) (\S+) on", fakes[0])
    number = re.search(r"MRN: (\d+)", fakes[0])
    assert doctor is not None
    assert number is not None
    assert not any(word in text for word in (*doctor.groups(), number[1]) for text in again)
    assert not list((tmp_path / "b").rglob("*.sqlite"))
    assert not (tmp_path / "b" / ".incognote-run").exists()
    assert seen
    assert all(b"Brandt" not in index and b"brandt" not in index for index in seen)


def test_a_scan_that_cannot_be_written_stops_the_run(
    incognote: Command, notes: Path, key: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(scanning, "_add", full)
    ran = incognote(
        "deid", notes, "-o", tmp_path / "a", "--replace", "surrogate", "--key-file", key,
        "--scan-first",
    )  # fmt: skip
    assert ran.status == 1
    assert "the index of the first pass failed" in ran.err
    assert outputs(tmp_path / "a") == []


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "'surrogate' needs a key: give one with --key-file"),
        (["--key-file", "KEY", "--shift-days", "soon"], "--shift-days: write the most days"),
        (["--key-file", "KEY", "--shift-days", "9" * 5000], "--shift-days: write the most days"),
        (["--key-file", "KEY", "--shift-days", "2:5"], "holds no shift that fits"),
        (["--key-file", "KEY", "--shift-days", "99999"], "lies within 36000 days"),
        (["--key-file", "KEY", "--patient-pattern", "("], "is not a regular expression"),
        (["--key-file", "KEY", "--patient-pattern", "a", "--patient-folder"], "choose one of"),
        (["--key-file", "KEY", "--patient-field", "a", "--patient-folder"], "choose one of"),
        (["--make-key"], "--make-key needs --key-file"),
    ],
)
def test_what_cannot_work_is_one_line(
    incognote: Command, notes: Path, key: Path, tmp_path: Path, arguments: list[str], says: str
) -> None:
    filled = [str(key) if each == "KEY" else each for each in arguments]
    ran = incognote("deid", notes, "-o", tmp_path / "a", "--replace", "surrogate", *filled)
    assert ran.status == 2
    assert says in ran.err
    assert len(ran.err.strip().splitlines()) == 1


def test_scan_first_is_for_surrogates(incognote: Command, notes: Path, tmp_path: Path) -> None:
    ran = incognote("deid", notes, "-o", tmp_path / "a", "--scan-first")
    assert ran.status == 2
    assert "--scan-first is for surrogates" in ran.err


def test_the_range_and_order_of_dates(incognote: Command, key: Path, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("Seen on 3/4/2019.\n")
    ran = incognote(
        "deid", note, "--replace", "surrogate", "--key-file", key, "--shift-days", "7:7",
        "--date-order", "dmy",
    )  # fmt: skip
    assert ran.out == b"Seen on 10/4/2019.\n"


def test_the_order_of_dates_is_by_note_by_patient_or_forced(
    incognote: Command, tmp_path: Path
) -> None:
    """25/12/2019 says that p1 writes the day first; 04/03/2019 alone does not."""
    notes = tmp_path / "notes" / "p1"
    notes.mkdir(parents=True)
    (notes / "a.txt").write_text("Seen 25/12/2019.")
    (notes / "b.txt").write_text("Seen 04/03/2019.")
    key = tmp_path / "key"
    ways = {
        "note": (),
        "patient": ("--scan-first",),
        "forced": ("--date-order", "dmy", "--force-date-order"),
    }
    texts = {}
    for name, options in ways.items():
        clean = tmp_path / name
        ran = incognote(
            "deid", tmp_path / "notes", "-o", clean, "--replace", "surrogate", "--key-file", key, "--make-key",
            "--patient-folder", "--detector", "rules", *options,
        )  # fmt: skip
        assert ran.status == 0, ran.err
        audit = json.loads((tmp_path / f"{name}.audit.json").read_text())
        assert audit["settings"]["surrogates"]["date_order_by"] == name
        texts[name] = [path.read_text() for path in sorted(clean.rglob("note-*.txt"))]
    assert texts["patient"] == texts["forced"] != texts["note"]
    day, month, year = map(int, re.findall(r"\d+", texts["patient"][1]))
    first_day, first_month, first_year = map(int, re.findall(r"\d+", texts["patient"][0]))
    moved = date(first_year, first_month, first_day) - date(2019, 12, 25)
    assert date(year, month, day) - date(2019, 3, 4) == moved
    wrong_month, wrong_day, wrong_year = map(int, re.findall(r"\d+", texts["note"][1]))
    assert date(wrong_year, wrong_month, wrong_day) - date(2019, 4, 3) == moved
