"""Paths through several stretches of a note at once: the best, and the probabilities over all.

Stretches of different length go side by side, the longest first, so that a step is taken for all of
them that still go on: a note has dozens of stretches, and few are long.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from incognote.align.units import Integers

Scores = npt.NDArray[np.floating[Any]]

AT_ONCE = 2**14
"""Units that go side by side at most, unless one stretch is longer."""

WALKED_AT_ONCE = 32
"""Stretches whose best paths are walked side by side: each needs room for all pairs of labels."""

_TINY = 1e-100
"""No label is impossible by its score alone, so that every unit has a label that may stand there;
thrice as little, for the steps that are not scaled, can still be told from nothing.
"""


class Stretches(NamedTuple):
    """Units from `firsts` up to `lasts`, and what is added to labels of the first and of the last.

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
        found = np.empty(len(best), np.int64)
        for begin, end in zip(side.edges[-2::-1], side.edges[:0:-1], strict=True):
            tag = found[begin:end] = (best[begin:end] + ends[: end - begin]).argmax(axis=1)
            ends[: end - begin] = following[tag]
        tags[side.places] = found


class Counted(NamedTuple):
    """All paths through some stretches, unit by unit; which stretch, and where in the note.

    nexts: the unit that follows in the stretch, or -1. arrived: what has come together up to each
    unit, by its labels, to any scale; shares: the probability of each label. Both [units, labels].
    """

    rows: Integers
    places: Integers
    nexts: Integers
    arrived: Scores
    shares: Scores


def counted(scores: Scores, weights: Scores, stretches: Stretches) -> Iterator[Counted]:
    """The probability of each label at each unit of each stretch, over all its paths.

    weights: of steps forward and of steps back, [2, from, to].
    """
    for firsts, lasts, starts, ends in _groups(stretches, AT_ONCE):
        side = _Side.of(firsts, lasts)
        given = np.empty((2, len(side.places), scores.shape[1]))  # forward and back
        own, back = given
        own[:] = scores[side.places]
        own -= own.max(axis=1, keepdims=True)
        np.maximum(np.exp(own, out=own), _TINY, out=own)
        np.take(own, side.turned, axis=0, out=back)
        come = _come_together(given, np.stack([starts, ends]), weights, side)
        own *= come[0]
        shares = own * come[1, side.turned]
        shares /= shares.sum(axis=1, keepdims=True)
        yield Counted(side.rows, side.places, side.nexts, own, shares)


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
    """Stretches side by side, the longest first: all their first units, then all second ones.

    edges: where each step's units begin, and where the last step's end. Then for each unit its
    stretch, its place in the note, the next unit of the stretch, or -1, and the unit that is as
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
        units, rows = np.nonzero(np.arange(lengths[0])[:, None] < lengths)
        edges = np.searchsorted(units, np.arange(lengths[0] + 1))
        back = lengths[rows] - 1 - units
        nexts = np.where(back > 0, edges[units + 1] + rows, -1)
        return cls(edges.tolist(), rows, firsts[rows] + units, nexts, edges[back] + rows)

    def steps(self) -> Iterator[tuple[slice, slice]]:
        """Units that have a next one, and these next ones, step by step."""
        for begin, middle, end in zip(self.edges, self.edges[1:], self.edges[2:], strict=False):
            yield slice(begin, begin + end - middle), slice(middle, end)


def _come_together(given: Scores, added: Scores, weights: Scores, side: _Side) -> Scores:
    """What has come together before each unit, from both ends at once; its own weight apart.

    given, and what is returned: [2, units, labels], from the beginning on and from the end on;
    added: to the logarithms of the first, [2, stretches, labels]. A path's weight is scaled at every
    other step, to stay within range.
    """
    come = np.empty_like(given)
    come[:, : added.shape[1]] = np.exp(added - added.max(axis=2, keepdims=True))
    for number, (before, now) in enumerate(side.steps()):
        here = np.matmul(come[:, before] * given[:, before], weights, out=come[:, now])
        if number % 2:
            here /= np.add.reduce(here, axis=2, keepdims=True)
    return come
