"""DeBERTa-v3 beside Hugging Face's, and as its checkpoints were published."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from encoder_oracle import TINY, edit_config, oracle
from safetensors.torch import load_file, save_file
from torch.nn.functional import gelu, layer_norm, linear
from torch.testing import assert_close

from incognote.base.errors import ConfigError
from incognote.workshop.encoders import load, save
from incognote.workshop.encoders.deberta import DebertaConfig
from incognote.workshop.encoders.families import preset
from incognote.workshop.encoders.model import Model

PUBLISHED: dict[str, Any] = {
    "model_type": "deberta-v2",
    "attention_probs_dropout_prob": 0.1,
    "hidden_act": "gelu",
    "hidden_dropout_prob": 0.1,
    "hidden_size": 768,
    "initializer_range": 0.02,
    "intermediate_size": 3072,
    "max_position_embeddings": 512,
    "relative_attention": True,
    "position_buckets": 256,
    "norm_rel_ebd": "layer_norm",
    "share_att_key": True,
    "pos_att_type": "p2c|c2p",
    "layer_norm_eps": 1e-7,
    "max_relative_positions": -1,
    "position_biased_input": False,
    "num_attention_heads": 12,
    "num_hidden_layers": 12,
    "type_vocab_size": 0,
    "vocab_size": 128100,
}
"""The config.json of DeBERTa-v3-base."""


@torch.no_grad()
def test_long_sequences_share_rows_of_far_distances(tmp_path: Path) -> None:
    config = DebertaConfig(
        vocabulary_size=997, hidden_size=64, layers=2, heads=2, feed_forward_size=96
    )
    theirs = oracle("DebertaV2ForMaskedLM", config, torch.float32)
    theirs.save_pretrained(tmp_path)
    model = load(tmp_path)
    lengths = [512, 7, 300]
    mask = torch.arange(512) < torch.tensor(lengths)[:, None]
    ids = torch.randint(4, 997, mask.shape, generator=torch.Generator().manual_seed(0)) * mask
    wanted = theirs(input_ids=ids, attention_mask=mask.long()).logits[mask]
    assert_close(model(ids, mask=mask)["mlm"][mask], wanted, atol=1e-3, rtol=0)
    assert_close(model(ids[mask], lengths=lengths)["mlm"], wanted, atol=1e-3, rtol=0)


def test_the_published_configuration_is_read() -> None:
    assert DebertaConfig.from_huggingface(PUBLISHED) == preset("deberta-v3-base")


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"relative_attention": None}, "relative_attention = None is not supported"),
        ({"position_biased_input": True}, "position_biased_input = True is not supported"),
        ({"conv_kernel_size": 3}, "conv_kernel_size = 3 is not supported"),
        ({"type_vocab_size": 2}, "type_vocab_size = 2 is not supported"),
        ({"pos_att_type": "c2p"}, "pos_att_type = .* is not supported"),
        ({"position_buckets": None}, "has no position_buckets"),
        ({"position_buckets": 1}, "buckets must be from 2"),
        ({"position_buckets": 58}, "buckets must be from 2"),
        ({"max_relative_positions": "x"}, "farthest must be a whole number"),
        ({"embedding_size": 8}, "an embedding_size of its own is not supported"),
        ({"legacy": "no"}, "legacy must be true or false"),
        ({"pooler_hidden_act": "silu"}, "pooler_activation must be one of"),
    ],
)
def test_what_is_not_computed_is_refused(
    settings: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    save(Model(TINY["deberta-v2"]), tmp_path)
    edit_config(tmp_path, **settings)
    with pytest.raises(ConfigError, match=sentence):
        load(tmp_path)


@torch.no_grad()
def test_a_published_discriminator_loads_with_both_heads(tmp_path: Path) -> None:
    """It has names of today without saying so, no architecture, and a table that nothing reads."""
    config = TINY["deberta-v2"]
    model = Model(config, heads=("mlm", "rtd"))
    for parameter in model.parameters():
        parameter.normal_(0, 0.3)
    save(model, tmp_path)
    edit_config(tmp_path, architectures=None, legacy=None)
    tensors = load_file(tmp_path / "model.safetensors")
    for theirs, published in (
        ("cls.predictions.bias", "lm_predictions.lm_head.bias"),
        ("cls.predictions.transform.dense.weight", "lm_predictions.lm_head.dense.weight"),
        ("cls.predictions.transform.dense.bias", "lm_predictions.lm_head.dense.bias"),
        ("cls.predictions.transform.LayerNorm.weight", "lm_predictions.lm_head.LayerNorm.weight"),
        ("cls.predictions.transform.LayerNorm.bias", "lm_predictions.lm_head.LayerNorm.bias"),
    ):
        tensors[published] = tensors.pop(theirs)
    tensors["deberta.embeddings.position_embeddings.weight"] = torch.zeros(30, 24)
    save_file(tensors, tmp_path / "model.safetensors")
    again = load(tmp_path)
    assert set(again.heads) == {"mlm", "rtd"}
    ids = torch.arange(4, 24)[None]
    for head, logits in model.eval()(ids).items():
        assert_close(again(ids)[head], logits)
    assert load(tmp_path, heads=(), new=["tokens"]).heads.keys() == {"tokens"}


@torch.no_grad()
def test_replaced_tokens_are_judged_beside_the_first(tmp_path: Path) -> None:
    """As the authors' code has it, packed or padded."""
    model = Model(TINY["deberta-v2"], heads=("rtd",)).eval()
    for parameter in model.parameters():
        parameter.normal_(0, 0.3)
    head: Any = model.heads["rtd"]
    ids = torch.randint(4, 97, (2, 9))
    hidden = model.encoder(ids).hidden
    summed = layer_norm(hidden[:, :1] + hidden, (24,), head.norm.weight, head.norm.bias, 1e-7)
    inner = gelu(linear(summed, head.dense.weight, head.dense.bias))
    wanted = linear(inner, head.classifier.weight, head.classifier.bias)[..., 0]
    assert_close(model(ids)["rtd"], wanted)
    assert_close(model(ids.flatten(), lengths=[9, 9])["rtd"], wanted.flatten())
