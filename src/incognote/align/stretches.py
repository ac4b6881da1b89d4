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

_TINY = 1e-200
"""No label is impossible by its score alone, so that every unit has a label that may stand there."""


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
    room = np.empty((len(between), WALKED_AT_ONCE, len(between)))  # [from, stretches, to]
    for firsts, lasts, starts, ends in _groups(stretches, WALKED_AT_ONCE):
        side = _Side.of(firsts, lasts)
        given = np.empty((*side.shape, len(between)))
        given[side.units, side.rows] = scores[side.places]
        best = np.empty_like(given)
        best[0] = starts + given[0]
        for before, here, score, on in zip(best, best[1:], given[1:], side.going[1:], strict=False):
            paths = np.add(before[:on].T[:, :, None], between[:, None], out=room[:, :on])
            np.maximum.reduce(paths, axis=0, out=here[:on])
            here[:on] += score[:on]
        found = np.empty(side.shape, np.int64)
        for here, tag, on in zip(best[::-1], found[::-1], side.going[::-1], strict=True):
            tag[:on] = (here[:on] + ends[:on]).argmax(axis=1)
            ends[:on] = following[tag[:on]]
        tags[side.places] = found[side.units, side.rows]


def count(shares: Scores, scores: Scores, weights: Scores, stretches: Stretches) -> None:
    """Set the shares of each stretch to the probability of each label at each unit.

    weights: of steps, [from, to]. A path's weight is scaled at each step, to stay within range.
    """
    arriving = np.ascontiguousarray(weights.T)
    for firsts, lasts, starts, ends in _groups(stretches, AT_ONCE):
        side = _Side.of(firsts, lasts)
        own = scores[side.places]
        own = np.maximum(np.exp(own - own.max(axis=1, keepdims=True)), _TINY)
        given = np.empty((*side.shape, len(weights)))
        given[side.units, side.rows] = own
        forward = _forward(given, _scaled(starts), weights, side.going)
        given[side.back, side.rows] = own
        backward = _backward(given, _scaled(ends), arriving, side.going)
        paths = forward[side.units, side.rows] * backward[side.back, side.rows]
        shares[side.places] = paths / paths.sum(axis=1, keepdims=True)


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
    """Stretches side by side, as a table [units, stretches]: a step's rows lie together.

    going: how many stretches have a unit there. Then for each unit of any stretch: its number from
    the stretch's beginning and from its end, the stretch, and the unit's place in the note.
    """

    shape: tuple[int, int]
    going: list[int]
    units: Integers
    back: Integers
    rows: Integers
    places: Integers

    @classmethod
    def of(cls, firsts: Integers, lasts: Integers) -> _Side:
        """Of stretches of which none is longer than the one before."""
        lengths = lasts - firsts
        inside = np.arange(lengths[0])[:, None] < lengths
        units, rows = np.nonzero(inside)
        back = lengths[rows] - 1 - units
        going = inside.sum(axis=1).tolist()
        return cls(inside.shape, going, units, back, rows, firsts[rows] + units)


def _forward(given: Scores, first: Scores, leaving: Scores, going: list[int]) -> Scores:
    """What has come together up to each unit, its own weight in it: [units, stretches, labels]."""
    here = np.empty_like(given)
    here[0] = first * given[0]
    for before, now, weight, on in zip(here, here[1:], given[1:], going[1:], strict=False):
        now = np.dot(before[:on], leaving, out=now[:on])
        now *= weight[:on]
        now /= np.add.reduce(now, axis=1, keepdims=True)
    return here


def _backward(given: Scores, last: Scores, arriving: Scores, going: list[int]) -> Scores:
    """The same from the end, counted from there, without the unit's own weight."""
    here = np.empty_like(given)
    here[0] = last
    for before, now, weight, on in zip(here, here[1:], given, going[1:], strict=False):
        now = np.dot(before[:on] * weight[:on], arriving, out=now[:on])
        now /= np.add.reduce(now, axis=1, keepdims=True)
    return here


def _scaled(added: Scores) -> Scores:
    scaled: Scores = np.exp(added - added.max(axis=1, keepdims=True))
    return scaled
