"""Places where the path is certain: found all at once, and never another path for it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.align.decode import Transitions, decoded, marginals, viterbi
from incognote.align.paths import Certainty
from incognote.align.tags import Labels
from incognote.align.tokens import Integers, Scores

LABELS = Labels(("O", "B-A", "I-A", "B-C", "B-D", "I-D", "I-E"))
COUNT = len(LABELS.names)


def drawn(seed: int, length: int, steepness: float) -> tuple[Scores, Transitions]:
    """Mostly O by far, now and then in doubt."""
    draws = np.random.default_rng(seed)
    told = Transitions.valid(LABELS)
    told = Transitions(
        told.between + draws.normal(size=(COUNT, COUNT)),
        told.start + draws.normal(size=COUNT),
        told.end + draws.normal(size=COUNT),
    )
    scores = draws.normal(size=(length, COUNT)) * 2
    scores[:, 0] += np.where(draws.random(length) < 0.7, steepness, 0)
    return scores.astype(np.float32), told


def step_by_step(scores: Scores, told: Transitions) -> Integers:
    """The textbook's way."""
    best = [told.start + scores[0]]
    for row in scores[1:]:
        best.append((best[-1][:, None] + told.between).max(axis=0) + row)
    tags = [int((best[-1] + told.end).argmax())]
    for values in best[-2::-1]:
        tags.append(int((values + told.between[:, tags[-1]]).argmax()))
    return np.array(tags[::-1], np.int64)


@given(st.integers(0, 10**6), st.integers(1, 60), st.sampled_from([0.0, 4.0, 9.0, 20.0]))
def test_the_path_is_the_same(seed: int, length: int, steepness: float) -> None:
    scores, told = drawn(seed, length, steepness)
    assert viterbi(scores, told).tolist() == step_by_step(scores, told).tolist()


def test_the_path_is_the_same_through_more_stretches_than_go_side_by_side() -> None:
    scores, told = drawn(3, 2_000, 9.0)
    assert viterbi(scores, told).tolist() == step_by_step(scores, told).tolist()


@given(st.integers(0, 10**6), st.integers(1, 30), st.sampled_from([2.0, 6.0, 12.0]))
def test_what_is_certain_is_so(seed: int, length: int, steepness: float) -> None:
    scores, told = drawn(seed, length, steepness)
    certainty = Certainty.of(told, 0)
    assert certainty is not None
    assert (step_by_step(scores, told)[certainty.sure(scores, 0.0)] == 0).all()


def test_most_of_a_clear_note_is_certain() -> None:
    scores, told = drawn(1, 500, 20.0)
    certainty = Certainty.of(told, 0)
    assert certainty is not None
    assert certainty.sure(scores, 0.0).mean() > 0.6


def test_a_label_that_needs_another_before_it_is_never_certain() -> None:
    _, told = drawn(1, 1, 0.0)
    assert Certainty.of(told, 2) is None


def over_all_paths(scores: Scores, told: Transitions) -> Scores:
    """The textbook's way, in logarithms."""
    before = [told.start + scores[0]]
    for row in scores[1:]:
        before.append(np.logaddexp.reduce(before[-1][:, None] + told.between, axis=0) + row)
    after = [told.end]
    for row in scores[:0:-1]:
        after.append(np.logaddexp.reduce(told.between + row + after[-1], axis=1))
    paths = np.array(before) + np.array(after[::-1])
    shares: Scores = np.exp(paths - np.logaddexp.reduce(paths, axis=1)[:, None])
    return shares


@given(st.integers(0, 10**6), st.integers(1, 60), st.sampled_from([0.0, 9.0, 20.0, 40.0]))
def test_probabilities_are_those_of_all_paths(seed: int, length: int, steepness: float) -> None:
    scores, told = drawn(seed, length, steepness)
    assert np.abs(marginals(scores, told) - over_all_paths(scores, told)).max() < 1e-5


def test_many_stretches_go_in_several_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    scores, told = drawn(3, 400, 40.0)
    together = marginals(scores, told)
    monkeypatch.setattr("incognote.align.paths.AT_ONCE", 12)
    assert np.allclose(marginals(scores, told), together, atol=1e-12)


@given(st.integers(0, 10**6), st.integers(0, 40), st.sampled_from([0.0, 20.0]))
def test_both_at_once_are_the_same(seed: int, length: int, steepness: float) -> None:
    scores, told = drawn(seed, length, steepness)
    tags, shares = decoded(scores, told)
    assert tags.tolist() == viterbi(scores, told).tolist()
    assert np.array_equal(shares, marginals(scores, told))


def test_both_at_once_are_the_same_in_a_long_note() -> None:
    scores, told = drawn(5, 2_000, 9.0)
    tags, shares = decoded(scores, told)
    assert tags.tolist() == step_by_step(scores, told).tolist()
    assert np.abs(shares - over_all_paths(scores, told)).max() < 1e-5
