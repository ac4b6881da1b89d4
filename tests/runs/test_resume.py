"""A run that was cut off at any moment ends, when resumed, with the same output and counts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from incognote.base.errors import RunError
from incognote.runs import deid
from incognote.runs.audit import Tally
from incognote.runs.plan import plan
from incognote.runs.settings import Settings


class Cut(BaseException):
    """The power goes out."""


def make_inputs(folder: Path) -> None:
    folder.mkdir()
    for turn in range(7):
        (folder / f"note-{turn}.txt").write_text(
            f"Note {turn}: seen by Dr. Okafor on 3/{turn + 1}/2019."
        )
    rows = [
        {"id": turn, "text": f"Row {turn}, Dr. Obi, call 419-471-802{turn % 10}."}
        for turn in range(40)
    ]
    lines = [json.dumps(row) for row in rows]
    lines.insert(11, "{broken")
    (folder / "table.jsonl").write_text("\n".join(lines) + "\n")
    (folder / "z.csv").write_text("k,text\n" + "".join(f"0{n},Dr. Ngo {n}\n" for n in range(30)))


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".incognote-run" not in path.parts
    }


def counts(audit: Path) -> dict[str, object]:
    report = json.loads(audit.read_text())
    return {name: report[name] for name in ("notes", "characters", "findings", "failures")}


def cut_after(notes: int) -> Callable[[int, int], None]:
    left = notes

    def advance(done: int, size: int) -> None:
        nonlocal left
        left -= done
        if left < 0:
            raise Cut

    return advance


@pytest.mark.parametrize("cut", [0, 3, 6, 9, 25, 46, 60, 75])
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("killed", [False, True], ids=["interrupted", "killed"])
def test_resumed_equals_unbroken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cut: int, killed: bool
) -> None:
    monkeypatch.setattr(deid, "CHECKPOINT_SECONDS", 0.0)
    make_inputs(tmp_path / "notes")
    arguments = [str(tmp_path / "notes")]
    plan(arguments, tmp_path / "whole", Settings()).run()
    broken = plan(arguments, tmp_path / "broken", Settings())
    with monkeypatch.context() as patch:
        if killed:
            patch.setattr(deid.Run, "_suspend", lambda self: None)
        with pytest.raises(Cut):
            broken.run(cut_after(cut))
    plan(arguments, tmp_path / "broken", Settings(), resume=True).run()
    assert contents(tmp_path / "broken") == contents(tmp_path / "whole")
    assert counts(tmp_path / "broken.audit.json") == counts(tmp_path / "whole.audit.json")


@pytest.mark.parametrize("cut", [9, 25, 60])
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("seconds", [0.0, 60.0], ids=["checkpoints", "none yet"])
def test_an_interrupt_between_writing_and_counting_writes_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cut: int, seconds: float
) -> None:
    monkeypatch.setattr(deid, "CHECKPOINT_SECONDS", seconds)
    make_inputs(tmp_path / "notes")
    arguments = [str(tmp_path / "notes")]
    plan(arguments, tmp_path / "whole", Settings()).run()
    count, left = Tally.add_note, iter(range(cut))

    def counted(self: Tally, *given: Any) -> None:
        if next(left, None) is None:
            raise Cut
        count(self, *given)

    with monkeypatch.context() as patch:
        patch.setattr(Tally, "add_note", counted)
        with pytest.raises(Cut):
            plan(arguments, tmp_path / "broken", Settings()).run()
    plan(arguments, tmp_path / "broken", Settings(), resume=True).run()
    assert contents(tmp_path / "broken") == contents(tmp_path / "whole")
    assert counts(tmp_path / "broken.audit.json") == counts(tmp_path / "whole.audit.json")


def test_a_note_that_fails_leaves_no_older_output(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    make_inputs(folder)
    plan([str(folder)], tmp_path / "out", Settings()).run()
    (folder / "note-0.txt").write_bytes(b"\xff")
    plan([str(folder)], tmp_path / "out", Settings(), overwrite=True).run()
    assert "note-000001.txt" not in contents(tmp_path / "out")
    assert "note-000002.txt" in contents(tmp_path / "out")


def test_other_settings_cannot_resume(tmp_path: Path) -> None:
    make_inputs(tmp_path / "notes")
    arguments = [str(tmp_path / "notes")]
    with pytest.raises(Cut):
        plan(arguments, tmp_path / "out", Settings()).run(cut_after(3))
    with pytest.raises(RunError, match="other settings"):
        plan(arguments, tmp_path / "out", Settings(replace="mask"), resume=True).run()


def test_a_changed_input_is_done_again(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    make_inputs(folder)
    with pytest.raises(Cut):
        plan([str(folder)], tmp_path / "out", Settings()).run(cut_after(3))
    (folder / "note-0.txt").write_text("Now seen by Dr. Adichie.")
    plan([str(folder)], tmp_path / "out", Settings(), resume=True).run()
    assert contents(tmp_path / "out")["note-000001.txt"] == b"Now seen by Dr. [DOCTOR]."


def test_the_journal_holds_no_name_and_no_text(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    make_inputs(folder)
    (folder / "OKAFOR.txt").write_text("Dr. Okafor")
    with pytest.raises(Cut):
        plan([str(folder)], tmp_path / "out", Settings()).run(cut_after(7))
    journal = (tmp_path / "out" / ".incognote-run" / "journal.jsonl").read_text()
    assert "kafor" not in journal.lower()
    assert "Row" not in journal
