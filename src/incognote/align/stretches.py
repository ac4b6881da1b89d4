"""Probabilities over all paths through several stretches of a note at once.

Stretches of different length go side by side, the longest first, so that a step is taken for all of
them that still go on: a note has dozens of stretches, and few are long.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.floating[Any]]

AT_ONCE = 2**14
"""Units that go side by side at most, unless one stretch is longer."""

_TINY = 1e-200
"""No label is impossible by its score alone, so that every unit has a label that may stand there."""


class Stretch(NamedTuple):
    """Units from `first` up to `last`, and what is added to labels of the first and of the last."""

    first: int
    last: int
    start: Scores
    end: Scores


def counted(scores: Scores, between: Scores, stretches: Sequence[Stretch]) -> list[Scores]:
    """The probability of each label at each unit of each stretch, [units, labels].

    Weights are scaled at each step, so that they stay within range.
    """
    leaving = np.exp(between - between.max())  # [from, to]
    arriving = np.ascontiguousarray(leaving.T)
    weights = np.maximum(np.exp(scores - scores.max(axis=1, keepdims=True)), _TINY)
    found: list[Scores] = [np.empty(0)] * len(stretches)
    for group in _groups([each.last - each.first for each in stretches]):
        side = [stretches[at] for at in group]
        lengths = np.array([each.last - each.first for each in side])
        parts = [weights[each.first : each.last] for each in side]
        starts = _scaled(np.stack([each.start for each in side]))
        ends = _scaled(np.stack([each.end for each in side]))
        forward = _steps(parts, lengths, starts, leaving, weigh_first=True)
        parts = [part[::-1] for part in parts]
        backward = _steps(parts, lengths, ends, arriving, weigh_first=False)
        for at, length, ahead, back in zip(group, lengths.tolist(), forward, backward, strict=True):
            paths = ahead[:length] * back[:length][::-1]
            found[at] = paths / paths.sum(axis=1, keepdims=True)
    return found


def _groups(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Stretches to go side by side, the longest first."""
    group: list[int] = []
    for at in sorted(range(len(lengths)), key=lambda at: -lengths[at]):
        if group and lengths[group[0]] * (len(group) + 1) > AT_ONCE:
            yield group
            group = []
        group.append(at)
    if group:
        yield group


def _steps(
    parts: Sequence[Scores], lengths: Any, first: Scores, leaving: Scores, *, weigh_first: bool
) -> Scores:
    """What has come together up to each unit, [stretches, units, labels].

    The unit's own weight is in it, or only those of units before it.
    """
    # Units first, so that a step's rows lie together: [units, stretches, labels].
    here = np.empty((lengths[0], len(parts), len(leaving)))
    weights = np.ones_like(here)
    for row, part in enumerate(parts):
        weights[: len(part), row] = part
    here[0] = first * weights[0] if weigh_first else first
    going = (lengths > np.arange(1, lengths[0])[:, None]).sum(axis=1)
    if weigh_first:
        for before, now, weight, on in zip(here, here[1:], weights[1:], going, strict=False):
            now = np.dot(before[:on], leaving, out=now[:on])
            now *= weight[:on]
            now /= np.add.reduce(now, axis=1, keepdims=True)
    else:
        for before, now, weight, on in zip(here, here[1:], weights, going, strict=False):
            now = np.dot(before[:on] * weight[:on], leaving, out=now[:on])
            now /= np.add.reduce(now, axis=1, keepdims=True)
    return here.transpose(1, 0, 2)


def _scaled(added: Scores) -> Scores:
    scaled: Scores = np.exp(added - added.max(axis=1, keepdims=True))
    return scaled
