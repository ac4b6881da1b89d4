"""From scores to tags that are always valid: one copy for training, the runtime and export.

Scores are logits or log-probabilities [units, labels]. A transition that BIO forbids (an I that
continues nothing of its type) scores minus infinity, so no path takes it, with a CRF or without.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from incognote.align.certain import Certainty
from incognote.align.tags import Labels
from incognote.align.units import AlignError, Flags, Integers

Scores = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True, eq=False)
class Transitions:
    """What a path scores for going from label to label, and for its first and last label.

    between: [from, to]; start, end: [labels].
    """

    between: Scores
    start: Scores
    end: Scores

    @classmethod
    def valid(cls, labels: Labels) -> Transitions:
        """Nothing for what BIO allows: decoding without a CRF."""
        return cls(
            np.where(allowed(labels), 0.0, -np.inf),
            np.where(may_start(labels), 0.0, -np.inf),
            np.zeros(len(labels.names)),
        )

    @cached_property
    def free(self) -> bool:
        """Whether they only allow and forbid, so that a valid greedy path is the best one."""
        return all(
            bool(np.isin(part, (0.0, -np.inf)).all())
            for part in (self.between, self.start, self.end)
        )

    def certainty(self, label: int) -> Certainty | None:
        """What tells where a path surely passes by the label."""
        if label not in self._certainties:
            self._certainties[label] = Certainty.of(self, label)
        return self._certainties[label]

    @cached_property
    def _certainties(self) -> dict[int, Certainty | None]:
        return {}


def allowed(labels: Labels) -> Flags:
    """Which labels may follow which, [from, to]: an I needs a B or I of its type before it."""
    continues = (labels.type_of >= 0) & ~labels.begins
    same = labels.type_of[:, None] == labels.type_of[None, :]
    flags: Flags = ~continues[None, :] | same
    return flags


def may_start(labels: Labels) -> Flags:
    """Which labels a note may begin with: all but I."""
    flags: Flags = (labels.type_of < 0) | labels.begins
    return flags


def viterbi(scores: Scores, transitions: Transitions) -> Integers:
    """The best path: one tag for each unit; on a tie the label that comes first."""
    _check(scores, transitions)
    if not len(scores):
        return np.zeros(0, np.int64)
    tags: Integers = scores.argmax(axis=1).astype(np.int64)
    if transitions.free and _is_valid(tags, transitions):
        return tags
    usual = int(np.bincount(tags).argmax())
    certainty = transitions.certainty(usual)
    sure = np.zeros(len(scores), bool) if certainty is None else certainty.places(scores)
    tags[sure] = usual
    arriving = np.ascontiguousarray(transitions.between.T)  # [to, from]
    edges = np.flatnonzero(np.diff(sure, prepend=True, append=True))
    for first, last in edges.reshape(-1, 2).tolist():
        start = transitions.between[usual] if first else transitions.start
        end = transitions.between[:, usual] if last < len(scores) else transitions.end
        tags[first:last] = _walked(scores[first:last], start, arriving, end)
    return tags


def _walked(scores: Scores, start: Scores, arriving: Scores, end: Scores) -> Integers:
    """The best path, step by step; arriving: [to, from]."""
    count = len(scores)
    best = start + scores[0]
    came_from = np.zeros((count, scores.shape[1]), np.int64)
    every = np.arange(scores.shape[1])
    for place in range(1, count):
        paths = arriving + best
        came_from[place] = paths.argmax(axis=1)
        best = paths[every, came_from[place]] + scores[place]
    tags = np.empty(count, np.int64)
    tags[-1] = (best + end).argmax()
    for place in range(count - 1, 0, -1):
        tags[place - 1] = came_from[place, tags[place]]
    return tags


def marginals(scores: Scores, transitions: Transitions) -> Scores:
    """The probability of each label at each unit over all paths, [units, labels].

    Forward and backward weights are scaled at each step, so that they stay within range.
    """
    _check(scores, transitions)
    count = len(scores)
    scores = scores.astype(np.float64)
    if not count:
        return scores
    weights = np.maximum(np.exp(scores - scores.max(axis=1, keepdims=True)), _TINY)
    peak = transitions.between.max()
    leaving = np.exp(transitions.between - peak)  # [from, to]
    arriving = np.ascontiguousarray(leaving.T)
    forward, backward = np.empty_like(scores), np.empty_like(scores)
    forward[0] = _scaled(np.exp(transitions.start - transitions.start.max()) * weights[0])
    for place in range(1, count):
        forward[place] = _scaled((arriving @ forward[place - 1]) * weights[place])
    backward[-1] = np.exp(transitions.end - transitions.end.max())
    for place in range(count - 2, -1, -1):
        backward[place] = _scaled(leaving @ (backward[place + 1] * weights[place + 1]))
    paths = forward * backward
    shares: Scores = paths / paths.sum(axis=1, keepdims=True)
    return shares


_TINY = 1e-200
"""No label is impossible by its score alone, so that every unit has a label that may stand there."""


def _scaled(weights: Scores) -> Scores:
    scaled: Scores = weights / weights.sum()
    return scaled


def shares_of(scores: Scores, transitions: Transitions) -> Scores:
    """How likely each label is at each unit: a CRF's marginals, or the softmax without one."""
    return probabilities(scores) if transitions.free else marginals(scores, transitions)


def probabilities(scores: Scores) -> Scores:
    """The softmax of each unit's scores."""
    shifted = np.exp(scores - scores.max(axis=-1, keepdims=True, initial=-np.inf))
    shares: Scores = shifted / shifted.sum(axis=-1, keepdims=True)
    return shares


def _check(scores: Scores, transitions: Transitions) -> None:
    if scores.ndim != 2 or scores.shape[1] != len(transitions.start):
        raise AlignError(f"scores need one column for each of the {len(transitions.start)} labels")


def _is_valid(tags: Integers, transitions: Transitions) -> bool:
    steps = transitions.between[tags[:-1], tags[1:]]
    edges = (transitions.start[tags[0]], transitions.end[tags[-1]])
    return bool(np.isfinite(steps).all() and np.isfinite(edges).all())
