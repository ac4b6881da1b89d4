"""Masks: how many, which, what stands in their place, and the same again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incognote.align.tokens import Flags, Integers
from incognote.base.errors import TrainError
from incognote.workshop.pretrain.corpus.arrays import ranges
from incognote.workshop.pretrain.masking import (
    TRIES,
    Masked,
    Masking,
    Vocabulary,
    mask,
    ngram_lengths,
    scatter_ngrams,
)

VOCABULARY = Vocabulary(500, mask_id=4, special_ids=frozenset(range(5)))
ALBERT = Masking(longest=3, whole_words=True)
BERT = Masking()


def sequence(words: list[int], seed: int = 0) -> tuple[Integers, Flags]:
    """[CLS] A [SEP] B [SEP] with words of these many pieces."""
    draws = np.random.default_rng(seed)
    starts = np.zeros(sum(words), np.bool_)
    starts[np.cumsum([0, *words[:-1]])] = True
    ids = draws.integers(5, 500, len(starts))
    middle = int(np.flatnonzero(starts)[len(words) // 2])
    ids = np.concatenate([[2], ids[:middle], [3], ids[middle:], [3]])
    special = [True]
    return ids, np.concatenate([special, starts[:middle], special, starts[middle:], special])


def masked(how: Masking, words: list[int], count: int) -> tuple[Integers, Flags, list[Masked]]:
    ids, starts = sequence(words)
    made = [
        mask(ids, starts, VOCABULARY, how, np.random.default_rng([7, index]))
        for index in range(count)
    ]
    return ids, starts, made


def test_lengths_of_ngrams_are_drawn_in_proportion_to_one_over_n() -> None:
    drawn = ngram_lengths(3, (200_000,), np.random.default_rng(0))
    shares = np.bincount(drawn, minlength=4)[1:] / len(drawn)
    np.testing.assert_allclose(shares, [6 / 11, 3 / 11, 2 / 11], atol=0.004)
    five = np.bincount(ngram_lengths(5, (200_000,), np.random.default_rng(0)))[1:] / 200_000
    np.testing.assert_allclose(five, 60 / 137 / np.arange(1, 6), atol=0.004)


@pytest.mark.parametrize("most", [1, 2, 3])
def test_ngrams_that_are_masked_have_these_lengths_too(most: int) -> None:
    """Neither the budget nor the places they compete for may favour short ones."""
    sizes = np.random.default_rng(3).integers(1, most + 1, 250 // (most + 1))
    counts = np.zeros(4)
    pieces = 0
    for seed in range(500):
        draws = np.random.default_rng(seed)
        lengths = ngram_lengths(3, (TRIES, 19), draws, budget=19, tokens=float(sizes.mean()))
        found = scatter_ngrams(sizes, 19, lengths, draws)
        counts += np.bincount(found.lengths, minlength=4)
        pieces += int(sizes[ranges(*found)].sum())
        assert (np.diff(found.firsts) >= found.lengths[:-1]).all()  # none overlap
    np.testing.assert_allclose(counts[1:] / counts.sum(), [6 / 11, 3 / 11, 2 / 11], atol=0.02)
    assert pieces / 500 > 18.8


@pytest.mark.parametrize("how", [BERT, ALBERT], ids=["pieces", "ngrams"])
def test_fifteen_percent_are_chosen_and_never_more(how: Masking) -> None:
    words = np.random.default_rng(1).integers(1, 4, 60).tolist()
    ids, _, made = masked(how, words, 800)
    most = round(0.15 * len(ids))
    sizes = [len(each.places) for each in made]
    assert max(sizes) == most
    assert np.mean(sizes) == pytest.approx(most, rel=0.005)


@pytest.mark.parametrize("how", [BERT, ALBERT], ids=["pieces", "ngrams"])
def test_eighty_ten_ten(how: Masking) -> None:
    _, _, made = masked(how, [1, 2] * 80, 800)
    given_ = np.concatenate([each.ids[each.places] for each in made])
    wanted = np.concatenate([each.targets for each in made])
    shares = [(given_ == 4).mean(), ((given_ != 4) & (given_ != wanted)).mean()]
    np.testing.assert_allclose(shares, [0.8, 0.1], atol=0.01)
    assert (given_ == wanted).mean() == pytest.approx(0.1, abs=0.01)


def test_a_random_replacement_is_another_ordinary_piece_and_any_of_them() -> None:
    draws = np.random.default_rng(0)
    small = Vocabulary(10, mask_id=4, special_ids=frozenset({0, 1, 2, 3, 4, 7}))
    ids = draws.choice([5, 6, 8, 9], 20_000)
    others = small.others(ids, draws)
    assert (others != ids).all()
    assert set(others.tolist()) == {5, 6, 8, 9}
    shares = np.bincount(others[ids == 6], minlength=10)[[5, 8, 9]] / (ids == 6).sum()
    np.testing.assert_allclose(shares, 1 / 3, atol=0.03)


@settings(max_examples=60)
@given(
    words=st.lists(st.integers(1, 6), min_size=2, max_size=60),
    longest=st.integers(1, 4),
    whole=st.booleans(),
    share=st.sampled_from([0.05, 0.15, 0.5]),
    seed=st.integers(0, 1000),
)
def test_what_always_holds(
    words: list[int], longest: int, whole: bool, share: float, seed: int
) -> None:
    ids, starts = sequence(words, seed)
    chosen = Masking(share=share, longest=longest, whole_words=whole)
    made = mask(ids, starts, VOCABULARY, chosen, np.random.default_rng(seed))
    assert len(made.places) <= max(1, round(share * len(ids)))
    assert (np.diff(made.places) > 0).all()
    assert not VOCABULARY.special[ids[made.places]].any()
    np.testing.assert_array_equal(made.targets, ids[made.places])
    untouched = np.delete(np.arange(len(ids)), made.places)
    np.testing.assert_array_equal(made.ids[untouched], ids[untouched])
    put = made.ids[made.places]
    assert not np.isin(put, [0, 1, 2, 3]).any()
    if whole:
        word = np.cumsum(starts)
        for number in np.unique(word[made.places]):
            assert np.isin(np.flatnonzero(word == number), made.places).all()


def test_every_piece_is_equally_likely_to_be_chosen() -> None:
    ids, _, made = masked(ALBERT, [1] * 60, 1200)
    counts = np.bincount(np.concatenate([each.places for each in made]), minlength=len(ids))
    shares = counts[~VOCABULARY.special[ids]] / 1200
    # n-grams lie wholly within the text, so its outermost words are in fewer of them.
    inner = shares[3:-3]
    assert inner.min() > 0.8 * inner.mean()
    assert inner.max() < 1.2 * inner.mean()
    assert shares.min() > 0.6 * inner.mean()


@pytest.mark.parametrize("wrong", [{"share": 0.0}, {"longest": 0}, {"mask": 0.9, "random": 0.2}])
def test_settings_that_mean_nothing_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(TrainError):
        Masking(**wrong)  # type: ignore[arg-type]
