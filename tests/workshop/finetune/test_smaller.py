"""Narrower feed-forward layers have the weightiest units of the wider ones."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from incognote.base.errors import TrainError
from incognote.workshop.encoders import Model
from incognote.workshop.encoders.albert import AlbertConfig
from incognote.workshop.encoders.bert import BertConfig
from incognote.workshop.encoders.roberta import RobertaConfig
from incognote.workshop.finetune.examples import Packed
from incognote.workshop.finetune.smaller import keep_units
from incognote.workshop.finetune.tagger import Tagger

SIZES: dict[str, Any] = {
    "vocabulary_size": 50,
    "hidden_size": 32,
    "heads": 4,
    "feed_forward_size": 64,
    "layers": 2,
    "dropout": 0.0,
}
LABELS = ("O", "B-NAME", "I-NAME")
NOTE = Packed(torch.arange(1, 41), (24, 16), None, None, None)
CONFIGS = [BertConfig(**SIZES), RobertaConfig(**SIZES), AlbertConfig(**SIZES, embedding_size=16)]


def wide(config: Any) -> Tagger:
    torch.manual_seed(3)
    model = Model(config, heads=("tokens",), labels=LABELS)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return Tagger(model, shape=False, crf=False).eval()


def units(tagger: Tagger) -> Any:
    encoder: Any = tagger.model.encoder
    return encoder.stack.feed_forwards


@torch.no_grad()
@pytest.mark.parametrize("config", CONFIGS)
def test_units_that_say_nothing_are_left_out_first(config: Any) -> None:
    tagger = wide(config)
    for layer in units(tagger):
        layer.down.weight[:, ::2] = 0
    before = tagger(**NOTE.inputs)
    keep_units(tagger, 32, [NOTE])
    assert tagger.model.labels == LABELS
    assert torch.allclose(tagger(**NOTE.inputs), before, atol=1e-4)


@torch.no_grad()
def test_units_that_always_say_the_same_go_into_the_bias() -> None:
    tagger = wide(CONFIGS[0])
    for layer in units(tagger):
        layer.up.weight[40:] = 0  # what they say, and loudly, is their bias
        layer.up.bias[40:] = 3
        layer.down.weight[:, 40:] *= 9
    kept = [layer.up.weight[:40].clone() for layer in units(tagger)]
    before = tagger(**NOTE.inputs)
    keep_units(tagger, 40, [NOTE])
    assert torch.allclose(tagger(**NOTE.inputs), before, atol=1e-3)
    for layer, weight in zip(units(tagger), kept, strict=True):
        assert torch.equal(layer.up.weight, weight)


def test_training_mode_stays() -> None:
    tagger = wide(CONFIGS[0]).train()
    keep_units(tagger, 8, [NOTE])
    assert tagger.training
    assert tagger.model.training


@pytest.mark.parametrize("count", [0, 64, 80])
def test_more_than_there_are_is_refused(count: int) -> None:
    with pytest.raises(TrainError, match="from 1 to 63"):
        keep_units(wide(CONFIGS[0]), count, [NOTE])
