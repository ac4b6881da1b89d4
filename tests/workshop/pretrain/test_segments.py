"""Sequences: whole sentences, the right documents, the right labels, nothing lost in silence."""

from __future__ import annotations

import pickle
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from workshop.pretrain.toy_shards import FIRST, ToyShards, drawn_shards, toy_tokenizer

from incognote.align.tokens import Integers
from incognote.base.errors import TrainError
from incognote.workshop.pretrain import segments
from incognote.workshop.pretrain import stream as stream_module
from incognote.workshop.pretrain.examples import Examples, ExampleSettings, Inputs
from incognote.workshop.pretrain.masking import Masking
from incognote.workshop.pretrain.objectives import make_objective
from incognote.workshop.pretrain.segments import Plan

CLS, SEP = 2, 3
ALL_INPUTS: tuple[Inputs, ...] = (
    "segment-pair",
    "sentence-pair",
    "sentence-order",
    "full-sentences",
    "doc-sentences",
)
DOCUMENTS = st.lists(
    st.lists(st.lists(st.integers(1, 3), min_size=1, max_size=9), min_size=1, max_size=8),
    min_size=2,
    max_size=6,
)


def examples_of(
    shards: ToyShards, inputs: Inputs, *, seed: int = 0, vocabulary: int = 20_000, **more: Any
) -> Examples:
    tokenizer = toy_tokenizer("albert", vocabulary)
    chosen = ExampleSettings(inputs=inputs, **more)
    return make_objective("mlm", tokenizer, shards).examples(shards, shards.all, chosen, seed)


def original(example: Any) -> Integers:
    """Ids before masking."""
    ids: Integers = example.ids.copy()
    ids[example.places] = example.targets
    return ids


def halves(example: Any) -> tuple[list[int], list[int]]:
    ids = original(example)
    assert ids[0] == CLS
    assert ids[-1] == SEP
    assert (ids == SEP).sum() == 2
    middle = int(np.flatnonzero(ids == SEP)[0])
    np.testing.assert_array_equal(example.segments, np.arange(len(ids)) > middle)
    return ids[1:middle].tolist(), ids[middle + 1 : -1].tolist()


def document_of(shards: ToyShards, piece: int) -> int:
    return int(np.searchsorted(np.cumsum(shards.lengths), piece - FIRST, "right"))


def sentence_starts(shards: ToyShards) -> set[int]:
    lengths = shards.sentence_lengths(shards.all)
    return set((FIRST + np.cumsum(lengths) - lengths).tolist())


@settings(max_examples=25)
@given(documents=DOCUMENTS, length=st.integers(16, 60), seed=st.integers(0, 99))
def test_a_sentence_order_pair_is_contiguous_text_of_one_document(
    documents: list[list[list[int]]], length: int, seed: int
) -> None:
    shards = ToyShards(documents)
    examples = examples_of(shards, "sentence-order", length=length, seed=seed)
    starts = sentence_starts(shards)
    try:
        count = examples.count(0)
    except TrainError:
        return
    used = 0
    for index in range(count):
        example = examples.example(0, index)
        first, second = halves(example)
        if example.label == 1:
            first, second = second, first
        text = first + second
        assert text == list(range(text[0], text[0] + len(text)))  # ids run on
        assert document_of(shards, text[0]) == document_of(shards, text[-1])
        assert {text[0], second[0]} <= starts
        assert text[-1] + 1 in starts | {FIRST + int(shards.lengths.sum())}
        assert len(example.ids) <= length
        used += len(text)
    report = examples.report(0)
    left = report["sentences_alone"] + report["sentences_too_long"]
    assert (used == shards.lengths.sum()) == (left == 0)


def test_what_makes_no_pair_is_counted_and_never_given_a_random_second() -> None:
    lone = ToyShards([[[1] * 9], [[1] * 9, [1] * 9], [[1] * 9], [[1] * 40, [1] * 9]])
    examples = examples_of(lone, "sentence-order", length=32)
    assert examples.count(0) == 1
    # Two documents have one sentence; a long one leaves its neighbour alone.
    assert examples.report(0) == {"sentences_alone": 3, "sentences_too_long": 1}


def test_what_makes_no_pair_can_be_kept_without_a_label() -> None:
    lone = ToyShards([[[1] * 9], [[1] * 9, [1] * 9], [[1] * 9], [[1] * 40, [1] * 9]])
    examples = examples_of(lone, "sentence-order", length=32, unpaired=True)
    made = [examples.example(0, index) for index in range(examples.count(0))]
    pairs = [example for example in made if example.label >= 0]
    assert len(pairs) == 1
    read = np.sort(np.concatenate([original(example) for example in made]))
    assert read[read >= FIRST].tolist() == list(range(FIRST, FIRST + int(lone.lengths.sum())))
    assert max(len(example.ids) for example in made) <= 32
    assert [len(example.ids) for example in made] == examples.lengths(0).tolist()
    objective = make_objective("mlm+sop", toy_tokenizer("albert", 20_000), lone)
    assert objective.batch(made).counts["sop"] == 1


