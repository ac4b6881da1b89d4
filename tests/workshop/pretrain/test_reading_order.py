"""Spans that XLNet predicts, the order of reading, and what its targets see."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from encoder_oracle import SIZES
from workshop.pretrain.toy_shards import ToyShards, drawn_shards, toy_tokenizer

from incognote.align.tokens import Flags, Integers
from incognote.base.errors import TrainError
from incognote.workshop.encoders import Model
from incognote.workshop.encoders.xlnet import XlnetConfig
from incognote.workshop.pretrain.objectives import make_objective
from incognote.workshop.pretrain.objectives.permutation import (
    Group,
    PermutedBatch,
    permutation_logits,
)
from incognote.workshop.pretrain.reading_order import (
    SEEN_BY_ALL,
    Permutation,
    reading_order,
    span_places,
)

CONFIG = XlnetConfig(**{name: size for name, size in SIZES.items() if name != "positions"})
CLS, SEP = 1, 2


def text(words: list[int]) -> tuple[Flags, Flags]:
    """Special flags and word starts of a text with <sep> <cls> behind it."""
    starts = np.zeros(sum(words) + 2, np.bool_)
    starts[np.cumsum([0, *words])] = True
    starts[-1] = True
    special = np.zeros_like(starts)
    special[-2:] = True
    return special, starts


def predicted(settings: Permutation, words: list[int], count: int) -> list[Integers]:
    special, starts = text(words)
    return [
        span_places(special, starts, settings, np.random.default_rng([5, index]))
        for index in range(count)
    ]


@pytest.mark.parametrize("context", [6, 7])
@pytest.mark.parametrize("most", [1, 3])
def test_one_piece_in_k_is_predicted_everywhere(context: int, most: int) -> None:
    words = np.random.default_rng(1).integers(1, most + 1, 200).tolist()
    made = predicted(Permutation(context=context), words, 1500)
    share = sum(map(len, made)) / (1500 * sum(words))
    assert share == pytest.approx(1 / context, rel=0.03)
    hits = np.bincount(np.concatenate(made), minlength=sum(words)) / 1500
    fifths = [part.mean() for part in np.array_split(hits[: sum(words)], 5)]
    np.testing.assert_allclose(fifths, 1 / context, rtol=0.06)


def test_spans_have_one_to_five_words_in_proportion_to_one_over_n() -> None:
    made = predicted(Permutation(context=30), [1] * 3000, 120)
    counts = np.zeros(6)
    for places in made:
        inner = places[(places > 200) & (places < 2800)]
        runs = np.split(inner, np.flatnonzero(np.diff(inner) > 1) + 1)
        lengths = [len(run) for run in runs]
        counts += np.bincount(np.minimum(lengths, 5), minlength=6)
    # Spans of neighbouring windows may touch, which makes a few longer.
    np.testing.assert_allclose(counts[1:] / counts.sum(), 60 / 137 / np.arange(1, 6), atol=0.03)


def test_whole_words_are_predicted_and_special_pieces_never() -> None:
    special, starts = text([3, 1, 2] * 30)
    word = np.cumsum(starts)
    for index in range(50):
        places, ranks = reading_order(special, starts, Permutation(), np.random.default_rng(index))
        assert not special[places].any()
        chosen = np.isin(np.arange(len(word)), places)
        for number in np.unique(word[places]):
            assert chosen[word == number].all()
        np.testing.assert_array_equal(ranks == SEEN_BY_ALL, ~chosen & ~special)
        later = ranks[ranks != SEEN_BY_ALL]
        assert len(set(later.tolist())) == len(later)


def test_a_text_of_one_word_has_a_target() -> None:
    for index in range(20):
        special, starts = text([2])
        places = span_places(special, starts, Permutation(), np.random.default_rng(index))
        assert places.tolist() == [0, 1]


def batch_of(count: int = 12, **settings: Any) -> PermutedBatch:
    shards = drawn_shards(12, most_pieces=2)
    objective = make_objective("xlnet", toy_tokenizer("xlnet"), shards)
    inputs = settings.pop("inputs", "doc-sentences")
    chosen = replace(
        objective.settings, inputs=inputs, length=26, short=0.4, permutation=Permutation(**settings)
    )
    examples = objective.examples(shards, shards.all, chosen, 0)
    made = objective.batch([examples.example(0, index) for index in range(count)])
    assert isinstance(made, PermutedBatch)
    return made


def seen(model: Model, group: Group) -> torch.Tensor:
    """[targets, length]: whether a target's logits depend on what stands at each place."""
    embedded: list[torch.Tensor] = []

    def keep(_: object, __: object, output: torch.Tensor) -> torch.Tensor:
        embedded.append(output.detach().requires_grad_())
        return embedded[-1]

    hook = model.encoder.embeddings.words.register_forward_hook(keep)  # type: ignore[union-attr]
    logits = permutation_logits(model, group)
    hook.remove()
    rows = (group.places >= 0).nonzero()[:, 0]
    found = []
    for number, row in enumerate(rows.tolist()):
        (grad,) = torch.autograd.grad(logits[number].sin().sum(), embedded[-1], retain_graph=True)
        found.append(grad[row].abs().sum(-1) > 0)
    return torch.stack(found)


