"""A long note decided portion by portion, the same as at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import tee
from typing import NamedTuple

import numpy as np

from incognote.align.decode import Scores, Transitions, decoded, probabilities, shares_of, viterbi
from incognote.align.passages import passages
from incognote.align.portions import Portion
from incognote.align.refine import common_units
from incognote.align.tags import Labels
from incognote.align.units import Integers, Units
from incognote.detect.model.member import Scored

TINY = 1e-12
"""What a probability is at least where its logarithm is taken."""


class Decided(NamedTuple):
    """Units, the tag of each, and how likely each label is there, [units, labels]."""

    units: Units
    tags: Integers
    shares: Scores


def alone(
    portions: Iterator[Scored], transitions: Transitions, labels: Labels, ahead: int
) -> Iterator[Decided]:
    """What one network says of each portion."""
    portions, scored = tee(portions)
    scores = (each.scores for each in scored)
    for passage in passages(scores, transitions, labels.outside, ahead):
        tags, shares = decoded(passage.scores, passage.transitions, passage.usual)
        for own, likely in zip(passage.each(tags), passage.each(shares), strict=True):
            yield Decided(next(portions).units, own, likely)


def together(
    members: Sequence[tuple[Iterator[Scored], Transitions]],
    common: Transitions,
    labels: Labels,
    weights: Sequence[float],
    ahead: int,
) -> Iterator[Decided]:
    """What several say of it: the mean of their probabilities, where their pieces meet."""
    opinions = (_opinions(*member, labels.outside, ahead) for member in members)
    means, pooled = tee(_means(zip(*opinions, strict=True), labels, weights))
    scores = (np.log(shares + TINY) for _, shares in pooled)
    for passage in passages(scores, common, labels.outside, ahead):
        for tags in passage.each(viterbi(passage.scores, passage.transitions)):
            units, shares = next(means)
            yield Decided(units, tags, shares)


def _opinions(
    portions: Iterator[Scored], transitions: Transitions, outside: int, ahead: int
) -> Iterator[tuple[Units, Scores]]:
    """How likely one network holds each label."""
    if transitions.free:
        yield from ((each.units, probabilities(each.scores)) for each in portions)
        return
    portions, scored = tee(portions)
    for passage in passages((each.scores for each in scored), transitions, outside, ahead):
        shares = shares_of(passage.scores, passage.transitions, passage.usual)
        for likely in passage.each(shares):
            yield next(portions).units, likely


def _means(
    portions: Iterable[tuple[tuple[Units, Scores], ...]], labels: Labels, weights: Sequence[float]
) -> Iterator[tuple[Units, Scores]]:
    for opinions in portions:
        common = common_units([units for units, _ in opinions])
        yield common.units, common.mean([shares for _, shares in opinions], labels, weights)


def between_spans(
    portions: Iterable[Portion], decided: Iterable[Decided], outside: int
) -> Iterator[tuple[int, int, Decided]]:
    """Portions put together where a span may go on from one to the next; places are the note's."""
    some: list[Decided] = []
    begin = 0
    for portion, (units, tags, shares) in zip(portions, decided, strict=True):
        if not some:
            begin = portion.begin
        placed = Units(units.starts + portion.begin, units.ends + portion.begin)
        some.append(Decided(placed, tags, shares))
        solid = units.solid
        if len(solid) and tags[solid[-1]] == outside:
            yield begin, portion.end, _joined(some)
            some = []
    if some:
        yield begin, portion.end, _joined(some)


def _joined(some: Sequence[Decided]) -> Decided:
    return Decided(
        Units(
            np.concatenate([each.units.starts for each in some]),
            np.concatenate([each.units.ends for each in some]),
        ),
        np.concatenate([each.tags for each in some]),
        np.concatenate([each.shares for each in some]),
    )
