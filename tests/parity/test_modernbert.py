"""ModernBERT beside Hugging Face's: beyond the local window, configurations old and new, heads carried over."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from encoder_oracle import TINY, edit_config, oracle
from torch.testing import assert_close

from incognote.base.errors import ConfigError
from incognote.workshop.encoders import load, save
from incognote.workshop.encoders.families import preset
from incognote.workshop.encoders.model import Model
from incognote.workshop.encoders.modernbert import GLOBAL, LOCAL, ModernBertConfig

REAL_WINDOW = ModernBertConfig(
    vocabulary_size=997,
    hidden_size=64,
    layers=4,
    heads=2,
    feed_forward_size=96,
    pad_id=0,
)
PUBLISHED = {
    "architectures": ["ModernBertForMaskedLM"],
    "attention_bias": False,
    "attention_dropout": 0.0,
    "bos_token_id": 50281,
    "classifier_activation": "gelu",
    "classifier_bias": False,
    "classifier_dropout": 0.0,
    "classifier_pooling": "mean",
    "cls_token_id": 50281,
    "decoder_bias": True,
    "deterministic_flash_attn": False,
    "embedding_dropout": 0.0,
    "eos_token_id": 50282,
    "global_attn_every_n_layers": 3,
    "global_rope_theta": 160000.0,
    "gradient_checkpointing": False,
    "hidden_activation": "gelu",
    "hidden_size": 768,
    "initializer_cutoff_factor": 2.0,
    "initializer_range": 0.02,
    "intermediate_size": 1152,
    "layer_norm_eps": 1e-05,
    "local_attention": 128,
    "local_rope_theta": 10000.0,
    "max_position_embeddings": 8192,
    "mlp_bias": False,
    "mlp_dropout": 0.0,
    "model_type": "modernbert",
    "norm_bias": False,
    "norm_eps": 1e-05,
    "num_attention_heads": 12,
    "num_hidden_layers": 22,
    "pad_token_id": 50283,
    "position_embedding_type": "absolute",
    "sep_token_id": 50282,
    "tie_word_embeddings": True,
    "torch_dtype": "float32",
    "transformers_version": "4.47.0.dev0",
    "vocab_size": 50368,
}
"""The config.json of ModernBERT-base, as transformers 4 wrote it."""


@torch.no_grad()
def test_long_sequences_agree_padded_and_packed(tmp_path: Path) -> None:
    theirs = oracle("ModernBertForMaskedLM", REAL_WINDOW, torch.float32)
    theirs.save_pretrained(tmp_path)
    model = load(tmp_path)
    lengths = [530, 65, 300]
    mask = torch.arange(530) < torch.tensor(lengths)[:, None]
    ids = torch.randint(4, 997, mask.shape, generator=torch.Generator().manual_seed(0)) * mask
    wanted = theirs(input_ids=ids, attention_mask=mask.long()).logits[mask]
    assert_close(model(ids, mask=mask)["mlm"][mask], wanted, atol=1e-3, rtol=0)
    assert_close(model(ids[mask], lengths=lengths)["mlm"], wanted, atol=1e-3, rtol=0)


def test_a_far_token_is_seen_by_global_layers_only() -> None:
    ids = torch.arange(4, 97).repeat(3)[None, :200]
    changed = ids.clone()
    changed[0, 150] = 5
    for types, sees in (((LOCAL, LOCAL), False), ((LOCAL, GLOBAL), True)):
        config = replace(REAL_WINDOW, layers=2, layer_types=types)
        torch.manual_seed(0)
        encoder = Model(config).eval().encoder
        apart = (encoder(ids).hidden - encoder(changed).hidden)[0].abs().amax(-1)
        assert bool(apart[150 - 128] > 0)  # by two steps of 64
        assert bool(apart[150 - 129] > 0) == sees


def test_the_published_configuration_is_read() -> None:
    config = ModernBertConfig.from_huggingface(PUBLISHED)
    assert config == preset("modernbert-base")


def test_both_versions_of_config_json_mean_one_model(tmp_path: Path) -> None:
    config = replace(TINY["modernbert"], global_every=2, global_base=900.0, local_base=70.0)
    save(Model(config), tmp_path)
    settings = json.loads((tmp_path / "config.json").read_text())
    of_version_5 = ("layer_types", "rope_parameters")
    of_version_4 = ("global_attn_every_n_layers", "global_rope_theta", "local_rope_theta")
    for absent in (of_version_5, of_version_4):
        some = {key: value for key, value in settings.items() if key not in absent}
        again = ModernBertConfig.from_huggingface(some)
        assert again.attention_types == config.attention_types
        assert (again.global_base, again.local_base) == (900.0, 70.0)
    older = {key: value for key, value in settings.items() if key not in of_version_5}
    same = ModernBertConfig.from_huggingface({**older, "local_rope_theta": None})
    assert same.local_base == 900.0


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"norm_bias": True}, "norm_bias = True is not supported"),
        ({"decoder_bias": False}, "decoder_bias = False is not supported"),
        ({"rope_parameters": {GLOBAL: {"rope_type": "yarn"}}}, "'yarn' is not supported"),
        ({"layer_types": [GLOBAL]}, "layer_types must have"),
        ({"layer_types": [GLOBAL, "some", LOCAL]}, "layer_types must have"),
        ({"classifier_pooling": "max"}, "pooling must be one of cls, mean"),
        ({"classifier_activation": "silu"}, "classifier_activation must be one of"),
        ({"local_attention": 1}, "window must be 2 tokens or more"),
        ({"global_attn_every_n_layers": 0, "layer_types": None}, "global_every must be"),
        ({"local_rope_theta": "x", "rope_parameters": None}, "local_base must be a number"),
        ({"num_attention_heads": 8}, "the size of a head must be even"),
    ],
)
def test_what_is_not_computed_is_refused(
    settings: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    save(Model(TINY["modernbert"]), tmp_path)
    edit_config(tmp_path, **settings)
    with pytest.raises(ConfigError, match=sentence):
        load(tmp_path)


def test_a_new_head_begins_with_what_the_pretrained_one_has_learned(tmp_path: Path) -> None:
    pretrained = Model(TINY["modernbert"], heads=("mlm",))
    save(pretrained, tmp_path)
    model = load(tmp_path, heads=(), new=["tokens"], labels=3)
    carried: Any = model.heads["tokens"]
    learned: Any = pretrained.heads["mlm"]
    assert_close(carried.inner.dense.weight, learned.dense.weight)
    assert_close(carried.inner.norm.weight, learned.norm.weight)
    assert carried.classifier.weight.shape == (3, 24)
