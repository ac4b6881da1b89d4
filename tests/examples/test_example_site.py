"""The example hospital: its page runs as it is written, and its site file does what the page says."""

from __future__ import annotations

import csv
import io
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
from places import ROOT

from incognote.cli import main
from incognote.detect.finder import choose
from incognote.detect.site import read_site
from incognote.document import Document
from incognote.evaluate import Report, Resampling, score
from incognote.formats.inline import parse
from incognote.knowledge.check_digits import has_luhn

EXAMPLE = ROOT / "examples" / "site"
_CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
Run = Callable[[str], str]


def steps(page: str) -> list[tuple[str, list[str]]]:
    """The commands of a page, each with the lines of output that are shown."""
    found: list[tuple[str, list[str]]] = []
    for block in _CONSOLE.findall(page):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line)
    return found


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    copy = tmp_path / "merrowick"
    shutil.copytree(EXAMPLE, copy)
    monkeypatch.chdir(copy)
    return copy


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Run a command as the page has it; all that it prints."""
    monkeypatch.setenv("COLUMNS", "200")

    def run(command: str) -> str:
        words = shlex.split(command)
        if words[0] != "incognote":
            done = subprocess.run(["sh", "-c", command], check=True, capture_output=True)
            return done.stdout.decode()
        monkeypatch.setattr(sys, "argv", words)
        monkeypatch.setattr(sys, "stdin", io.StringIO())
        with pytest.raises(SystemExit) as exit:
            main()
        out, err = capsysbinary.readouterr()
        assert not exit.value.code, err.decode()
        return (out + err).decode()

    return run


def in_words(line: str) -> str:
    return " ".join(line.split())


def page(folder: Path, *sections: int) -> str:
    parts = re.split(r"^## (?=\d)", (folder / "README.md").read_text(encoding="utf-8"), flags=re.M)
    return "".join(part for part in parts if part[0].isdigit() and int(part[0]) in sections)


def follow(page: str, run: Run) -> None:
    """Do what a page says; each line that it shows must be printed, whatever the blanks."""
    for command, shown in steps(page):
        printed = {in_words(line) for line in run(command).splitlines()}
        assert not [line for line in shown if in_words(line) not in printed], command


def test_the_page_from_looking_to_measuring(folder: Path, run: Run) -> None:
    part = page(folder, 1, 2, 3, 4, 5)
    assert len(steps(part)) == 10
    follow(part, run)
    private = [*folder.glob("proposed*"), folder / "before.jsonl"]
    assert len(private) == 8
    assert {path.stat().st_mode & 0o777 for path in private} == {0o600}


@pytest.mark.skipif(
    find_spec("incognote.cli.configuration") is None,
    reason="needs configuration files and policies",
)
def test_the_page_on_releasing(folder: Path, run: Run) -> None:
    follow(page(folder, 6), run)
    notes = "".join(path.read_text() for path in (folder / "release").rglob("*.txt"))
    assert "Safe" not in notes
    for word in (
        "Larkspur",
        "Otterbank",
        "Okonjo",
        "MW33182049",
        "HTH-0417",
        "Tallow Hill",
        "05998",
    ):
        assert word not in notes
    assert "[STUDYID]" in notes
    assert "MF-220" in notes
    tables = [
        list(csv.DictReader((folder / f"research-{name}.csv").open(encoding="utf-8")))
        for name in ("notes", "patients")
    ]
    records = [{row["mrn"] for row in table} for table in tables]
    assert records[0] < records[1]
    assert not any(record.startswith("MW3318") for record in records[1])
    assert "street" not in tables[1][0]


def test_the_notes_are_the_marked_ones_without_marks() -> None:
    gold = {
        path.name: parse(path.read_text(encoding="utf-8"))[0]
        for path in (EXAMPLE / "gold").iterdir()
    }
    assert gold == {
        path.name: path.read_text(encoding="utf-8") for path in (EXAMPLE / "notes").iterdir()
    }
    assert len(gold) == 15


def gold_notes() -> list[Document]:
    return [
        Document(path.stem, *parse(path.read_text(encoding="utf-8")))
        for path in sorted((EXAMPLE / "gold").iterdir())
    ]


def measured(site_file: Path | None) -> Report:
    gold = gold_notes()
    site = None if site_file is None else read_site(site_file)
    detector = choose("rules").detector(site=site)
    predicted = [
        note.with_spans(detector.detect(Document(note.id, note.text)).spans) for note in gold
    ]
    return score(gold, predicted, blocks=["release"], resampling=Resampling(resamples=0))


def release(report: Report) -> dict[str, tuple[float, float]]:
    figures = report.as_dict()["release"]
    names = ("covered_recall", "over_redaction")
    return {name: (figures[name]["part"], figures[name]["whole"]) for name in names}


def test_the_site_file_finds_more_and_less_in_vain() -> None:
    assert release(measured(None)) == {
        "covered_recall": (218, 395),
        "over_redaction": (110, 11_594),
    }
    after = measured(EXAMPLE / "site.toml")
    assert release(after) == {"covered_recall": (344, 395), "over_redaction": (36, 11_594)}
    by_type = after.as_dict()["release"]["covered_recall_by_type"]
    for type in ("HOSPITAL", "STREET", "CITY", "MEDICALRECORD", "STUDYID"):
        assert by_type[type]["value"] == 1


def test_never_entries_alone_lower_over_redaction(folder: Path) -> None:
    site = folder / "site.toml"
    lists, never = site.read_text(encoding="utf-8").split("# What is nobody's")
    site.write_text(lists, encoding="utf-8")
    without = release(measured(site))
    site.write_text(never, encoding="utf-8")
    alone = release(measured(site))
    assert without == {"covered_recall": (344, 395), "over_redaction": (117, 11_594)}
    assert alone == {"covered_recall": (218, 395), "over_redaction": (29, 11_594)}


def test_the_tables_fit_the_notes() -> None:
    with (EXAMPLE / "staff.csv").open(encoding="utf-8") as file:
        staff = list(csv.DictReader(file))
    assert (
        len({person["name"] for person in staff})
        == len({person["badge"] for person in staff})
        == 60
    )
    with (EXAMPLE / "patients.csv").open(encoding="utf-8") as file:
        patients = list(csv.DictReader(file))
    assert all(has_luhn(patient["mrn"]) for patient in patients)
    records = {
        span.text.upper().replace(" ", "")
        for note in gold_notes()
        for span in note.spans
        if span.type == "MEDICALRECORD"
    }
    assert records <= {patient["mrn"] for patient in patients}