def test_half_of_the_pairs_are_swapped() -> None:
    examples = examples_of(drawn_shards(300), "sentence-order", length=64, vocabulary=97)
    labels = [examples.example(epoch, i).label for epoch in (0, 1) for i in range(600)]
    assert np.mean(labels) == pytest.approx(0.5, abs=0.045)
    assert set(labels) == {0, 1}


@pytest.mark.parametrize("inputs", ["segment-pair", "sentence-pair"])
def test_half_of_the_seconds_are_from_another_document(inputs: Inputs) -> None:
    draws = np.random.default_rng(0)
    shards = ToyShards([[[1] * int(draws.integers(2, 9)) for _ in range(12)] for _ in range(200)])
    examples = examples_of(shards, inputs, length=48)
    starts = sentence_starts(shards)
    labels = []
    for index in range(examples.count(0)):
        example = examples.example(0, index)
        first, second = halves(example)
        own, other = document_of(shards, first[0]), document_of(shards, second[0])
        assert {first[0], second[0]} <= starts
        assert document_of(shards, first[-1]) == own
        assert document_of(shards, second[-1]) == other
        assert (own == other) == (example.label == 0)
        if example.label == 0:
            assert second[0] == first[-1] + 1
        if inputs == "sentence-pair":
            assert not (set(first[1:]) | set(second[1:])) & starts
        labels.append(example.label)
    assert np.mean(labels) == pytest.approx(0.5, abs=0.04)


def test_next_sentence_needs_another_document() -> None:
    with pytest.raises(TrainError, match="two documents"):
        examples_of(ToyShards([[[1, 2], [2]]]), "segment-pair", length=16)


@settings(max_examples=25)
@given(documents=DOCUMENTS, length=st.integers(8, 40), short=st.sampled_from([0.0, 0.5]))
def test_full_sentences_have_all_text_once_and_a_separator_between_documents(
    documents: list[list[list[int]]], length: int, short: float
) -> None:
    shards = ToyShards(documents)
    examples = examples_of(shards, "full-sentences", length=length, short=short)
    read: list[int] = []
    for index in range(examples.count(0)):
        ids = original(examples.example(0, index))
        assert len(ids) == examples.lengths(0)[index] <= length
        inner = ids[1:-1].tolist()
        for before, sep, after in zip(inner, inner[1:], inner[2:], strict=False):
            if sep == SEP:
                assert document_of(shards, before) + 1 == document_of(shards, after)
        text = [piece for piece in inner if piece != SEP]
        crossed = document_of(shards, text[-1]) - document_of(shards, text[0])
        assert inner.count(SEP) == crossed
        read += text
    assert read == list(range(FIRST, FIRST + int(shards.lengths.sum())))


@settings(max_examples=25)
@given(documents=DOCUMENTS, length=st.integers(8, 40))
def test_doc_sentences_have_all_text_once_and_cross_no_document(
    documents: list[list[list[int]]], length: int
) -> None:
    shards = ToyShards(documents)
    examples = examples_of(shards, "doc-sentences", length=length, short=0.0)
    read: list[int] = []
    for index in range(examples.count(0)):
        text = original(examples.example(0, index))[1:-1].tolist()
        assert document_of(shards, text[0]) == document_of(shards, text[-1])
        read += text
    assert read == list(range(FIRST, FIRST + int(shards.lengths.sum())))


@pytest.mark.parametrize("inputs", ["sentence-order", "full-sentences", "doc-sentences"])
def test_a_tenth_of_the_targets_are_shorter(inputs: Inputs) -> None:
    """With sentences of one piece a sequence has exactly its target, until its document ends."""
    shards = ToyShards([[[1]] * 15_000 for _ in range(8)])
    examples = examples_of(shards, inputs, length=64, vocabulary=97)
    lengths = np.concatenate([examples.lengths(epoch) for epoch in range(2)])
    shorter = lengths < 64
    assert shorter.mean() == pytest.approx(0.1 * 60 / 61, abs=0.012)
    # All lengths are about as likely; the mean of them lies in the middle.
    assert lengths[shorter].mean() == pytest.approx((5 + 64) / 2, abs=3)


def test_most_room_is_used() -> None:
    examples = examples_of(
        drawn_shards(100), "full-sentences", length=128, short=0.0, vocabulary=97
    )
    assert examples.lengths(0).mean() > 128 - 40