@pytest.mark.parametrize("settings", [{}, {"both_ways": True}, {"inputs": "segment-pair"}])
def test_a_target_sees_neither_itself_nor_later_targets(settings: dict[str, Any]) -> None:
    """By the gradients of a real model with two layers and two streams, in double precision."""
    torch.manual_seed(0)
    model = Model(replace(CONFIG, layers=2), heads=("permutation",)).double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(0.0, 0.3)
    for group in batch_of(**settings).groups:
        looked = seen(model, group)
        real = group.places >= 0
        row, places = real.nonzero()[:, 0], group.places[real]
        for number, (r, place) in enumerate(zip(row.tolist(), places.tolist(), strict=True)):
            ranks = group.ranks[r]
            later = (ranks >= ranks[place]) & (ranks != SEEN_BY_ALL)
            before = group.mask[r] & ~later
            assert not looked[number][later].any()
            assert not looked[number][~group.mask[r]].any()
            assert looked[number][before].all()


def test_the_context_sees_no_target() -> None:
    for group in batch_of().groups:
        hidden = group.perm_mask()
        context = (group.ranks == SEEN_BY_ALL) & group.mask
        for row in range(len(group.ids)):
            targets = group.places[row][group.places[row] >= 0]
            assert hidden[row][context[row]][:, targets].all()
            assert not hidden[row][:, context[row]].any()


def test_sequences_end_with_cls_and_are_padded_on_the_left() -> None:
    for group in batch_of(both_ways=True).groups:
        assert (group.ids[:, -1] == CLS).all()
        assert (group.ids[:, -2] == SEP).all()
        assert group.mask[:, -1].all()
        assert (group.segments[:, -1] == 2).all()
        real = group.places >= 0
        rows = real.nonzero()[:, 0]
        assert torch.equal(group.ids[rows, group.places[real]], group.targets)


def test_little_of_a_row_is_padding() -> None:
    groups = batch_of(40).groups
    assert sum(len(group.ids) for group in groups) == 40
    assert any(not group.mask.all() for group in groups)
    for group in groups:
        assert (group.mask.float().mean(1) >= 15 / 16).all()


def test_memory_is_the_text_before_and_backward_the_text_behind() -> None:
    shards = ToyShards([[[1] * 8] * 12])  # ids run on
    objective = make_objective("xlnet", toy_tokenizer("xlnet", 120), shards)
    chosen = replace(
        objective.settings,
        inputs="doc-sentences",
        length=18,
        permutation=Permutation(memory=10, both_ways=True),
    )
    examples = objective.examples(shards, shards.all, chosen, 0)
    ways = set()
    for index in range(examples.count(0)):
        example = examples.example(0, index)
        ids = example.ids[:-2]
        if example.memory is not None:
            step = -1 if example.backward else 1
            whole = np.concatenate([example.memory, ids])
            assert (np.diff(whole) == step).all()
        edge = 101 - ids[0] if example.backward else ids[0] - 5
        assert (example.memory is None) == (edge < 10)
        ways.add((example.backward, example.memory is not None))
    assert len(ways) >= 3


def test_reading_both_ways_needs_one_segment() -> None:
    with pytest.raises(TrainError, match="both ways"):
        batch_of(inputs="segment-pair", both_ways=True)


def test_permutations_that_mean_nothing_are_refused() -> None:
    with pytest.raises(TrainError):
        Permutation(context=1)
