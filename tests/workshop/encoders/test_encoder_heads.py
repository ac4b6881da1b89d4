"""Where the papers and Hugging Face part, we follow the papers; and what we do not compute."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from encoder_oracle import TINY
from torch.testing import assert_close
from torch.utils.flop_counter import FlopCounterMode

from incognote.workshop.encoders.model import Model


@pytest.mark.parametrize("name", TINY)
def test_the_feed_forward_drops_out_in_training(name: str) -> None:
    config = replace(TINY[name], dropout=0.5)
    encoder: Any = Model(config).encoder
    layer = encoder.stack.feed_forwards[0]
    hidden = torch.randn(4, config.hidden_size)
    assert not torch.equal(layer.train()(hidden), layer(hidden))
    assert torch.equal(layer.eval()(hidden), layer(hidden))


def test_masked_language_logits_are_computed_only_where_chosen() -> None:
    model = Model(TINY["albert"], heads=("mlm",)).eval()
    ids = torch.arange(4, 28).view(2, 12)
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        encoded = model.encoder(ids)
        before = counter.get_total_flops()
        every = model.heads["mlm"](encoded, model.encoder.words)
        full = counter.get_total_flops() - before
        some = model.heads["mlm"](encoded, model.encoder.words, torch.tensor([3, 14]))
    assert_close(some, every.flatten(0, 1)[[3, 14]])
    assert counter.get_total_flops() - before - full == full // 12


def test_a_new_model_begins_as_bert_s_did() -> None:
    torch.manual_seed(0)
    model = Model(replace(TINY["bert"], hidden_size=96), heads=("mlm", "tokens"))
    for name, parameter in model.named_parameters():
        if name.endswith("norm.weight"):
            assert bool((parameter == 1).all())
        elif name.endswith("bias"):
            assert bool((parameter == 0).all())
        else:
            assert float(parameter.detach().abs().max()) <= 0.04
            assert 0.014 < float(parameter.detach().std()) < 0.021
    torch.manual_seed(0)
    again = Model(replace(TINY["bert"], hidden_size=96), heads=("mlm", "tokens"))
    assert_close(again.state_dict(), model.state_dict(), atol=0, rtol=0)
