"""Searches against all there is to find."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from tiny_transformers import tiny_transformer

from incognote.workshop.sequence_to_sequence.search import (
    Hypothesis,
    Penalty,
    beam_search,
    greedy,
    log_probabilities,
    paper_penalty,
    power_penalty,
)
from incognote.workshop.sequence_to_sequence.transformer import TransformerScorer

VOCABULARY, END, START = 4, 1, 0
SOURCES = ((2, 3, 1), (3, 1), (2, 2, 2, 3, 1))


def scorer(seed: int = 0) -> TransformerScorer:
    return TransformerScorer(tiny_transformer(seed, vocabulary_size=VOCABULARY, spread=0.4))


def every_target(
    scorer: TransformerScorer, source: Sequence[int], longest: int, penalty: Penalty
) -> list[Hypothesis]:
    """All targets that end, or are cut at the limit, the best first."""
    found: list[Hypothesis] = []

    def extend(tokens: tuple[int, ...], total: float, last: int, memory: Any) -> None:
        logits, memory = scorer.step(np.array([last]), memory)
        for token, likely in enumerate(log_probabilities(logits)[0].tolist()):
            longer, score = (*tokens, token), total + likely
            if token == END or len(longer) == longest:
                found.append(Hypothesis(longer, score / penalty(len(longer))))
            else:
                extend(longer, score, token, memory)

    extend((), 0.0, START, scorer.begin([source]))
    return sorted(found, key=lambda each: -each.score)


@pytest.mark.parametrize("penalty", [paper_penalty(), power_penalty(0.0), power_penalty(2.0)])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_wide_beams_find_the_best_of_all_targets(seed: int, penalty: Penalty) -> None:
    every = [every_target(scorer(seed), source, 4, penalty) for source in SOURCES]
    found = beam_search(
        scorer(seed),
        SOURCES,
        start_id=START,
        end_id=END,
        longest=[4] * 3,
        beams=VOCABULARY**4,
        penalty=penalty,
    )
    for ours, all_there_are in zip(found, every, strict=True):
        assert [each.tokens for each in ours] == [each.tokens for each in all_there_are]
        assert np.allclose([e.score for e in ours], [e.score for e in all_there_are], atol=1e-5)


def test_sources_do_not_know_each_other() -> None:
    together = beam_search(
        scorer(), SOURCES, start_id=START, end_id=END, longest=[6, 3, 9], beams=3
    )
    for source, longest, ours in zip(SOURCES, (6, 3, 9), together, strict=True):
        alone = beam_search(
            scorer(), [source], start_id=START, end_id=END, longest=[longest], beams=3
        )
        assert [each.tokens for each in alone[0]] == [each.tokens for each in ours]
        assert len(ours[0].tokens) <= longest


def test_greedy_takes_the_likeliest_each_time() -> None:
    model = scorer(3)
    for found, source in zip(
        greedy(model, SOURCES, start_id=START, end_id=END, longest=[8, 2, 5]), SOURCES, strict=True
    ):
        memory, last, total = model.begin([source]), START, 0.0
        for token in found.tokens:
            logits, memory = model.step(np.array([last]), memory)
            likely = log_probabilities(logits)[0]
            assert token == likely.argmax()
            last, total = token, total + float(likely.max())
        assert math.isclose(total, found.score, abs_tol=1e-4)


def test_what_never_comes_never_comes() -> None:
    for never in ([2], [3, 0]):
        (found,) = beam_search(
            scorer(1), [SOURCES[0]], start_id=START, end_id=END, longest=[6], never=never
        )
        assert not {token for each in found for token in each.tokens} & set(never)


def score_of(scorer: TransformerScorer, source: Sequence[int], tokens: Sequence[int]) -> float:
    """The sum of a target's log-probabilities."""
    memory, last, total = scorer.begin([source]), START, 0.0
    for token in tokens:
        logits, memory = scorer.step(np.array([last]), memory)
        last, total = token, total + float(log_probabilities(logits)[0, token])
    return total


class Alternating:
    """After a 2 only 3 or the end, after a 3 only 2."""

    def begin(self) -> int:
        return 3

    def allowed(self, state: int) -> npt.NDArray[np.int64]:
        return np.array([3, END] if state == 2 else [2])

    def advance(self, state: int, token: int) -> int:
        return token


@pytest.mark.parametrize("seed", range(4))
def test_constraints_hold_and_the_best_of_what_is_allowed_is_found(seed: int) -> None:
    constraints = [Alternating() for _ in SOURCES]
    limits = [7] * 3
    allowed = {(2, 3) * n + (2, END) for n in range(3)}
    likely = greedy(
        scorer(seed), SOURCES, start_id=START, end_id=END, longest=limits, constraints=constraints
    )
    for each in likely:
        assert all(b == 2 for a, b in itertools.pairwise((3, *each.tokens)) if a == 3)
    found = beam_search(
        scorer(seed),
        SOURCES,
        start_id=START,
        end_id=END,
        longest=limits,
        beams=64,
        penalty=power_penalty(0.0),
        constraints=constraints,
    )
    for source, ours in zip(SOURCES, found, strict=True):
        best = sorted(allowed, key=lambda tokens: -score_of(scorer(seed), source, tokens))
        assert [each.tokens for each in ours if each.tokens[-1] == END] == best


def test_penalties() -> None:
    assert paper_penalty(0.6)(7) == pytest.approx(2**0.6)
    assert power_penalty(0.5)(9) == 3
    assert power_penalty(0.0)(100) == 1
