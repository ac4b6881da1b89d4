"""Pieces of several tokenizers meet."""

from __future__ import annotations

import numpy as np
import pytest
from align.tiny_tokenizers import tiny_tokenizers
from hypothesis import given
from hypothesis import strategies as st

from incognote.align.pieces import PieceReader
from incognote.align.refine import common_units
from incognote.align.tags import Labels
from incognote.align.units import Units, within
from incognote.base.errors import AlignError

LABELS = Labels(("O", "B-A", "I-A", "B-C"))


def test_what_one_says_of_a_whole_it_says_of_its_parts() -> None:
    whole, parts = Units.of([(0, 4)]), Units.of([(0, 2), (2, 4)])
    common = common_units([whole, parts])
    assert common.units.starts.tolist() == [0, 2]
    says_whole = np.array([[0.1, 0.7, 0.1, 0.1]])
    says_parts = np.array([[0.5, 0.5, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]])
    mean = common.mean([says_whole, says_parts], LABELS)
    assert np.allclose(mean[0], [0.3, 0.6, 0.05, 0.05])
    assert np.allclose(mean[1], [0.55, 0.0, 0.4, 0.05])  # B of A becomes I; C has no I and keeps B


def test_a_reader_without_a_unit_abstains() -> None:
    common = common_units([Units.of([(0, 1)]), Units.of([(0, 1), (2, 3)])])
    mean = common.mean([np.eye(4)[[1]], np.eye(4)[[0, 3]]], LABELS)
    assert np.allclose(mean, [[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])


def test_a_reader_can_count_more() -> None:
    common = common_units([Units.of([(0, 1)]), Units.of([(0, 1), (2, 3)])])
    mean = common.mean([np.eye(4)[[1]], np.eye(4)[[0, 3]]], LABELS, weights=(3, 1))
    assert np.allclose(mean, [[0.25, 0.75, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])


def test_as_many_predictions_and_weights_as_readers() -> None:
    common = common_units([Units.of([(0, 1)])])
    with pytest.raises(AlignError, match="1 readers"):
        common.mean([], LABELS)
    with pytest.raises(AlignError, match="1 readers"):
        common.mean([np.eye(4)[[1]]], LABELS, weights=(1, 2))


@given(st.text(max_size=40))
def test_all_characters_of_all_readers_stay(text: str) -> None:
    readers = [PieceReader(made).read(text).units for made in tiny_tokenizers().values()]
    common = common_units(readers)
    reached = np.zeros(len(text), bool)
    for units in readers:
        solid = Units(units.starts[units.solid], units.ends[units.solid])
        reached |= within(solid, len(text))
    assert (within(common.units, len(text)) == reached).all()
    for units, own, continues in zip(readers, common.within, common.continues, strict=True):
        assert set(own[~continues & (own >= 0)]) <= set(units.solid.tolist())
    mean = common.mean([np.full((len(units), 4), 0.25) for units in readers], LABELS)
    assert np.allclose(mean.sum(axis=1), 1.0)
