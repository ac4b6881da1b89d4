"""Decoding against every path, tags that are always valid, and the mean of several networks."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from align.tiny_tokenizers import tiny_tokenizers
from hypothesis import given
from hypothesis import strategies as st

from incognote.align.decode import (
    Transitions,
    allowed,
    common_tokens,
    decoded,
    marginals,
    may_start,
    probabilities,
    shares_of,
    viterbi,
)
from incognote.align.tags import Labels
from incognote.align.tokens import Scores, TokenOffsets, TokenReader, within
from incognote.base.errors import AlignError, NotFiniteError

LABELS = Labels(("O", "B-A", "I-A", "B-C", "B-D", "I-D", "I-E"))
COUNT = len(LABELS.names)


def drawn(seed: int, length: int, crf: bool) -> tuple[Scores, Transitions]:
    draws = np.random.default_rng(seed)
    told = Transitions.valid(LABELS)
    if crf:
        told = Transitions(
            told.between + draws.normal(size=(COUNT, COUNT)),
            told.start + draws.normal(size=COUNT),
            told.end + draws.normal(size=COUNT),
        )
    return draws.normal(size=(length, COUNT)) * 2, told


def value(path: tuple[int, ...], scores: Scores, told: Transitions) -> float:
    total = told.start[path[0]] + told.end[path[-1]]
    total += sum(scores[place, label] for place, label in enumerate(path))
    return float(total + sum(told.between[a, b] for a, b in pairwise(path)))


@given(st.integers(0, 10**6), st.integers(1, 4), st.booleans())
def test_the_best_of_all_paths(seed: int, length: int, crf: bool) -> None:
    scores, told = drawn(seed, length, crf)
    paths = {path: value(path, scores, told) for path in product(range(COUNT), repeat=length)}
    found = tuple(viterbi(scores, told).tolist())
    assert paths[found] == pytest.approx(max(paths.values()))
    whole = np.logaddexp.reduce(list(paths.values()))
    shares = np.zeros((length, COUNT))
    for path, score in paths.items():
        for place, label in enumerate(path):
            shares[place, label] += np.exp(score - whole)
    assert np.allclose(marginals(scores, told), shares)


@given(st.integers(0, 10**6), st.integers(1, 60))
def test_tags_are_always_valid(seed: int, length: int) -> None:
    scores, told = drawn(seed, length, crf=False)
    tags = viterbi(scores, told)
    assert may_start(LABELS)[tags[0]]
    assert allowed(LABELS)[tags[:-1], tags[1:]].all()


def test_an_inside_label_may_begin_where_its_type_has_no_other() -> None:
    inside_only, has_both = LABELS.names.index("I-E"), LABELS.names.index("I-A")
    valid = Transitions.valid(LABELS)
    assert np.isfinite(valid.start).tolist() == [
        name not in ("I-A", "I-D") for name in LABELS.names
    ]
    assert np.isfinite(valid.between[:, inside_only]).all()
    begin = LABELS.names.index("B-A")
    assert np.flatnonzero(np.isfinite(valid.between[:, has_both])).tolist() == [begin, has_both]


def test_no_units_no_tags() -> None:
    told = Transitions.valid(LABELS)
    assert viterbi(np.zeros((0, COUNT)), told).shape == (0,)
    assert marginals(np.zeros((0, COUNT)), told).shape == (0, COUNT)
    assert probabilities(np.zeros((0, COUNT))).shape == (0, COUNT)


def test_scores_of_other_labels_are_refused() -> None:
    with pytest.raises(AlignError, match="7 labels"):
        viterbi(np.zeros((3, 2)), Transitions.valid(LABELS))


@given(
    st.integers(0, 10**6),
    st.integers(1, 40),
    st.booleans(),
    st.sampled_from([np.nan, np.inf, -np.inf]),
    st.data(),
)
def test_nothing_is_decided_by_scores_that_are_no_numbers(
    seed: int, length: int, crf: bool, wrong: float, data: st.DataObject
) -> None:
    scores, told = drawn(seed, length, crf)
    place = data.draw(st.integers(0, length - 1)), data.draw(st.integers(0, COUNT - 1))
    scores[place] = wrong
    for decide in (viterbi, decoded, marginals, shares_of):
        with pytest.raises(NotFiniteError, match="not finite"):
            decide(scores, told)
    with pytest.raises(NotFiniteError):
        probabilities(scores)


@given(st.integers(0, 10**6), st.integers(1, 40), st.booleans())
def test_the_largest_scores_give_probabilities_still(seed: int, length: int, crf: bool) -> None:
    scores, told = drawn(seed, length, crf)
    scores = (np.sign(scores) * np.finfo(np.float32).max).astype(np.float32)
    tags, shares = decoded(scores, told)
    assert np.allclose(shares.sum(axis=1), 1)
    assert len(tags) == length


FEW_LABELS = Labels(("O", "B-A", "I-A", "B-C"))


def test_what_one_says_of_a_whole_it_says_of_its_parts() -> None:
    whole, parts = TokenOffsets.of([(0, 4)]), TokenOffsets.of([(0, 2), (2, 4)])
    common = common_tokens([whole, parts])
    assert common.offsets.starts.tolist() == [0, 2]
    says_whole = np.array([[0.1, 0.7, 0.1, 0.1]])
    says_parts = np.array([[0.5, 0.5, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]])
    mean = common.mean([says_whole, says_parts], FEW_LABELS)
    assert np.allclose(mean[0], [0.3, 0.6, 0.05, 0.05])
    assert np.allclose(mean[1], [0.55, 0.0, 0.4, 0.05])  # B of A becomes I; C has no I and keeps B


def test_a_reader_without_a_unit_abstains() -> None:
    common = common_tokens([TokenOffsets.of([(0, 1)]), TokenOffsets.of([(0, 1), (2, 3)])])
    mean = common.mean([np.eye(4)[[1]], np.eye(4)[[0, 3]]], FEW_LABELS)
    assert np.allclose(mean, [[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])


def test_a_reader_can_count_more() -> None:
    common = common_tokens([TokenOffsets.of([(0, 1)]), TokenOffsets.of([(0, 1), (2, 3)])])
    mean = common.mean([np.eye(4)[[1]], np.eye(4)[[0, 3]]], FEW_LABELS, weights=(3, 1))
    assert np.allclose(mean, [[0.25, 0.75, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])


def test_as_many_predictions_and_weights_as_readers() -> None:
    common = common_tokens([TokenOffsets.of([(0, 1)])])
    with pytest.raises(AlignError, match="1 readers"):
        common.mean([], FEW_LABELS)
    with pytest.raises(AlignError, match="1 readers"):
        common.mean([np.eye(4)[[1]]], FEW_LABELS, weights=(1, 2))


@given(st.text(max_size=40))
def test_all_characters_of_all_readers_stay(text: str) -> None:
    readers = [TokenReader(made).read(text).offsets for made in tiny_tokenizers().values()]
    common = common_tokens(readers)
    reached = np.zeros(len(text), bool)
    for offsets in readers:
        solid = TokenOffsets(offsets.starts[offsets.solid], offsets.ends[offsets.solid])
        reached |= within(solid, len(text))
    assert (within(common.offsets, len(text)) == reached).all()
    for offsets, own, continues in zip(readers, common.within, common.continues, strict=True):
        assert set(own[~continues & (own >= 0)]) <= set(offsets.solid.tolist())
    mean = common.mean([np.full((len(offsets), 4), 0.25) for offsets in readers], FEW_LABELS)
    assert np.allclose(mean.sum(axis=1), 1.0)
