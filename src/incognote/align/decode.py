"""From scores to tags that are always valid: one copy for training, the runtime and export.

Scores are logits or log-probabilities [tokens, labels]. A transition that BIO forbids (an I that
continues nothing, though its type has a B) scores minus infinity, so no path takes it, with a CRF or
without one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from incognote.align.paths import (
    FAR,
    MARGIN,
    Certainty,
    PathGroup,
    Stretches,
    path_groups,
    surely_best,
    walk,
)
from incognote.align.tags import Labels
from incognote.align.tokens import Flags, Integers, Scores, TokenOffsets
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
        """Nothing for anything: each token is what is likeliest there, and an I may begin a span."""
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
        """The same for what follows a token of this label."""
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
    """The best path, and how likely each label is at each token: `viterbi` and `shares_of`.

    The probabilities tell most of the path, and only what they leave open is walked. `usual` is
    told where the scores are of a part of a note.
    """
    _check(scores, transitions)
    if transitions.free or not len(scores):
        return viterbi(scores, transitions), shares_of(scores, transitions)
    shares, label, groups = _marginals(scores, transitions, usual)
    tags = np.full(len(scores), label, np.int64)
    sure = np.ones(len(scores), bool)
    for some in groups:
        tags[some.places] = path = some.shares.argmax(axis=1)
        sure[some.places] = surely_best(path, some, transitions.weights[1])
    if not sure.all():
        walk(tags, scores, transitions.between, _between(sure, tags, transitions))
    return tags, shares


def viterbi(scores: Scores, transitions: Transitions) -> Integers:
    """The best path: one tag for each token; on a tie the label that comes first."""
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
    """The probability of each label at each token over all paths, [tokens, labels]."""
    _check(scores, transitions)
    if not len(scores):
        return scores.astype(np.float64)
    return _marginals(scores, transitions, usual)[0]


def _marginals(
    scores: Scores, transitions: Transitions, usual: Usual | None
) -> tuple[Scores, int, list[PathGroup]]:
    """The marginals, the usual label, and what was counted where that is not the only one.

    Where one label is as good as the only one, paths on both sides are counted apart.
    """
    label, sure = usual or _usual(scores, transitions, FAR)
    shares = np.empty(scores.shape)
    beside = transitions.between[label] + transitions.between[:, label]
    shares[sure] = _softmax(scores[sure] + beside)
    stretches = _between(sure, np.full(len(scores), label), transitions)
    groups = list(path_groups(scores, transitions.weights, stretches))
    for some in groups:
        shares[some.places] = some.shares
    return shares, label, groups


def shares_of(scores: Scores, transitions: Transitions, usual: Usual | None = None) -> Scores:
    """How likely each label is at each token: a CRF's marginals, or the softmax without one."""
    if transitions.free:
        return probabilities(scores)
    return marginals(scores, transitions, usual)


def probabilities(scores: Scores) -> Scores:
    """The softmax of each token's scores."""
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


# Several tokenizers' tokens of one note, cut where any of them cuts, so that networks can meet


@dataclass(frozen=True, eq=False)
class CommonTokens:
    """The finest tokens, and for each reader the token that each lies in.

    within: for each reader [tokens], -1 where the reader has none. continues: whether a common token
    lies in its reader's token but does not begin it.
    """

    offsets: TokenOffsets
    within: tuple[Integers, ...]
    continues: tuple[Flags, ...]

    def mean(
        self, members: Sequence[Scores], labels: Labels, weights: Sequence[float] = ()
    ) -> Scores:
        """The mean of the members' probabilities, [common tokens, labels]; weighted, if by weights.

        Where a common token continues a reader's token, what that says for B goes to I.
        """
        counts = weights or [1.0] * len(members)
        if not len(members) == len(counts) == len(self.within):
            raise AlignError(f"{len(self.within)} readers need as many predictions and weights")
        total = np.zeros((len(self.offsets), len(labels.names)))
        voters = np.zeros(len(self.offsets))
        places = zip(members, counts, self.within, self.continues, strict=True)
        for member, weight, within, continues in places:
            has = within >= 0
            if not has.any():
                continue
            shares = member[np.maximum(within, 0)].astype(np.float64)
            later = shares[continues]
            openings = later[:, labels.begin]
            later[:, labels.begin] = 0.0
            later[:, labels.inside] += openings
            shares[continues] = later
            total[has] += weight * shares[has]
            voters += weight * has
        mean: Scores = total / voters[:, None]
        return mean


def common_tokens(readers: Sequence[TokenOffsets]) -> CommonTokens:
    """Cut at every edge of every reader's tokens; a common token lies in a token of one at least.

    With one reader these are its own tokens, byte tokens of one character taken as one.
    """
    edges = (
        np.unique(
            np.concatenate(
                [
                    part[offsets.solid]
                    for offsets in readers
                    for part in (offsets.starts, offsets.ends)
                ]
            )
        )
        if readers
        else np.zeros(0, np.int64)
    )
    starts, ends = edges[:-1], edges[1:]
    places = [_lies_in(offsets, starts, ends) for offsets in readers]
    in_any = np.zeros(len(starts), bool)
    for place in places:
        in_any |= place >= 0
    within = tuple(place[in_any] for place in places)
    starts, ends = starts[in_any], ends[in_any]
    continues = tuple(
        (place >= 0) & (starts > offsets.starts[np.maximum(place, 0)])
        if len(offsets)
        else np.zeros(len(starts), bool)
        for place, offsets in zip(within, readers, strict=True)
    )
    return CommonTokens(TokenOffsets(starts, ends), within, continues)


def _lies_in(offsets: TokenOffsets, starts: Integers, ends: Integers) -> Integers:
    """The first token that holds each stretch, or -1."""
    solid = offsets.solid
    if not solid.size:
        return np.full(len(starts), -1, np.int64)
    first = np.searchsorted(offsets.ends[solid], starts, "right")
    place = solid[np.minimum(first, len(solid) - 1)]
    holds = (first < len(solid)) & (offsets.starts[place] <= starts) & (offsets.ends[place] >= ends)
    return np.where(holds, place, -1)