@pytest.mark.parametrize("inputs", ALL_INPUTS)
def test_any_example_can_be_made_again_in_any_order_and_process(inputs: Inputs) -> None:
    shards = drawn_shards(30)
    one = examples_of(shards, inputs, length=64, vocabulary=97)
    two = pickle.loads(pickle.dumps(examples_of(shards, inputs, length=64, vocabulary=97)))
    count = one.count(3)
    ahead = [one.example(3, index) for index in range(count)]
    for index in reversed(range(count)):
        for a, b in zip(ahead[index], two.example(3, index), strict=True):
            np.testing.assert_array_equal(a, b)
    with pytest.raises(IndexError):
        one.example(3, count)


def test_epochs_differ_unless_masks_are_static() -> None:
    shards = drawn_shards(30)
    dynamic = examples_of(shards, "doc-sentences", length=64, vocabulary=97, short=0.0)
    assert dynamic.count(0) == dynamic.count(1)
    same = [
        np.array_equal(dynamic.example(0, i).places, dynamic.example(1, i).places)
        for i in range(50)
    ]
    assert not any(same)
    static = examples_of(
        shards, "doc-sentences", length=64, vocabulary=97, masking=Masking(copies=2)
    )
    for index in range(20):
        first, again = static.example(0, index), static.example(2, index)
        for a, b in zip(first, again, strict=True):
            np.testing.assert_array_equal(a, b)
    assert any(
        not np.array_equal(static.example(0, i).places, static.example(1, i).places)
        for i in range(20)
    )


def test_seeds_differ() -> None:
    shards = drawn_shards(30)
    one, two = (
        examples_of(shards, "doc-sentences", length=64, vocabulary=97, seed=seed) for seed in (0, 1)
    )
    assert not np.array_equal(one.example(0, 0).places, two.example(0, 0).places)


@pytest.mark.parametrize("inputs", ALL_INPUTS)
def test_planning_in_small_blocks_loses_nothing(
    inputs: Inputs, monkeypatch: pytest.MonkeyPatch
) -> None:
    shards = drawn_shards(30)
    whole = examples_of(shards, inputs, length=64, short=0.0, vocabulary=97)
    monkeypatch.setattr(stream_module, "BLOCK", 40)
    parts = examples_of(shards, inputs, length=64, short=0.0, vocabulary=97)
    if inputs in ("doc-sentences",):
        np.testing.assert_array_equal(parts.lengths(0), whole.lengths(0))
    assert parts.count(0) == pytest.approx(whole.count(0), rel=0.2)
    for index in range(parts.count(0)):
        assert len(parts.example(0, index).ids) <= 64


def test_text_that_gives_no_example_is_refused() -> None:
    with pytest.raises(TrainError, match="two sentences"):
        examples_of(ToyShards([[[1, 2]], [[1]]]), "sentence-order", length=16).count(0)
    with pytest.raises(TrainError, match="room"):
        replace(ExampleSettings(), length=4)


def test_inputs_must_answer_the_objectives_question() -> None:
    shards = drawn_shards(5)
    objective = make_objective("mlm+sop", toy_tokenizer("albert", 97), shards)
    with pytest.raises(TrainError, match="no labels"):
        objective.examples(
            shards, shards.all, replace(objective.settings, inputs="segment-pair"), 0
        )


def test_joining_plans_holds_few_sequences_twice() -> None:
    blocks, sequences = 50, 2000

    def plans() -> Iterator[Plan]:
        for number in range(blocks):
            begins = np.arange(sequences) + number * sequences
            small = (begins % 500).astype(np.uint16)
            yield Plan(begins, small, small + 1, small + 2, begins % 2 == 0, {"alone": number})

    tracemalloc.start()
    whole = Plan.joined(plans())
    kept, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert whole.begins.tolist() == list(range(blocks * sequences))
    assert (whole.sizes[-1], whole.rooms[-1], whole.left_out) == (500, 501, {"alone": 1225})
    assert 15 * blocks * sequences <= kept < 16 * blocks * sequences
    assert peak < 24 * blocks * sequences


def test_sequences_longer_than_a_plan_counts_are_refused() -> None:
    with pytest.raises(TrainError, match="at most 65,535 tokens"):
        ExampleSettings(length=70_000)


@pytest.mark.parametrize("inputs", ALL_INPUTS)
def test_a_long_document_is_planned_in_few_arrays(
    inputs: Inputs, monkeypatch: pytest.MonkeyPatch
) -> None:
    shards = drawn_shards(6)
    plans = []
    for packed in (1, 2, 10_000):
        monkeypatch.setattr(segments, "_PACKED", packed)
        plans.append(examples_of(shards, inputs, length=32, unpaired=True)._plan(0))
    for name in ("begins", "borders", "sizes", "rooms", "random"):
        first, *others = (getattr(plan, name).tolist() for plan in plans)
        assert all(other == first for other in others), name
