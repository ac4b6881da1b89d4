"""The sample and what it says: drawn at random, bounds that hold, how many notes are lacking."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta

from incognote.base.errors import RunError
from incognote.document import Document, Span
from incognote.evaluate.guarantee import risk_bound
from incognote.review.sample import Finding, SamplePlan, finding, queue, statistics


@given(st.lists(st.floats(0, 9), min_size=1, max_size=60), st.integers(1, 80), st.floats(0, 1))
def test_the_queue_has_every_note_once_the_sample_first(
    expected: list[float], size: int, double: float
) -> None:
    places = queue(expected, SamplePlan(sample=size, double=double))
    assert sorted(place.index for place in places) == list(range(len(expected)))
    sampled = [place for place in places if place.sampled]
    assert len(sampled) == min(size, len(expected))
    assert places[: len(sampled)] == sampled
    for part in (sampled, places[len(sampled) :]):
        risks = [expected[place.index] for place in part]
        assert risks == sorted(risks, reverse=True)
    assert sum(place.readers == 2 for place in places) == round(double * len(sampled))


def test_the_draw_does_not_look_at_the_risk() -> None:
    counts = np.zeros(20)
    for seed in range(400):
        plan = SamplePlan(sample=5, seed=seed)
        for place in queue(list(range(20)), plan):
            counts[place.index] += place.sampled
    assert counts.min() > 60
    assert counts.max() < 145  # 100 expected, 4.5 standard deviations are 39


def test_sizes() -> None:
    assert SamplePlan().size(1000) == 200
    assert SamplePlan().size(50) == 50
    assert SamplePlan(all=True).size(1000) == 1000
    needed = SamplePlan(risk=0.01).size(100_000)
    assert risk_bound(np.zeros(needed), "betting", 0.95) <= 0.01 + 1e-9
    assert risk_bound(np.zeros(needed - 1), "betting", 0.95) > 0.01
    for wrong in ({"sample": 0}, {"risk": 0.0}, {"double": 1.5}, {"all": True, "sample": 3}):
        with pytest.raises(RunError):
            SamplePlan(**wrong)


def test_what_people_found_of_a_note() -> None:
    text = "Ann Lee, 3/14, Tom, 911"
    detected = Document("", text, (Span.of(text, 0, 3, "PATIENT"), Span.of(text, 20, 23, "ZIP")))
    final = Document(
        "",
        text,
        (
            Span.of(text, 0, 7, "PATIENT"),
            Span.of(text, 9, 13, "DATE"),
            Span.of(text, 15, 18, "PATIENT"),
        ),
    )
    assert finding(detected, final) == Finding(identifiers=3, missed=3, marked=2, removed=1)
    same = finding(final, final)
    assert (same.missed, same.removed, same.loss) == (0, 0, 0.0)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 3)), min_size=1, max_size=40))
def test_figures_and_intervals(rows: list[tuple[int, int]]) -> None:
    found = [Finding(total, min(total, missed), total, 0) for total, missed in rows]
    told = statistics(found, notes=100, sample=40, risk=0.05, confidence=0.9)
    leaking = sum(each.missed > 0 for each in found)
    leaked = told.leaked_notes
    assert leaked.value == leaking / len(found)
    assert leaked.low == pytest.approx(
        beta.ppf(0.05, leaking, len(found) - leaking + 1) if leaking else 0, abs=1e-6
    )
    assert leaked.high == pytest.approx(
        beta.ppf(0.95, leaking + 1, len(found) - leaking) if leaking < len(found) else 1, abs=1e-6
    )
    recall = told.recall
    assert recall.value is not None
    assert recall.low is not None
    assert recall.high is not None
    assert recall.low <= recall.value + 1e-9
    assert recall.value <= recall.high + 1e-9
    lacking = told.notes_lacking
    if lacking is not None:
        losses = [each.loss for each in found]
        enough = risk_bound(np.array(losses + [0.0] * lacking), "betting", 0.9)
        assert enough <= 0.05 + 1e-9
        if lacking:
            less = risk_bound(np.array(losses + [0.0] * (lacking - 1)), "betting", 0.9)
            assert less > 0.05 - 1e-9


def test_a_single_note_does_not_make_one_certain() -> None:
    one = statistics([Finding(35, 1, 35, 0)], notes=9, sample=5, risk=0.01, confidence=0.95)
    assert one.recall.value == pytest.approx(34 / 35)
    assert one.recall.low is not None
    assert one.recall.low < 0.5
    assert one.recall.high == 1.0


def test_nothing_read_says_nothing() -> None:
    told = statistics([], notes=10, sample=5, risk=0.01, confidence=0.95)
    assert (told.recall.value, told.leaked_notes.value, told.risk_at_most) == (None, None, None)
    assert told.notes_lacking
    assert not told.complete
