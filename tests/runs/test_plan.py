"""A dry run reads everything and leaves no trace."""

from __future__ import annotations

import json
from pathlib import Path

from incognote.runs.inputs import list_inputs
from incognote.runs.patients import Patients
from incognote.runs.plan import rehearse
from incognote.runs.settings import Settings


def test_everything_is_read_and_counted_and_failures_are_listed(tmp_path: Path) -> None:
    (tmp_path / "p1").mkdir()
    (tmp_path / "p1" / "a.txt").write_text("Well.")
    (tmp_path / "b.jsonl").write_text(json.dumps({"text": "One."}) + "\n{broken\n")
    (tmp_path / "c.xml").write_text("<not closed")
    before = sorted(tmp_path.rglob("*"))
    inputs = list_inputs([str(tmp_path)])
    seen = rehearse(inputs, Settings(patients=Patients(folder=True), find_by="rules", workers=1))
    assert dict(seen.files) == {"jsonl": 1, "i2b2": 1, "text": 1}
    assert dict(seen.notes) == {"jsonl": 1, "text": 1}
    assert (seen.characters, seen.patients, seen.without_patient) == (9, {"p1"}, 1)
    assert [failure.input for failure in seen.failures] == [1, 2]
    assert seen.failures[0].place.startswith("line 2")
    assert sorted(tmp_path.rglob("*")) == before
