"""A narrower model has the weightiest parts of the wider one."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from incognote.encoders import Model
from incognote.encoders.albert import AlbertConfig
from incognote.encoders.bert import BertConfig
from incognote.encoders.roberta import RobertaConfig
from incognote.finetune.narrow import keep_width
from incognote.training.errors import TrainError

SIZES: dict[str, Any] = {
    "vocabulary_size": 50,
    "hidden_size": 32,
    "heads": 4,
    "feed_forward_size": 64,
    "layers": 2,
}
LABELS = ("O", "B-NAME", "I-NAME")


def wide(config: Any = None) -> Model:
    torch.manual_seed(3)
    model = Model(config or BertConfig(**SIZES, dropout=0.0), heads=("tokens",), labels=LABELS)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return model


@torch.no_grad()
def test_what_weighs_most_is_kept() -> None:
    model = wide()
    encoder: Any = model.encoder
    heavy = torch.arange(1, 32, 2)
    for attention in encoder.stack.attentions:
        for layer in (attention.query, attention.key, attention.value):
            layer.weight[:, heavy] *= 9
        attention.value.weight[8:24] *= 5  # the second and the third head
    for feed_forward in encoder.stack.feed_forwards:
        feed_forward.up.weight[32:] *= 5
    narrow: Any = keep_width(model, 16).encoder
    assert torch.equal(narrow.embeddings.projection.weight, torch.eye(32)[heavy])
    assert torch.equal(narrow.words, encoder.words)
    for own, given in zip(narrow.stack.attentions, encoder.stack.attentions, strict=True):
        part = given.query.weight[8:24][:, heavy]
        assert torch.allclose(own.query.weight / own.query.weight[0, 0], part / part[0, 0], 1e-4)
        assert torch.allclose(own.query.weight.norm(), given.query.weight[8:24].norm())
        assert torch.equal(own.value.bias, given.value.bias[8:24])
        assert torch.equal(own.norm.weight, given.norm.weight[heavy])
    for own, given in zip(narrow.stack.feed_forwards, encoder.stack.feed_forwards, strict=True):
        assert torch.equal(own.up.bias, given.up.bias[32:])
        assert torch.equal(own.down.bias, given.down.bias[heavy])


@torch.no_grad()
def test_it_runs_and_has_the_labels() -> None:
    narrow = keep_width(wide(), 16).eval()
    assert narrow.labels == LABELS
    hidden = narrow.encoder(torch.arange(1, 9)[None]).hidden
    assert hidden.shape == (1, 8, 16)
    assert bool(hidden.isfinite().all())


@pytest.mark.parametrize("width", [0, 12, 32, 40])
def test_a_width_that_heads_do_not_make_up_is_refused(width: int) -> None:
    with pytest.raises(TrainError, match="multiple of 8 below 32"):
        keep_width(wide(), width)


@pytest.mark.parametrize(
    "config", [AlbertConfig(**SIZES, embedding_size=16), RobertaConfig(**SIZES)]
)
def test_others_are_refused(config: Any) -> None:
    with pytest.raises(TrainError, match="cannot be made narrower"):
        keep_width(wide(config), 16)
