"""From scores to tags that are always valid: one copy for training, the runtime and export.

Scores are logits or log-probabilities [units, labels]. A transition that BIO forbids (an I that
continues nothing, though its type has a B) scores minus infinity, so no path takes it, with a CRF or
without one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from incognote.align.certain import FAR, MARGIN, Certainty, held
from incognote.align.stretches import Counted, Stretches, counted, walk
from incognote.align.stretches import Scores as Scores
from incognote.align.tags import Labels
from incognote.align.units import Flags, Integers
from incognote.base.errors import AlignError, NotFiniteError


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

    @classmethod
    def any_order(cls, labels: Labels) -> Transitions:
        """Nothing for anything: each unit is what is likeliest there, and an I may begin a span."""
        count = len(labels.names)
        return cls(np.zeros((count, count)), np.zeros(count), np.zeros(count))

    @cached_property
    def free(self) -> bool:
        """Whether they only allow and forbid, so that a valid greedy path is the best one."""
        return all(
            bool(np.isin(part, (0.0, -np.inf)).all())
            for part in (self.between, self.start, self.end)
        )

    @cached_property
    def weights(self) -> Scores:
        """What a step multiplies a path's weight by, forward and back: [2, from, to]."""
        weights = np.exp(self.between - self.between.max())
        return np.stack([weights, weights.T])

    def certainty(self, label: int) -> Certainty | None:
        """What tells where a path surely passes by the label."""
        if label not in self._certainties:
            self._certainties[label] = Certainty.of(self, label)
        return self._certainties[label]

    def after(self, label: int) -> Transitions:
        """The same for what follows a unit of this label."""
        return Transitions(self.between, self.between[label], self.end)

    @cached_property
    def _certainties(self) -> dict[int, Certainty | None]:
        return {}


def allowed(labels: Labels) -> Flags:
    """Which labels may follow which, [from, to]: an I needs a B or I of its type before it.

    A type without a B begins with its I, which may follow anything.
    """
    same = labels.type_of[:, None] == labels.type_of[None, :]
    flags: Flags = ~labels.continues[None, :] | same
    return flags


def may_start(labels: Labels) -> Flags:
    """Which labels a note may begin with: all but an I whose type has a B."""
    flags: Flags = ~labels.continues
    return flags


Usual = tuple[int, Flags]
"""The most frequent label of a note, and where it is as good as the only one."""


def decoded(
    scores: Scores, transitions: Transitions, usual: Usual | None = None
) -> tuple[Integers, Scores]:
    """The best path, and how likely each label is at each unit: `viterbi` and `shares_of`.

    The probabilities tell most of the path, and only what they leave open is walked. `usual` is
    told where the scores are of a part of a note.
    """
    _check(scores, transitions)
    if transitions.free or not len(scores):
        return viterbi(scores, transitions), shares_of(scores, transitions)
    shares, label, groups = _counted(scores, transitions, usual)
    tags = np.full(len(scores), label, np.int64)
    sure = np.ones(len(scores), bool)
    for some in groups:
        tags[some.places] = path = some.shares.argmax(axis=1)
        sure[some.places] = held(path, some, transitions.weights[1])
    if not sure.all():
        walk(tags, scores, transitions.between, _between(sure, tags, transitions))
    return tags, shares


def viterbi(scores: Scores, transitions: Transitions) -> Integers:
    """The best path: one tag for each unit; on a tie the label that comes first."""
    _check(scores, transitions)
    if not len(scores):
        return np.zeros(0, np.int64)
    if transitions.free:
        tags: Integers = scores.argmax(axis=1).astype(np.int64)
        if _is_valid(tags, transitions):
            return tags
    label, sure = _usual(scores, transitions, MARGIN)
    tags = np.full(len(scores), label, np.int64)
    walk(tags, scores, transitions.between, _between(sure, tags, transitions))
    return tags


def _usual(scores: Scores, transitions: Transitions, margin: float) -> Usual:
    """The most frequent label, and where it surely is the best by a margin."""
    usual = int(np.bincount(scores.argmax(axis=1)).argmax())
    certainty = transitions.certainty(usual)
    if certainty is None:
        return usual, np.zeros(len(scores), bool)
    return usual, certainty.sure(scores, margin)


def _between(sure: Flags, tags: Integers, transitions: Transitions) -> Stretches:
    """The places that are not sure, between those whose tags are."""
    padded = np.concatenate([[True], sure, [True]])
    edges = np.flatnonzero(padded[1:] != padded[:-1])
    firsts, lasts = edges[::2], edges[1::2]
    starts = transitions.between[tags[firsts - 1]]
    starts[firsts == 0] = transitions.start
    ends = transitions.between.T[tags[lasts % len(tags)]]
    ends[lasts == len(tags)] = transitions.end
    return Stretches(firsts, lasts, starts, ends)


def marginals(scores: Scores, transitions: Transitions, usual: Usual | None = None) -> Scores:
    """The probability of each label at each unit over all paths, [units, labels]."""
    _check(scores, transitions)
    if not len(scores):
        return scores.astype(np.float64)
    return _counted(scores, transitions, usual)[0]


def _counted(
    scores: Scores, transitions: Transitions, usual: Usual | None
) -> tuple[Scores, int, list[Counted]]:
    """The marginals, the usual label, and what was counted where that is not the only one.

    Where one label is as good as the only one, paths on both sides are counted apart.
    """
    label, sure = usual or _usual(scores, transitions, FAR)
    shares = np.empty(scores.shape)
    beside = transitions.between[label] + transitions.between[:, label]
    shares[sure] = _softmax(scores[sure] + beside)
    stretches = _between(sure, np.full(len(scores), label), transitions)
    groups = list(counted(scores, transitions.weights, stretches))
    for some in groups:
        shares[some.places] = some.shares
    return shares, label, groups


def shares_of(scores: Scores, transitions: Transitions, usual: Usual | None = None) -> Scores:
    """How likely each label is at each unit: a CRF's marginals, or the softmax without one."""
    if transitions.free:
        return probabilities(scores)
    return marginals(scores, transitions, usual)


def probabilities(scores: Scores) -> Scores:
    """The softmax of each unit's scores."""
    check_finite(scores)
    return _softmax(scores)


def _softmax(scores: Scores) -> Scores:
    with np.errstate(over="ignore"):  # so far below the highest that nothing is left of it
        shares: Scores = scores - scores.max(axis=-1, keepdims=True, initial=-np.inf)
    np.exp(shares, out=shares)
    shares /= shares.sum(axis=-1, keepdims=True)
    return shares


def _check(scores: Scores, transitions: Transitions) -> None:
    if scores.ndim != 2 or scores.shape[1] != len(transitions.start):
        raise AlignError(f"scores need one column for each of the {len(transitions.start)} labels")
    check_finite(scores)


def check_finite(scores: Scores) -> None:
    """Refuse scores that are no numbers: the highest of them is whichever stands first."""
    if not np.isfinite(scores).all():
        raise NotFiniteError


def _is_valid(tags: Integers, transitions: Transitions) -> bool:
    steps = transitions.between[tags[:-1], tags[1:]]
    edges = (transitions.start[tags[0]], transitions.end[tags[-1]])
    return bool(np.isfinite(steps).all() and np.isfinite(edges).all())
