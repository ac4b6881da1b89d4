"""What fits into a budget."""

from __future__ import annotations

from pathlib import Path

import pytest

from incognote.base.errors import RunError
from incognote.workshop.compare.estimate import Budget, fit
from incognote.workshop.compare.grid import GridEncoder
from incognote.workshop.compare.plan import Cell, in_turn
from incognote.workshop.finetune.options import Options

HOUR = 3600.0


def cell(encoder: str, number: int, fold: str | None = None) -> Cell:
    id = f"{encoder}{number}{fold or ''}"
    start = GridEncoder(name=encoder, start=encoder)
    return Cell(id=id, encoder=start, options=Options(), fold=fold, folder=Path(id))


def ids(cells: object) -> str:
    return " ".join(each.id for each in cells)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("spelled", "seconds", "cells"),
    [("2h", 7200, None), ("90m", 5400, None), ("1.5h", 5400, None), ("6", None, 6)],
)
def test_hours_or_cells(spelled: str, seconds: float | None, cells: int | None) -> None:
    assert Budget.parse(spelled) == Budget(seconds, cells)


@pytest.mark.parametrize("spelled", ["", "h", "-2h", "0", "two", "2d", "1.5", "nan", "infh"])
def test_a_budget_that_is_none(spelled: str) -> None:
    with pytest.raises(RunError, match="write hours such as 2h"):
        Budget.parse(spelled)


def test_every_encoder_has_its_turn() -> None:
    cells = [cell("a", n) for n in range(3)] + [cell("b", n) for n in range(2)]
    assert ids(in_turn(cells)) == "a0 b0 a1 b1 a2"


def test_folds_follow_their_encoders() -> None:
    cells = [cell(e, n, fold) for fold in (None, "X") for e in "ab" for n in range(2)]
    assert ids(in_turn(cells)) == "a0 b0 a0X b0X a1 b1 a1X b1X"


def test_cells_are_taken_in_turn_while_they_end_in_time() -> None:
    cells = [cell("a", 0), cell("b", 0), cell("a", 1), cell("b", 1)]
    seconds: dict[str, float | None] = {"a0": 1800, "b0": 5400, "a1": 1800, "b1": 5400}
    one = fit(cells, seconds, Budget.parse("2h"), 1)
    assert (ids(one.fits), ids(one.later), one.total) == ("a0 b0", "a1 b1", 2 * HOUR)
    two = fit(cells, seconds, Budget.parse("2h"), 2)
    assert (ids(two.fits), ids(two.later), two.total) == ("a0 b0 a1", "b1", 1.5 * HOUR)
    small = fit(cells, seconds, Budget.parse("1h"), 1)
    assert (ids(small.fits), small.total) == ("a0 a1", HOUR)
    assert ids(fit(cells, seconds, Budget.parse("3"), 2).fits) == "a0 b0 a1"
    assert fit(cells, seconds, Budget(), 1).total == 4 * HOUR


def test_what_could_not_be_measured_fits_no_hours() -> None:
    cells = [cell("a", 0), cell("b", 0)]
    seconds: dict[str, float | None] = {"a0": None, "b0": 60}
    assert ids(fit(cells, seconds, Budget.parse("1h"), 1).fits) == "b0"
    assert ids(fit(cells, seconds, Budget.parse("1"), 1).fits) == "a0"
