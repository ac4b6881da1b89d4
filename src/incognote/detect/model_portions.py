"""A long note, decided portion by portion, the same as at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import tee

import numpy as np

from incognote.align.decode import (
    Transitions,
    common_tokens,
    decoded,
    probabilities,
    shares_of,
    viterbi,
)
from incognote.align.long_notes import Portion, passages
from incognote.align.tags import Labels
from incognote.align.tokens import Scores, TokenOffsets
from incognote.detect.model_member import TINY, DecidedTokens, ScoredTokens


def decide_by_one(
    portions: Iterator[ScoredTokens], transitions: Transitions, labels: Labels, ahead: int
) -> Iterator[DecidedTokens]:
    """What one network says of each portion."""
    portions, scored = tee(portions)
    scores = (each.scores for each in scored)
    for passage in passages(scores, transitions, labels.outside, ahead):
        tags, shares = decoded(passage.scores, passage.transitions, passage.usual)
        for own, likely in zip(passage.each(tags), passage.each(shares), strict=True):
            yield DecidedTokens(next(portions).offsets, own, likely)


def decide_by_several(
    members: Sequence[tuple[Iterator[ScoredTokens], Transitions]],
    common: Transitions,
    labels: Labels,
    weights: Sequence[float],
    ahead: int,
) -> Iterator[DecidedTokens]:
    """What several say of it: the mean of their probabilities, where their tokens meet."""
    opinions = (_opinions(*member, labels.outside, ahead) for member in members)
    means, pooled = tee(_means(zip(*opinions, strict=True), labels, weights))
    scores = (np.log(shares + TINY) for _, shares in pooled)
    for passage in passages(scores, common, labels.outside, ahead):
        for tags in passage.each(viterbi(passage.scores, passage.transitions)):
            offsets, shares = next(means)
            yield DecidedTokens(offsets, tags, shares)


def _opinions(
    portions: Iterator[ScoredTokens], transitions: Transitions, outside: int, ahead: int
) -> Iterator[tuple[TokenOffsets, Scores]]:
    """How likely one network holds each label."""
    if transitions.free:
        yield from ((each.offsets, probabilities(each.scores)) for each in portions)
        return
    portions, scored = tee(portions)
    for passage in passages((each.scores for each in scored), transitions, outside, ahead):
        shares = shares_of(passage.scores, passage.transitions, passage.usual)
        for likely in passage.each(shares):
            yield next(portions).offsets, likely


def _means(
    portions: Iterable[tuple[tuple[TokenOffsets, Scores], ...]],
    labels: Labels,
    weights: Sequence[float],
) -> Iterator[tuple[TokenOffsets, Scores]]:
    for opinions in portions:
        common = common_tokens([offsets for offsets, _ in opinions])
        yield common.offsets, common.mean([shares for _, shares in opinions], labels, weights)


def between_spans(
    portions: Iterable[Portion], decided: Iterable[DecidedTokens], outside: int
) -> Iterator[tuple[int, int, DecidedTokens]]:
    """Portions joined where a span may go on from one to the next; places are those of the note."""
    some: list[DecidedTokens] = []
    begin = 0
    for portion, (offsets, tags, shares) in zip(portions, decided, strict=True):
        if not some:
            begin = portion.begin
        placed = TokenOffsets(offsets.starts + portion.begin, offsets.ends + portion.begin)
        some.append(DecidedTokens(placed, tags, shares))
        solid = offsets.solid
        if len(solid) and tags[solid[-1]] == outside:
            yield begin, portion.end, _join(some)
            some = []
    if some:
        yield begin, portion.end, _join(some)


def _join(some: Sequence[DecidedTokens]) -> DecidedTokens:
    return DecidedTokens(
        TokenOffsets(
            np.concatenate([each.offsets.starts for each in some]),
            np.concatenate([each.offsets.ends for each in some]),
        ),
        np.concatenate([each.tags for each in some]),
        np.concatenate([each.shares for each in some]),
    )
