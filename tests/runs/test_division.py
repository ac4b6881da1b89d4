"""How a run is divided by itself: into as many processes as pay, measured where that pays too."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tiny_checkpoints import unsure_model

from incognote.detect.finder import Choice
from incognote.runs import division
from incognote.runs.division import Division, Way, best_way, choose_division, equal_division, ways
from incognote.runs.inputs import Input, list_inputs
from incognote.runs.settings import Settings
from incognote.runs.settings_record import describe

RULES = Choice("rules", None)
NOWHERE = Choice("both", Path("nowhere"))
LARGE = 2 * division.WORTH_MEASURING


def inputs_of(folder: Path, *sizes: int) -> list[Input]:
    for number, size in enumerate(sizes):
        with (folder / f"{number}.txt").open("wb") as file:
            file.truncate(size)
    return list_inputs([str(folder)])


@pytest.fixture
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(division, "cores", lambda: 2)


def never(choice: Choice, ways: Sequence[Way]) -> dict[Way, float]:
    raise AssertionError("measured")


def test_as_many_as_have_enough_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(division, "cores", lambda: 4)
    small, large = inputs_of(tmp_path, 120_000, 250_000)
    assert choose_division([small], NOWHERE) == Division(1, 4)
    assert choose_division([large], NOWHERE) == Division(2, 2)
    assert choose_division([small, large] * 5, NOWHERE) == Division(4, 1)
    assert choose_division([large], RULES) == Division(1, 1)
    assert choose_division([], NOWHERE) == Division(1, 4)


def test_a_number_that_was_given_stays(tmp_path: Path) -> None:
    inputs = inputs_of(tmp_path, 1)
    assert Settings(workers=3).settled(inputs).workers == 3
    assert Settings(workers=0).settled(inputs).workers == 1


@pytest.mark.parametrize(
    ("each", "every_other", "together", "chosen"),
    [
        (7.6, 4.0, 3.6, (8, 1)),  # cores that wait for nobody
        (4.2, 4.0, 3.6, (8, 1)),  # each is seen twice: Python's part still gains
        (3.2, 4.0, 3.6, (4, 1)),  # they are in each other's way
        (3.2, 1.9, 3.4, (8, 1)),  # threads are better, but by less than Python loses
        (1.5, 1.4, 6.0, (1, 8)),  # processes wait for one memory
    ],
)
def test_the_fastest_way_is_taken_with_pythons_part(
    each: float, every_other: float, together: float, chosen: Way
) -> None:
    assert best_way(dict(zip(ways(8), (each, every_other, together), strict=True))) == chosen


def test_of_ways_that_are_as_fast_most_processes() -> None:
    assert best_way({(2, 1): 1.0, (1, 1): 1.0, (1, 2): 1.0}) == (2, 1)


@pytest.mark.usefixtures("two_cores")
def test_small_runs_rules_and_a_given_number_measure_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(division, "measure_rates", never)
    (large,) = inputs_of(tmp_path, LARGE)
    (tmp_path / "small").mkdir()
    small = inputs_of(tmp_path / "small", LARGE - 1)
    assert choose_division(small, NOWHERE) == Division(2, 1)
    assert choose_division([large], RULES) == equal_division(1, model=False)
    assert Settings(workers=2).settled([large]).division.rates == {}
    with pytest.raises(AssertionError, match="measured"):
        choose_division([large], NOWHERE)
    monkeypatch.setattr(division, "cores", lambda: 1)
    assert choose_division([large], NOWHERE) == Division(1, 1)


@pytest.mark.usefixtures("two_cores")
def test_what_was_measured_decides_and_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {(2, 1): 10.04, (1, 1): 9.0, (1, 2): 30.0}
    monkeypatch.setattr(division, "measure_rates", lambda choice, ways: found)
    (tmp_path / "notes").mkdir()
    asked = Settings(model=unsure_model(tmp_path / "model"), workers=0)
    settled = asked.settled(inputs_of(tmp_path / "notes", LARGE))
    assert (settled.workers, settled.division.threads) == (1, 2)
    assert settled.division.to_json() == {
        "workers": 1,
        "threads": 2,
        "windows_per_second": {"2x1": 10.0, "1x1": 9.0, "1x2": 30.0},
    }
    assert describe(settled) == describe(asked)
    assert Settings(workers=2).division.to_json()["windows_per_second"] is None


@pytest.mark.usefixtures("two_cores")
def test_a_model_is_measured_and_one_that_cannot_be_is_not_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(division, "SECONDS", 0.0)
    monkeypatch.setattr(division, "TURN_SECONDS", 0.001)
    choice = Choice("both", unsure_model(tmp_path / "model"))
    found = division.measure_rates(choice, ways(2))
    assert list(found) == [(2, 1), (1, 1), (1, 2)]
    assert all(rate > 0 for rate in found.values())
    assert division.measure_rates(NOWHERE, ways(2)) == {}
    monkeypatch.setattr(division, "_rate", lambda run, way: float("nan"))
    assert division.measure_rates(choice, ways(2)) == {}
    (tmp_path / "notes").mkdir()
    assert choose_division(inputs_of(tmp_path / "notes", LARGE), NOWHERE) == Division(2, 1)
