"""From scores to tags that are always valid: one copy for training, the runtime and export.

Scores are logits or log-probabilities [units, labels]. A transition that BIO forbids (an I that
continues nothing of its type) scores minus infinity, so no path takes it, with a CRF or without.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from incognote.align.certain import FAR, MARGIN, Certainty
from incognote.align.stretches import Scores as Scores
from incognote.align.stretches import Stretches, count, walk
from incognote.align.tags import Labels
from incognote.align.units import AlignError, Flags, Integers


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

    @cached_property
    def weights(self) -> Scores:
        """What a step multiplies a path's weight by, [from, to]."""
        weights: Scores = np.exp(self.between - self.between.max())
        return weights

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


def decoded(scores: Scores, transitions: Transitions) -> tuple[Integers, Scores]:
    """The best path, and how likely each label is at each unit: `viterbi` and `shares_of`."""
    _check(scores, transitions)
    gains = None if transitions.free else _gains(scores, transitions)
    tags = viterbi(scores, transitions, gains)
    return tags, shares_of(scores, transitions, gains)


def viterbi(scores: Scores, transitions: Transitions, gains: Gains | None = None) -> Integers:
    """The best path: one tag for each unit; on a tie the label that comes first."""
    _check(scores, transitions)
    if not len(scores):
        return np.zeros(0, np.int64)
    if transitions.free:
        tags: Integers = scores.argmax(axis=1).astype(np.int64)
        if _is_valid(tags, transitions):
            return tags
    label, most = gains or _gains(scores, transitions)
    tags = np.full(len(scores), label, np.int64)
    walk(tags, scores, transitions.between, _between(most < -MARGIN, label, transitions))
    return tags


class Gains(NamedTuple):
    """What a path gains by another label than this, at each place; see `Certainty.gains`."""

    label: int
    of: Scores


def _gains(scores: Scores, transitions: Transitions) -> Gains:
    usual = int(np.bincount(scores.argmax(axis=1)).argmax()) if len(scores) else 0
    certainty = transitions.certainty(usual)
    if certainty is None:
        return Gains(usual, np.full(len(scores), np.inf))
    return Gains(usual, certainty.gains(scores))


def _between(sure: Flags, label: int, transitions: Transitions) -> Stretches:
    """The places that are not sure."""
    edges = np.flatnonzero(np.diff(sure, prepend=True, append=True))
    firsts, lasts = edges[::2], edges[1::2]
    begins, ends = firsts[:, None] == 0, lasts[:, None] == len(sure)
    return Stretches(
        firsts,
        lasts,
        np.where(begins, transitions.start, transitions.between[label]),
        np.where(ends, transitions.end, transitions.between[:, label]),
    )


def marginals(scores: Scores, transitions: Transitions, gains: Gains | None = None) -> Scores:
    """The probability of each label at each unit over all paths, [units, labels].

    Where one label is as good as the only one, paths on both sides are counted apart.
    """
    _check(scores, transitions)
    scores = scores.astype(np.float64)
    if not len(scores):
        return scores
    gains = gains or _gains(scores, transitions)
    label, sure = gains.label, gains.of < -FAR
    shares = np.empty_like(scores)
    beside = transitions.between[label] + transitions.between[:, label]
    shares[sure] = probabilities(scores[sure] + beside)
    count(shares, scores, transitions.weights, _between(sure, label, transitions))
    return shares


def shares_of(scores: Scores, transitions: Transitions, gains: Gains | None = None) -> Scores:
    """How likely each label is at each unit: a CRF's marginals, or the softmax without one."""
    if transitions.free:
        return probabilities(scores)
    return marginals(scores, transitions, gains)


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
