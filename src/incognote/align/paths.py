"""The best path of labels and the probabilities over all, and where the path is certain without walking it.

Most of a note is far from any identifier, and there the scores alone decide: whatever comes before
and after, no path gains as much by another label as it loses by leaving this one. Such places are
found all at once; only what lies between them is walked step by step. The path is the same, and
probabilities are to within what a millionth can do.

What lies between goes side by side, the longest first, so that a step is taken for all of them that
still go on: a note has dozens of such stretches, and few are long.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from incognote.align.tokens import Flags, Integers, Scores

if TYPE_CHECKING:
    from incognote.align.decode import Transitions
    from incognote.align.tokens import Scores

Bounds = npt.NDArray[np.float64]

MARGIN = 1e-4
"""By how much a label must win to be on the best path: far above what rounding can do."""

FAR = 14.0
"""By how much it must win to be as good as the only one: each other has less than a millionth."""


class SurePlaces(NamedTuple):
    """Where a label is sure, and what a path comes to by being elsewhere up to each place."""

    sure: Flags
    stayed: Bounds


@dataclass(frozen=True, eq=False)
class Certainty:
    """What the transitions can at most add to another label than `label`, which any may precede.

    `around` [labels] bounds it where a path goes on by labels that `label` leads to as well; none
    is below `least`. There are others (an I), and whoever goes on to one may stay there for long:
    each pair (`froms`, `tos`) gains `entering` by that, and each further step gains `staying`.
    """

    label: int
    around: Bounds
    least: float
    froms: Integers
    tos: Integers
    entering: Bounds
    staying: float

    @classmethod
    def of(cls, transitions: Transitions, label: int) -> Certainty | None:
        """For one label; None if some may not come before it, or if the others lead anywhere but
        to themselves.
        """
        between, end = transitions.between, transitions.end
        if not np.isfinite(between[:, label]).all():
            return None
        reached = np.isfinite(between[label])
        others = np.flatnonzero(~reached)
        within = np.isfinite(between[np.ix_(others, others)])
        if (within != np.eye(len(others), dtype=bool)).any():
            return None
        before = (between - between[:, label : label + 1]).max(axis=0)
        after = (between[:, reached] - between[label, reached]).max(axis=1)
        after = np.maximum(after, end - end[label])
        around = before + after
        least = around.min()
        around[label] = -np.inf
        froms, tos = np.nonzero(np.isfinite(between) & ~reached)
        entering = before[froms] + between[froms, tos] - between[label, label] + after[tos]
        staying = between[others, others] - between[label, label]
        return cls(label, around, least, froms, tos, entering, staying.max(initial=0.0))

    def sure(self, scores: Scores, margin: float) -> Flags:
        """Where a path loses more than the margin by any other label than `label`.

        There the best path surely passes by `label`; the first and last place are never told.
        """
        return self.sure_places(scores, margin).sure

    def sure_places(self, scores: Scores, margin: float, before: float | None = None) -> SurePlaces:
        """The same of a part of a note: `before` is what has come together in front of it.

        Then its first place may be told. What is sure in it is so in the note if nothing that
        follows comes to more than is reached within. Most places are told by their highest scores
        alone, and only the rest is looked at closer.
        """
        flags: Flags = np.zeros(len(scores), bool)
        rivals = self._rivals(scores)
        steps = np.concatenate(([before or 0.0], rivals + self.staying))
        stayed = np.cumsum(steps)[1:]  # up to and with each place
        first = 1 if before is None else 0
        if len(scores) < first + 2:
            return SurePlaces(flags, stayed)
        staying = np.maximum.accumulate(stayed[::-1])[::-1] - stayed  # by going on from there
        entering = (rivals + staying)[first + 1 :] + self.entering.max(initial=-np.inf)
        inner = rivals[first:-1]
        flags[first:-1] = inner + np.maximum(self.around.max(), entering) < -margin
        near = np.flatnonzero(~flags[first:-1] & (inner + self.least < -margin)) + first
        flags[near] = self._gains(scores, near, staying) < -margin
        return SurePlaces(flags, stayed)

    def _rivals(self, scores: Scores) -> Bounds:
        """By how much the highest other score is above that of `label`, [places]."""
        others = scores.copy()
        others[:, self.label] = -np.inf
        rivals: Bounds = others.max(axis=1) - scores[:, self.label].astype(np.float64)
        return rivals

    def _gains(self, scores: Scores, places: Integers, staying: Bounds) -> Bounds:
        """What a path gains at most, at some places, by another label than `label`."""
        here, following = scores[places], scores[places + 1]
        most: Bounds = (here + self.around).max(axis=1)
        if len(self.froms):
            pairs = here[:, self.froms] + self.entering + following[:, self.tos]
            onto = staying[places + 1] - following[:, self.label]
            most = np.maximum(most, pairs.max(axis=1) + onto)
        return most - here[:, self.label]


def surely_best(path: Integers, group: PathGroup, weights: Scores) -> Flags:
    """Where the best path surely has the label of this one, told by the probabilities.

    It has a token's label if all paths without that label are, together, less likely than this one.
    path: [tokens], the likeliest labels; weights: of steps, [to, from].
    """
    places = np.arange(len(path))
    likely = group.shares[places, path]
    on = np.flatnonzero(group.nexts >= 0)
    came = group.arrived[on] * weights[path[group.nexts[on]]]  # [tokens, from]
    steps = likely.copy()
    steps[on] = came[places[: len(on)], path[on]] / came.sum(axis=1)
    whole = np.ones(group.rows.max() + 1)  # how likely each stretch's path is
    np.multiply.at(whole, group.rows, steps)
    sure: Flags = 1 - likely < whole[group.rows] - MARGIN
    return sure


# Paths through several stretches at once: the best, and the probabilities over all

AT_ONCE = 2**14
"""Tokens that go side by side at most, unless one stretch is longer."""

WALKED_AT_ONCE = 32
"""Stretches whose best paths are walked side by side: each needs room for all pairs of labels."""

_TINY = 1e-100
"""No label is impossible by its score alone, so that every token has a label that may stand there;
thrice as little, for the steps that are not scaled, can still be told from nothing.
"""


class Stretches(NamedTuple):
    """Tokens from `firsts` up to `lasts`, and what is added to labels of the first and of the last.

    starts, ends: [stretches, labels].
    """

    firsts: Integers
    lasts: Integers
    starts: Scores
    ends: Scores

    def some(self, which: Integers) -> Stretches:
        """These of them, in this order."""
        return Stretches(
            self.firsts[which], self.lasts[which], self.starts[which], self.ends[which]
        )


def walk(tags: Integers, scores: Scores, between: Scores, stretches: Stretches) -> None:
    """Set the tags of each stretch to its best path."""
    following = np.ascontiguousarray(between.T)
    most = min(WALKED_AT_ONCE, len(stretches.firsts))
    room = np.empty((len(between), most, len(between)))  # [from, stretches, to]
    for firsts, lasts, starts, ends in _groups(stretches, WALKED_AT_ONCE):
        side = _Side.of(firsts, lasts)
        best = scores[side.places].astype(np.float64)
        best[: len(firsts)] += starts
        for before, now in side.steps():
            on = now.stop - now.start
            paths = np.add(best[before].T[:, :, None], between[:, None], out=room[:, :on])
            best[now] += np.maximum.reduce(paths, axis=0)
        path = np.empty(len(best), np.int64)
        for begin, end in zip(side.edges[-2::-1], side.edges[:0:-1], strict=True):
            tag = path[begin:end] = (best[begin:end] + ends[: end - begin]).argmax(axis=1)
            ends[: end - begin] = following[tag]
        tags[side.places] = path


class PathGroup(NamedTuple):
    """All paths through some stretches, token by token; which stretch, and where in the note.

    nexts: the token that follows in the stretch, or -1. arrived: what has come together up to each
    token, by its labels, to any scale; shares: the probability of each label. Both [tokens, labels].
    """

    rows: Integers
    places: Integers
    nexts: Integers
    arrived: Scores
    shares: Scores


def path_groups(scores: Scores, weights: Scores, stretches: Stretches) -> Iterator[PathGroup]:
    """The probability of each label at each token of each stretch, over all its paths.

    weights: of steps forward and of steps back, [2, from, to].
    """
    for firsts, lasts, starts, ends in _groups(stretches, AT_ONCE):
        side = _Side.of(firsts, lasts)
        here = np.empty((2, len(side.places), scores.shape[1]))  # forward and back
        own, back = here
        own[:] = scores[side.places]
        own -= own.max(axis=1, keepdims=True)
        np.maximum(np.exp(own, out=own), _TINY, out=own)
        np.take(own, side.turned, axis=0, out=back)
        come = _come_together(here, np.stack([starts, ends]), weights, side)
        own *= come[0]
        shares = own * come[1, side.turned]
        shares /= shares.sum(axis=1, keepdims=True)
        yield PathGroup(side.rows, side.places, side.nexts, own, shares)


def _groups(stretches: Stretches, most: int) -> Iterator[Stretches]:
    """At most so many stretches to go side by side, the longest first."""
    lengths = stretches.lasts - stretches.firsts
    order = np.argsort(-lengths, kind="stable")
    begin = 0
    while begin < len(order):
        size = min(most, max(1, AT_ONCE // int(lengths[order[begin]])))
        group = order[begin : begin + size]
        yield stretches.some(group)
        begin += size


class _Side(NamedTuple):
    """Stretches side by side, the longest first: all their first tokens, then all second ones.

    edges: where each step's tokens begin, and where the last step's end. Then for each token its
    stretch, its place in the note, the next token of the stretch, or -1, and the token that is as
    far from the stretch's end as this one is from its beginning.
    """

    edges: list[int]
    rows: Integers
    places: Integers
    nexts: Integers
    turned: Integers

    @classmethod
    def of(cls, firsts: Integers, lasts: Integers) -> _Side:
        """Of stretches of which none is longer than the one before."""
        lengths = lasts - firsts
        step, rows = np.nonzero(np.arange(lengths[0])[:, None] < lengths)
        edges = np.searchsorted(step, np.arange(lengths[0] + 1))
        back = lengths[rows] - 1 - step
        nexts = np.where(back > 0, edges[step + 1] + rows, -1)
        return cls(edges.tolist(), rows, firsts[rows] + step, nexts, edges[back] + rows)

    def steps(self) -> Iterator[tuple[slice, slice]]:
        """Tokens that have a next one, and these next ones, step by step."""
        for begin, middle, end in zip(self.edges, self.edges[1:], self.edges[2:], strict=False):
            yield slice(begin, begin + end - middle), slice(middle, end)


def _come_together(here: Scores, added: Scores, weights: Scores, side: _Side) -> Scores:
    """What has come together before each token, from both ends at once; its own weight apart.

    here, and what is returned: [2, tokens, labels], from the beginning on and from the end on;
    added: to the logarithms of the first, [2, stretches, labels]. A path's weight is scaled at every
    other step, to stay within range.
    """
    come = np.empty_like(here)
    come[:, : added.shape[1]] = np.exp(added - added.max(axis=2, keepdims=True))
    for number, (before, now) in enumerate(side.steps()):
        then = np.matmul(come[:, before] * here[:, before], weights, out=come[:, now])
        if number % 2:
            then /= np.add.reduce(then, axis=2, keepdims=True)
    return come
