"""Whose notes are whose: by folders at any level, counted, and doubtful cases said."""

from __future__ import annotations

from pathlib import Path, PurePath

import pytest

from incognote.base.errors import RunError
from incognote.runs.inputs import list_inputs
from incognote.runs.patients import Patients, folder_of, levels_of
from incognote.runs.plan import cautions, plan
from incognote.runs.settings import Settings

KEY = b"k" * 32
PATHS = ("p1/2019/a.txt", "p1/2020/b.txt", "p2/2020/c.txt")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    for name in PATHS:
        path = tmp_path / "notes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("Seen by Dr. Okafor on 3/14/2019.")
    return tmp_path / "notes"


def settings(patients: Patients, replace: str = "surrogate") -> Settings:
    return Settings(replace=replace, key=KEY, patients=patients, find_by="rules", workers=1)


@pytest.mark.parametrize(
    ("level", "patients"),
    [
        (None, {"p1/2019", "p1/2020", "p2/2020"}),
        (1, {"p1", "p2"}),
        (2, {"2019", "2020"}),
        (3, {None}),
    ],
)
def test_the_level_chooses_the_folder(level: int | None, patients: set[str | None]) -> None:
    assert {folder_of(PurePath(path), level) for path in PATHS} == patients


def test_levels_are_counted() -> None:
    assert levels_of(map(PurePath, PATHS)) == [2, 2]
    assert levels_of([PurePath("a.txt")]) == []


@pytest.mark.parametrize(("level", "seen"), [(None, 3), (1, 2)])
def test_a_run_says_how_many_patients_it_saw(
    notes: Path, tmp_path: Path, level: int | None, seen: int
) -> None:
    asked = settings(Patients(folder=True, level=level))
    audit = plan([str(notes)], tmp_path / "clean", asked).run()
    assert audit.patients == audit.to_json()["patients"] == seen


def test_one_patient_has_one_shift_over_the_years(notes: Path, tmp_path: Path) -> None:
    plan([str(notes)], tmp_path / "clean", settings(Patients(folder=True, level=1))).run()
    first, second, other = (
        path.read_text() for path in sorted((tmp_path / "clean").rglob("note-*.txt"))
    )
    assert first == second != other


def test_doubtful_patients_are_said(notes: Path) -> None:
    inputs = list_inputs([str(notes)])
    (nobody,) = cautions(inputs, settings(Patients()))
    assert "each note is its own patient" in nobody
    (deep,) = cautions(inputs, settings(Patients(folder=True)))
    assert "3 patients; where one level names the patient, --patient-level 1 makes 2" in deep
    assert list(cautions(inputs, settings(Patients(folder=True, level=1)))) == []
    assert list(cautions(inputs, settings(Patients(), "tag"))) == []
    assert list(cautions(inputs[:1], settings(Patients()))) == []


def test_a_level_without_folders_is_refused() -> None:
    with pytest.raises(RunError, match="--patient-level is for --patient-folder"):
        Patients(level=1)
