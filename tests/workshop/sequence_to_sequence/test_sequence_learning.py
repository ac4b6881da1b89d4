"""How a Transformer learns: the paper's schedule and loss, batches, and runs that go on exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import torch
from tiny_transformers import SIZES
from torch.nn import functional
from torch.testing import assert_close

from incognote.base.errors import TrainError
from incognote.workshop.sequence_to_sequence.learning import (
    Tick,
    TransformerRun,
    mean_of,
    smoothed_loss,
)
from incognote.workshop.sequence_to_sequence.options import LearningOptions
from incognote.workshop.sequence_to_sequence.pairs import batch_of, batches
from incognote.workshop.sequence_to_sequence.search import greedy
from incognote.workshop.sequence_to_sequence.transformer import (
    Transformer,
    TransformerConfig,
    TransformerScorer,
)
from incognote.workshop.training.loop import Paused
from incognote.workshop.training.optimizers import inverse_root


class Reversed:
    """Numbers, and the same in the other order."""

    fingerprint = "reversed"

    def __init__(self, count: int = 120, longest: int = 6) -> None:
        draws = np.random.default_rng(0)
        lengths = draws.integers(2, longest + 1, count)
        self.rows = [draws.integers(2, 12, length).tolist() for length in lengths]

    def lengths(self, epoch: int) -> npt.NDArray[np.int64]:
        return np.array([len(row) + 1 for row in self.rows])

    def pair(self, epoch: int, number: int) -> tuple[Sequence[int], Sequence[int]]:
        row = self.rows[number]
        return [*row, 1], [*reversed(row), 1]


OPTIONS = LearningOptions(
    steps=8, batch_tokens=64, warmup=10, checkpoint_every=2, mean_of=3, save_seconds=1e9
)


def new_model() -> Transformer:
    torch.manual_seed(5)
    return Transformer(TransformerConfig(**{**SIZES, "vocabulary_size": 12, "dropout": 0.1}))


def weights(model: Transformer) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in model.state_dict().items()}


def test_the_papers_schedule() -> None:
    rates = [inverse_root(step, 512, 4000) for step in range(12_000)]
    assert rates[0] == pytest.approx(512**-0.5 * 4000**-1.5)
    assert max(rates) == rates[3999] == pytest.approx(6.99e-4, abs=1e-6)
    assert rates[1999] == pytest.approx(rates[3999] / 2)
    assert rates[11_999] == pytest.approx((512 * 12_000) ** -0.5)
    assert all(a < b for a, b in pairwise(rates[:4000]))
    assert all(a > b for a, b in pairwise(rates[3999:]))


@pytest.mark.parametrize("share", [0.0, 0.1, 0.4])
def test_smoothed_labels_are_torchs_and_the_formula(share: float) -> None:
    logits, wanted = torch.randn(6, 9, generator=torch.Generator().manual_seed(2)), torch.arange(6)
    theirs = torch.nn.CrossEntropyLoss(label_smoothing=share, reduction="sum")(logits, wanted)
    assert_close(smoothed_loss(logits, wanted, share), theirs)
    labels = torch.full((6, 9), share / 9)
    labels[torch.arange(6), wanted] += 1 - share
    formula = -(labels * functional.log_softmax(logits, -1)).sum()
    assert_close(smoothed_loss(logits, wanted, share), formula)


def test_padding_costs_nothing() -> None:
    pairs = [Reversed().pair(0, number) for number in range(5)]
    batch = batch_of(pairs, new_model().config)
    assert batch.wanted.tolist() == [token for _, target in pairs for token in target]
    assert batch.tokens == sum(len(source) + len(target) for source, target in pairs)
    for row, (_, target) in zip(batch.target, pairs, strict=True):
        assert row[: len(target)].tolist() == [0, *target[:-1]]


def test_every_pair_comes_once_an_epoch_and_batches_keep_their_size() -> None:
    pairs = Reversed()
    for epoch in (0, 1):
        planned = batches(pairs, epoch, 64, seed=3)
        assert sorted(np.concatenate(planned).tolist()) == list(range(120))
        lengths = pairs.lengths(epoch)
        assert all(lengths[numbers].max() * len(numbers) <= 64 for numbers in planned)
    first, again = batches(pairs, 0, 64, seed=3), batches(pairs, 0, 64, seed=3)
    assert all((a == b).all() for a, b in zip(first, again, strict=True))


@pytest.mark.parametrize("stop_at", [1, 4, 7])
def test_a_stopped_run_ends_with_the_same_weights(tmp_path: Path, stop_at: int) -> None:
    whole = TransformerRun(new_model(), Reversed(), OPTIONS, tmp_path / "whole")
    whole.train()

    def stop(tick: Tick) -> None:
        if tick.progress.step == stop_at:
            raise Paused

    first = TransformerRun(new_model(), Reversed(), OPTIONS, tmp_path / "parts", watch=stop)
    with pytest.raises(Paused):
        first.train()
    torch.manual_seed(99)
    second = TransformerRun(new_model(), Reversed(), OPTIONS, tmp_path / "parts")
    second.begin(resume=True, say=lambda line: None)
    assert second.progress.step == stop_at
    second.train()
    assert_close(weights(second.model), weights(whole.model), atol=0, rtol=0)
    assert second.progress.loss == whole.progress.loss


def test_a_stopped_run_may_go_on_to_other_steps_but_not_back(tmp_path: Path) -> None:
    def stop(tick: Tick) -> None:
        if tick.progress.step == 5:
            raise Paused

    with pytest.raises(Paused):
        TransformerRun(new_model(), Reversed(), OPTIONS, tmp_path, watch=stop).train()
    fewer = TransformerRun(new_model(), Reversed(), replace(OPTIONS, steps=4), tmp_path)
    fewer.begin(resume=True, say=lambda line: None)
    with pytest.raises(TrainError, match="5 steps already"):
        fewer.train()
    more = TransformerRun(new_model(), Reversed(), replace(OPTIONS, steps=6), tmp_path)
    more.begin(resume=True, say=lambda line: None)
    more.train()
    assert more.progress.step == 6
    other = TransformerRun(new_model(), Reversed(), replace(OPTIONS, warmup=11), tmp_path)
    with pytest.raises(TrainError, match="another warmup"):
        other.begin(resume=True, say=lambda line: None)


def test_the_result_is_the_mean_of_the_last_checkpoints(tmp_path: Path) -> None:
    assert OPTIONS.averaged == (4, 6, 8)
    assert replace(OPTIONS, steps=7).averaged == (4, 6, 7)
    assert replace(OPTIONS, steps=1).averaged == (1,)
    seen: dict[int, dict[str, torch.Tensor]] = {}
    run = TransformerRun(
        new_model(),
        Reversed(),
        OPTIONS,
        tmp_path,
        watch=lambda tick: seen.update({tick.progress.step: weights(run.model)}),
    )
    run.train()
    expected = mean_of([seen[step] for step in OPTIONS.averaged])
    assert_close(weights(run.model), expected, atol=0, rtol=0)
    both = (seen[4]["words.weight"] + seen[6]["words.weight"] + seen[8]["words.weight"]) / 3
    assert_close(expected["words.weight"], both)


def test_it_learns_to_reverse(tmp_path: Path) -> None:
    pairs = Reversed(count=200, longest=4)
    options = replace(
        OPTIONS, steps=240, batch_tokens=200, warmup=60, checkpoint_every=5, lr_scale=0.2
    )
    torch.manual_seed(1)
    sizes = {**SIZES, "vocabulary_size": 12, "hidden_size": 32, "feed_forward_size": 64}
    model = Transformer(TransformerConfig(**{**sizes, "dropout": 0.0}))
    TransformerRun(model, pairs, options, tmp_path).train()
    some = [pairs.pair(0, number) for number in range(60)]
    found = greedy(
        TransformerScorer(model),
        [source for source, _ in some],
        start_id=0,
        end_id=1,
        longest=[10] * 60,
    )
    right = sum(
        list(each.tokens) == list(target) for each, (_, target) in zip(found, some, strict=True)
    )
    assert right >= 50
