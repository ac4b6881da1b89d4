"""Places where the path is certain: found all at once, and never another path for it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from incognote.align.certain import Certainty
from incognote.align.decode import Scores, Transitions, viterbi
from incognote.align.tags import Labels
from incognote.align.units import Integers

LABELS = Labels(("O", "B-A", "I-A", "B-C", "B-D", "I-D"))
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


@given(st.integers(0, 10**6), st.integers(1, 30), st.sampled_from([2.0, 6.0, 12.0]))
def test_what_is_certain_is_so(seed: int, length: int, steepness: float) -> None:
    scores, told = drawn(seed, length, steepness)
    certainty = Certainty.of(told, 0)
    assert certainty is not None
    assert (step_by_step(scores, told)[certainty.places(scores)] == 0).all()


def test_most_of_a_clear_note_is_certain() -> None:
    scores, told = drawn(1, 500, 20.0)
    certainty = Certainty.of(told, 0)
    assert certainty is not None
    assert certainty.places(scores).mean() > 0.6


def test_a_label_that_needs_another_before_it_is_never_certain() -> None:
    _, told = drawn(1, 1, 0.0)
    assert Certainty.of(told, 2) is None
