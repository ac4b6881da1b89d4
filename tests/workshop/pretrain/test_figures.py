"""Held-out figures are what the model answers, and their intervals are honest."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from tiny_pretraining import TOKENIZER, tiny_shards, tiny_start

from incognote.workshop.pretrain.feed import Order, Place, packs
from incognote.workshop.pretrain.figures import bootstrap, evaluate, wilson
from incognote.workshop.pretrain.loop import example_settings
from incognote.workshop.pretrain.objectives import make_objective
from incognote.workshop.training.processes import Processes

ALONE = Processes(torch.device("cpu"))


def test_figures_are_the_models_answers(tmp_path: Path) -> None:
    shards = tiny_shards(tmp_path / "shards")
    objective = make_objective("mlm+sop", TOKENIZER, shards)
    module = tiny_start(objective).module.train()
    settings = example_settings(objective.settings, {}, 24)
    examples = objective.examples(shards, shards.held_out, settings, 0)
    many = examples.count(0)
    figures = evaluate(objective, module, examples, count=many, pack=64, workers=ALONE)
    assert module.training
    batch = objective.batch([examples.example(0, index) for index in range(many)])
    with torch.no_grad():
        losses = objective.loss(module.eval(), batch, score=True)
    for part in ("mlm", "sop"):
        count = losses.counts[part]
        assert figures[f"{part}_terms"] == count
        assert figures[f"{part}_accuracy"] == pytest.approx(float(losses.right[part]) / count)
        assert figures[f"{part}_loss"] == pytest.approx(float(losses.parts[part]) / count, rel=1e-4)
        low, high = figures[f"{part}_accuracy_low"], figures[f"{part}_accuracy_high"]
        assert 0 <= low <= figures[f"{part}_accuracy"] <= high <= 1
    assert figures["mlm_perplexity"] == pytest.approx(np.exp(figures["mlm_loss"]))
    assert "sop_perplexity" not in figures
    again = evaluate(objective, module, examples, count=many, pack=64, workers=ALONE)
    assert again == figures


def test_wilsons_interval() -> None:
    assert wilson(650, 1000) == pytest.approx((0.61991, 0.67896), abs=1e-4)
    assert wilson(0, 10) == pytest.approx((0.0, 0.27753), abs=1e-4)
    assert wilson(10, 10)[1] == pytest.approx(1.0)


def test_answers_that_hang_together_have_wider_intervals() -> None:
    count = np.full(50, 20.0)
    alike = np.where(np.arange(50) % 2, 20.0, 0.0)  # all right or all wrong
    low, high = bootstrap(alike, count)
    assert high - low > 2 * (wilson(500, 1000)[1] - wilson(500, 1000)[0])
    assert bootstrap(count / 2, count) == pytest.approx((0.5, 0.5))


def test_every_example_comes_once_an_epoch_and_packs_hold_all(tmp_path: Path) -> None:
    shards = tiny_shards(tmp_path / "shards")
    objective = make_objective("mlm+sop", TOKENIZER, shards)
    examples = objective.examples(
        shards, shards.train, example_settings(objective.settings, {}, 24), seed=5
    )
    first = examples.count(0)
    order = Order(examples, 5)
    taken, place = order.take(Place(0, 0), first + 3)
    assert sorted(taken[:first]) == [(0, index) for index in range(first)]
    assert place == Place(1, 3)
    assert [epoch for epoch, _ in taken[first:]] == [1, 1, 1]
    again, _ = Order(examples, 5).take(Place(0, 7), 5)
    assert again == taken[7:12]
    made = packs(examples, taken[:40], 64)
    assert sorted(each for pack in made for each in pack) == sorted(taken[:40])
    sizes = [sum(int(examples.lengths(e)[i]) for e, i in pack) for pack in made]
    assert max(sizes) <= 64 + 24
