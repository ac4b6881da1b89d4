"""Bounds on what leaks: against exact sums, against simulations, and what they refuse."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incognote.evaluate.guarantee import (
    DEFAULT,
    GRID,
    Bound,
    Losses,
    Point,
    certified,
    curve_of,
    hoeffding_bentkus,
    notes_needed,
    p_value,
    risk_bound,
    simulate,
)

TESTS: tuple[Literal["betting", "hoeffding-bentkus"], ...] = ("betting", "hoeffding-bentkus")
BOUNDS: tuple[Bound, ...] = (*TESTS, "conformal")
LOSSES = st.lists(st.sampled_from((0.0, 0.0, 0.0, 0.05, 0.1, 0.5, 1.0)), min_size=1, max_size=60)


def binomial(most: int, count: int, share: Fraction) -> Fraction:
    """P(Binomial(count, share) <= most), without any rounding."""
    return sum(
        (math.comb(count, hits) * share**hits * (1 - share) ** (count - hits))
        for hits in range(most + 1)
    )  # type: ignore[return-value]


@pytest.mark.parametrize("leaks", [0, 1, 3, 7])
@pytest.mark.parametrize("count", [20, 299, 700])
def test_hoeffding_bentkus_is_the_better_of_its_two_sums(leaks: int, count: int) -> None:
    risk = Fraction(1, 50)
    mean = leaks / count
    if mean >= risk:
        assert hoeffding_bentkus(mean, count, float(risk)) == 1.0
        return
    bentkus = math.e * float(binomial(leaks, count, risk))
    hoeffding = (float(risk) / mean) ** leaks if leaks else 1.0
    hoeffding *= ((1 - float(risk)) / (1 - mean)) ** (count - leaks)
    expected = min(1.0, bentkus, hoeffding)
    assert hoeffding_bentkus(mean, count, float(risk)) == pytest.approx(expected, rel=1e-9)
    # No test of whole losses may be surer than the exact one.
    assert hoeffding_bentkus(mean, count, float(risk)) >= float(binomial(leaks, count, risk)) * (
        1 - 1e-9
    )


@settings(max_examples=50)
@given(LOSSES, st.sampled_from(TESTS))
def test_p_values_fall_as_the_risk_grows(losses: list[float], bound: Bound) -> None:
    risks = (0.005, 0.01, 0.05, 0.2, 0.6, 0.95)
    values = [p_value(np.array(losses), risk, bound, 0.95) for risk in risks]
    assert all(later <= earlier + 1e-12 for earlier, later in pairwise(values))
    assert all(0 <= value <= 1 for value in values)


@settings(max_examples=50)
@given(LOSSES, st.integers(0, 59))
def test_more_leaks_are_never_surer(losses: list[float], place: int) -> None:
    more = list(losses)
    more[place % len(more)] = 1.0
    for bound in ("hoeffding-bentkus", "conformal"):
        before = risk_bound(np.array(losses), bound, 0.95)
        assert before <= risk_bound(np.array(more), bound, 0.95) + 1e-12


@settings(max_examples=50)
@given(LOSSES, st.sampled_from(TESTS))
def test_a_bound_is_where_the_test_turns(losses: list[float], bound: Bound) -> None:
    values = np.array(losses)
    found = risk_bound(values, bound, 0.9)
    assert values.mean() <= found <= 1
    if found < 0.99:
        assert p_value(values, min(found * 1.001, 0.999), bound, 0.9) <= 0.1 + 1e-9
    if found * 0.999 > values.mean():
        assert p_value(values, found * 0.999, bound, 0.9) > 0.1


def test_how_many_clean_notes_a_promise_takes() -> None:
    """(1 - r)^n <= 1 - confidence is what theory asks of any test; betting takes a few more."""
    none = np.zeros(0)
    for risk, confidence in ((0.01, 0.95), (0.05, 0.95), (0.01, 0.9), (0.002, 0.99)):
        exact = math.ceil(math.log(1 - confidence) / math.log(1 - risk))
        assert notes_needed(none, risk, "hoeffding-bentkus", confidence) == exact
        betting = notes_needed(none, risk, "betting", confidence)
        assert betting is not None
        assert exact <= betting <= 1.08 * exact + 2
        assert notes_needed(none, risk, "conformal", confidence) == round(1 / risk) - 1
    assert notes_needed(none, 0.01, "hoeffding-bentkus", 0.95) == 299


def test_how_many_notes_like_these_it_takes() -> None:
    losses = np.array([0.0] * 95 + [0.1] * 5)  # 0.5 % leak
    for bound in BOUNDS:
        needed = notes_needed(losses, 0.01, bound, 0.95)
        assert needed is not None
        assert risk_bound(np.resize(losses, needed), bound, 0.95) <= 0.01 + 1e-9
        assert risk_bound(np.resize(losses, needed // 2), bound, 0.95) > 0.01
        assert notes_needed(losses, 0.005, bound, 0.95) is None
    assert notes_needed(losses, 0.0050001, "hoeffding-bentkus", 0.95) is None


def test_betting_is_tighter_where_notes_leak_one_of_many() -> None:
    draws = np.random.default_rng(1)
    losses = np.where(draws.random(1000) < 0.1, 0.05, 0.0)
    betting = risk_bound(losses, "betting", 0.95)
    assert betting < 0.75 * risk_bound(losses, "hoeffding-bentkus", 0.95)
    assert notes_needed(losses, 0.01, "betting", 0.95) < 0.5 * notes_needed(  # type: ignore[operator]
        losses, 0.01, "hoeffding-bentkus", 0.95
    )


def test_what_is_no_risk_is_refused() -> None:
    for risk in (0.0, 1.0, -1.0):
        with pytest.raises(ValueError, match="between 0 and 1"):
            p_value(np.zeros(3), risk, "betting", 0.95)
    with pytest.raises(ValueError, match="no p-value"):
        p_value(np.zeros(3), 0.1, "conformal", 0.95)
    assert p_value(np.zeros(0), 0.1, "betting", 0.95) == 1.0
    assert [risk_bound(np.zeros(0), bound, 0.95) for bound in BOUNDS] == [1.0] * 3


def test_the_sequence_ends_at_its_first_failure() -> None:
    curve = [Point(t, 0.0, bound) for t, bound in ((0.1, 0.004), (0.2, 0.02), (0.3, 0.005))]
    assert certified(curve, 0.01) == curve[0]
    assert certified(curve, 0.02) == curve[2]
    assert certified(curve, 0.003) is None
    assert list(GRID) == sorted(GRID)
    assert GRID[-1] == DEFAULT


@cache
def pool(whole: bool) -> Losses:
    """Losses [thresholds, notes] of many notes: some leak by default, fewer at lower thresholds."""
    draws = np.random.default_rng(7)
    counts = np.ones(6000, int) if whole else draws.integers(1, 30, 6000)
    scores = draws.beta(12.0, 0.1, (6000, 30))
    bad = draws.random(6000) < 0.3
    scores[bad] = draws.beta(2.0, 0.25, (int(bad.sum()), 30))
    there = np.arange(30) < counts[:, None]
    leaks = [((scores < min(threshold, 0.97)) & there).sum(axis=1) for threshold in GRID]
    losses: Losses = np.array(leaks) / counts
    return losses


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("bound", TESTS)
def test_the_promise_is_kept_in_95_of_100_draws(bound: Bound, whole: bool) -> None:
    """500 draws of 600 notes from a pool whose risk is known at every threshold."""
    losses = pool(whole)
    assert losses[0].mean() < 0.02 < losses[-1].mean()
    found = simulate(losses, 0.02, bound, 0.95, size=600)
    assert found.draws == 500
    assert found.valid >= 475
    assert found.refusals <= 50
    assert found.mean_risk < 0.02


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("bound", TESTS)
def test_the_worst_case_is_wrong_in_5_of_100_draws_at_most(bound: Bound, whole: bool) -> None:
    """The risk promised is just below that of a threshold, so that its test errs as often as it can.

    Betting errs in 4.7 % of draws for whole losses, nearly all it may; 500 draws could not tell
    that from more than 5 %. Of 4,000 draws, three standard deviations are 1.04 %.
    """
    losses = pool(whole)
    true = losses.mean(axis=1)
    tempting = int(np.searchsorted(true, 0.02))
    risk = float(true[tempting]) * 0.9999
    found = simulate(losses[[tempting]], risk, bound, 0.95, size=600, draws=4000)
    assert found.valid == found.refusals  # the one threshold there is must be refused
    assert 1 - found.valid / 4000 <= 0.05 + 0.0104


def test_a_simulation_tells_a_promise_that_is_broken() -> None:
    """With notes that say nothing of the pool, as no honest bound would choose."""
    losses = np.array([np.zeros(50), [1.0, *np.zeros(49)]])
    found = simulate(losses, 0.01, "hoeffding-bentkus", 0.5, size=69, draws=200)
    share = 0.98**69  # draws without the one note that leaks
    assert found.valid / 200 == pytest.approx(1 - share, abs=0.08)
    assert found.refusals == 0
    assert found.mean_risk == pytest.approx(0.02 * share, abs=0.002)


def test_conformal_risk_control_keeps_the_mean() -> None:
    losses = pool(False)
    draws = np.random.default_rng(3)
    risks = []
    for _ in range(500):
        notes = draws.integers(0, 6000, 200)
        drawn = [(t, each[notes]) for t, each in zip(GRID, losses, strict=True)]
        point = certified(curve_of(drawn, "conformal", 0.95), 0.02)
        assert point is not None
        risks.append(losses[GRID.index(point.threshold)].mean())
    assert np.mean(risks) <= 0.02
    assert np.max(risks) > 0.02  # in expectation only
