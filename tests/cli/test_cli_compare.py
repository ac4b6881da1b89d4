"""`incognote compare` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import Command
from toy_corpus import toy
from workshop.compare.comparing import BERT, DEFAULTS, TWO_RATES, compared, here, write_grid

from incognote.corpus.source import Source
from incognote.formats import write
from incognote.workshop.compare.data import read_data
from incognote.workshop.compare.results import load_comparison

__all__ = ["here"]
GRID = (DEFAULTS + TWO_RATES, BERT)


@pytest.fixture(autouse=True)
def _allocator(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command would start this process anew."""
    monkeypatch.setenv("INCOGNOTE_ALLOCATOR", "system")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "notes.jsonl"
    write(toy(14), path, "jsonl")
    return path


@pytest.fixture
def alone(tmp_path: Path, corpus: Path, here: None) -> dict[str, str]:
    """What one worker found, without processes."""
    data = read_data([Source(corpus)])
    made = compared(tmp_path / "alone" / "out", *GRID, data=data)
    return {cell.id: cell.predictions("test").read_text() for cell in made.cells}


def test_two_workers_find_what_one_finds(
    incognote: Command,
    tmp_path: Path,
    corpus: Path,
    alone: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.undo()
    monkeypatch.setenv("INCOGNOTE_ALLOCATOR", "system")
    out = tmp_path / "report"
    given = ("--grid", write_grid(tmp_path, *GRID), "--labels", "own", "--workers", 2, "--random")
    ran = incognote("compare", corpus, "-o", out, *given, "--threads", 1)
    assert ran.status == 0, ran.err
    made = load_comparison(out)
    assert {cell.id: cell.predictions("test").read_text() for cell in made.cells} == alone
    assert made.command[:3] == ["incognote", "compare", str(corpus)]
    assert "2 cells: 0 done, 0 failed, 2 to run now" in ran.err
    assert "the best of bert so far" in ran.err
    assert ran.out.decode().splitlines()[1].startswith("bert")
    for name in ("report.html", "report.md", "best/bert/model.safetensors"):
        assert (out / name).is_file(), name
    machine = json.loads((made.cells[0].folder / "machine.json").read_text())
    assert machine["threads"] == 1


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--grid", "none.toml"), "--grid none.toml: neither a file nor 'study' nor"),
        (("--grid", "study"), "names sizes, not weights: give the folder of its checkpoint"),
        (("--grid", "study", "--budget", "soon"), "--budget soon: write hours"),
        (("--grid", "study", "--split", "80:20"), "a comparison needs three parts"),
        (("--grid", "study", "--leave-one-source-out"), "needs several corpora"),
        (("--grid", "study", "--test", "."), "a corpus for validation and one for test"),
    ],
)
def test_a_mistake_is_one_line(
    incognote: Command, tmp_path: Path, corpus: Path, more: tuple[str, ...], says: str
) -> None:
    ran = incognote("compare", corpus, "-o", tmp_path / "out", *more)
    assert ran.status == 2
    assert len(ran.err.splitlines()) == 1
    assert says in ran.err
    assert not (tmp_path / "out").exists()


def test_one_note_is_too_few(incognote: Command, tmp_path: Path) -> None:
    write(toy(1), tmp_path / "notes.jsonl", "jsonl")
    given = ("compare", tmp_path / "notes.jsonl", "-o", tmp_path / "out", "--grid", "study")
    ran = incognote(*given)
    assert ran.status == 2
    assert "no note is left for validation: there are too few" in ran.err
