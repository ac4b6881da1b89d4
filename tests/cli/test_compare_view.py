"""What is shown while a comparison runs."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from incognote.base.messages import duration
from incognote.cli.compare_view import CompareView
from incognote.workshop.compare.cell import CellProgress
from incognote.workshop.compare.estimate import Budget, fit
from incognote.workshop.compare.grid import GridEncoder
from incognote.workshop.compare.plan import Cell
from incognote.workshop.compare.results import CellResult, Comparison
from incognote.workshop.finetune.options import Options


def cell(id: str) -> Cell:
    start = GridEncoder(name="bert", start="bert")
    return Cell(id=id, encoder=start, options=Options(), fold=None, folder=Path(id))


def result(id: str, **told: Any) -> CellResult:
    known: dict[str, Any] = {"encoder": "bert", "options": {}, "varied": {}, "fold": None}
    return CellResult(id=id, folder=Path(id), **{**known, "state": "done", **told})


def planned(view: CompareView, cells: list[Cell], budget: str | None = None) -> None:
    comparison = Comparison(
        folder=Path(),
        command=[],
        version="",
        labels=[],
        label_set="own",
        grid="",
        assumptions=[],
        seed=0,
        threads=1,
        parts={},
        encoders=[],
        cells=[result(each.id, state="unfinished") for each in cells],
    )
    seconds: dict[str, float | None] = {each.id: 600.0 for each in cells}
    view.planned(comparison, fit(cells, seconds, Budget.parse(budget), 1))


def shown(view: CompareView) -> str:
    console = Console(file=io.StringIO(), width=120)
    console.print(view)
    return str(console.file.getvalue())  # type: ignore[attr-defined]


def test_a_run_is_told_and_shown() -> None:
    lines = io.StringIO()
    view = CompareView(Console(file=lines, width=120))
    one, two, three = cell("bert-1"), cell("bert-2"), cell("bert-3")
    planned(view, [one, two, three], "2")
    assert "3 cells: 0 done, 0 failed, 2 to run now, 1 left for later" in lines.getvalue()
    assert "later: bert-3, about 10 min" in lines.getvalue()
    assert "20 min left" in shown(view)
    view.began(one)
    assert "starting" in shown(view)
    view.moved(one, CellProgress(1, 4, 1, 8, 2.0, None))
    view.moved(one, CellProgress(2, 4, 4, 8, 1.0, 0.5))
    assert "bert-1: epoch 1 of 4, F1 50.00, loss 1.0000" in lines.getvalue()
    live = shown(view)
    assert "2 of 4" in live
    assert "0 done, 1 running, 1 waiting, 0 failed; 15 min left" in live
    view.ended(one, result("bert-1", training={"validation": {"f1": 0.75}}))
    view.began(two)
    view.ended(two, result("bert-2", state="failed", reason="the loss became NaN"))
    assert "validation strict F1 75.00; the best of bert so far" in lines.getvalue()
    assert "bert-2: failed: the loss became NaN" in lines.getvalue()
    assert "1 done, 0 running, 0 waiting, 1 failed; 0 s left" in shown(view)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(40, "40 s"), (89.6, "90 s"), (600, "10 min"), (5340, "89 min"), (7500, "2 h 05 min")],
)
def test_times_read_well(seconds: float, words: str) -> None:
    assert duration(seconds) == words
