"""What heads attend to is what Hugging Face says, and a pruned head counts for nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from encoder_oracle import APART_AT_PADDING, TINY, answer, architectures, batch, oracle
from torch.testing import assert_close

from incognote.base.errors import InputError
from incognote.workshop.encoders import Model, load, save
from incognote.workshop.encoders.attention_heads import attention_weights, prune_heads
from incognote.workshop.encoders.xlnet import XlnetConfig

families = pytest.mark.parametrize("name", TINY)


@families
@pytest.mark.parametrize("kind", ["full", "padded", "pairs"])
@torch.no_grad()
def test_weights_agree(name: str, kind: str, tmp_path: Path) -> None:
    config = TINY[name]
    # Hugging Face's ModernBERT takes the softmax in 32 bits, and overflows in 64.
    dtype, tolerance = (torch.float32, 1e-5) if name == "modernbert" else (torch.float64, 1e-9)
    theirs = oracle(architectures(config)[0], config, dtype, attn_implementation="eager")
    theirs.save_pretrained(tmp_path)
    encoder = load(tmp_path, dtype=dtype).encoder
    inputs = batch(config, kind)
    expected = answer(theirs, inputs, output_attentions=True).attentions
    found = attention_weights(encoder, **inputs)
    assert len(found) == config.layers == len(expected)
    everywhere = torch.ones_like(inputs["mask"], dtype=torch.bool)
    rows = inputs["mask"].bool() if name in APART_AT_PADDING else everywhere
    for ours, other in zip(found, expected, strict=True):
        wanted = other.transpose(1, 2)[rows]
        assert_close(ours.transpose(1, 2)[rows], wanted, atol=tolerance, rtol=0)


@families
@torch.no_grad()
def test_a_pruned_head_counts_for_nothing(name: str, tmp_path: Path) -> None:
    """As if its values were all 0; and the encoder is saved as before."""
    config = TINY[name]
    pruned, emptied = (Model(config) for _ in range(2))
    emptied.load_state_dict(pruned.state_dict())
    prune_heads(pruned.encoder, {1: [0, 3]})
    stack: Any = emptied.encoder.stack
    attention = stack.attentions[stack.order[1][0]]
    for head in (0, 3):
        rows = slice(6 * head, 6 * head + 6)
        if name == "modernbert":
            attention.qkv.weight[48:][rows] = 0
        else:
            attention.value.weight[rows] = 0
            attention.value.bias[rows] = 0
    inputs = batch(config, "padded")
    wanted = emptied.eval().encoder(**inputs).hidden
    assert_close(pruned.eval().encoder(**inputs).hidden, wanted)
    save(pruned, tmp_path)
    assert_close(load(tmp_path).encoder(**inputs).hidden, wanted)


def test_what_cannot_be_looked_at_is_refused() -> None:
    model = Model(TINY["bert"])
    with pytest.raises(InputError, match="no layer 3: the encoder has 0 to 2"):
        prune_heads(model.encoder, {3: [0]})
    with pytest.raises(InputError, match="no head 4: a layer has 0 to 3"):
        prune_heads(model.encoder, {0: [4]})
    config = XlnetConfig(
        vocabulary_size=50, hidden_size=24, layers=1, heads=4, feed_forward_size=40
    )
    xlnet = Model(config)
    with pytest.raises(InputError, match="heads of this family cannot be looked at"):
        attention_weights(xlnet.encoder, torch.ones(1, 3, dtype=torch.long))
