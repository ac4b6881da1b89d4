"""Folders of Hugging Face's Marian, whose equations are the Transformer's; nothing is left over.

Marian checkpoints that are pre-norm or untied, or whose halves differ in size, are refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from incognote.base.errors import CheckpointError, ConfigError
from incognote.base.files import write_whole
from incognote.workshop.encoders.checkpoints import CONFIG
from incognote.workshop.encoders.naming import listed
from incognote.workshop.encoders.tensor_files import (
    SAFETENSORS,
    read_json,
    read_tensors,
    write_tensors,
)
from incognote.workshop.sequence_to_sequence.transformer import (
    Transformer,
    TransformerConfig,
    sinusoids,
)

FIXED: Mapping[str, Any] = {
    "model_type": "marian",
    "scale_embedding": True,
    "share_encoder_decoder_embeddings": True,
    "tie_word_embeddings": True,
    "is_encoder_decoder": True,
    "activation_dropout": 0.0,
    "encoder_layerdrop": 0.0,
    "decoder_layerdrop": 0.0,
}
"""What config.json must say, where it says it: anything else is another computation."""
REFUSED = ("normalize_before", "normalize_embedding", "add_final_layer_norm")
"""What older files say of BART's relatives, and must deny."""
UNSAID = {"scale_embedding": False}
"""What transformers takes where config.json is silent, if it is not what stands in `FIXED`."""

SHARED = "model.shared.weight"
ALIASES = (
    "model.encoder.embed_tokens.weight",
    "model.decoder.embed_tokens.weight",
    "lm_head.weight",
)
POSITIONS = ("model.encoder.embed_positions.weight", "model.decoder.embed_positions.weight")
BIAS = "final_logits_bias"
_NEAR = 1e-5
"""Sines of other libraries differ in their last bits."""

_ATTENTION = {"query": "q_proj", "key": "k_proj", "value": "v_proj", "output": "out_proj"}
_FEED_FORWARD = {"up": "fc1", "down": "fc2", "norm": "final_layer_norm"}


def load(folder: str | Path) -> Transformer:
    """The model in a folder, ready to evaluate."""
    folder = Path(folder)
    settings = read_json(folder / CONFIG)
    try:
        config = _described(settings)
    except ConfigError as error:
        raise ConfigError(f"{folder}: {error}") from None
    except (TypeError, AttributeError, ValueError):
        raise ConfigError(
            f"{folder}: {CONFIG} has a value of the wrong kind; the file is damaged"
        ) from None
    try:
        state = _state(read_tensors(folder), config)
    except CheckpointError as error:
        said = str(error)
        raise CheckpointError(
            said if said.startswith(str(folder)) else f"{folder}: {said}"
        ) from None
    model = Transformer(config)
    model.load_state_dict(state)
    return model.eval()


def save(model: Transformer, folder: str | Path) -> None:
    """Write config.json and model.safetensors, as `MarianMTModel` reads them; tied tensors once."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    config = model.config
    state = model.state_dict()
    tensors = {theirs: state[ours] for ours, theirs in names(config)}
    tensors[BIAS] = state["output_bias"][None]
    write_tensors(tensors, folder / SAFETENSORS)
    settings = {
        "architectures": ["MarianMTModel"],
        **FIXED,
        **config.to_huggingface(),
        "decoder_attention_heads": config.heads,
        "decoder_ffn_dim": config.feed_forward_size,
        "decoder_vocab_size": config.vocabulary_size,
        "forced_eos_token_id": None,
    }
    text = json.dumps(settings, indent=2, sort_keys=True)
    write_whole(folder / CONFIG, f"{text}\n".encode())


def names(config: TransformerConfig) -> Iterator[tuple[str, str]]:
    """Our name and theirs of every learned tensor."""
    yield "words.weight", SHARED
    for layer in range(config.layers):
        theirs = f"model.encoder.layers.{layer}"
        yield from _attention(f"attentions.{layer}", f"{theirs}.self_attn")
        yield from _feed_forward(f"feed_forwards.{layer}", theirs)
    for layer in range(config.decoder_layers):
        ours, theirs = f"decoder.{layer}", f"model.decoder.layers.{layer}"
        yield from _attention(f"{ours}.attention", f"{theirs}.self_attn")
        yield from _attention(f"{ours}.cross_attention", f"{theirs}.encoder_attn")
        yield from _feed_forward(f"{ours}.feed_forward", theirs)


def _attention(ours: str, theirs: str) -> Iterator[tuple[str, str]]:
    for kind in ("weight", "bias"):
        for own, other in _ATTENTION.items():
            yield f"{ours}.{own}.{kind}", f"{theirs}.{other}.{kind}"
        yield f"{ours}.norm.{kind}", f"{theirs}_layer_norm.{kind}"


def _feed_forward(ours: str, theirs: str) -> Iterator[tuple[str, str]]:
    for kind in ("weight", "bias"):
        for own, other in _FEED_FORWARD.items():
            yield f"{ours}.{own}.{kind}", f"{theirs}.{other}.{kind}"


def _described(settings: Mapping[str, Any]) -> TransformerConfig:
    for key, only in FIXED.items():
        value = settings.get(key, UNSAID.get(key, only))
        if value != only:
            raise ConfigError(f"{CONFIG}: {key} = {value!r} is not the original Transformer")
    for key in REFUSED:
        if settings.get(key):
            raise ConfigError(f"{CONFIG}: {key} is not the original Transformer")
    config = TransformerConfig.from_huggingface(settings)
    halves = {
        "decoder_attention_heads": config.heads,
        "decoder_ffn_dim": config.feed_forward_size,
        "decoder_vocab_size": config.vocabulary_size,
    }
    for key, same in halves.items():
        if settings.get(key) not in (None, same):
            raise ConfigError(f"{CONFIG}: {key} differs from the encoder's, which is not supported")
    return config


def _state(tensors: Mapping[str, Tensor], config: TransformerConfig) -> dict[str, Tensor]:
    """Our state; every tensor of the file is used, or repeats what is known."""
    tensors = dict(tensors)
    for alias in ALIASES:
        if alias in tensors:
            repeated = tensors.pop(alias)
            first = tensors.setdefault(SHARED, repeated)
            if first.shape != repeated.shape or not torch.equal(first, repeated):
                raise CheckpointError(
                    f"{alias} differs from {SHARED}: the file unties what is tied"
                )
    for name in POSITIONS:
        table = tensors.pop(name, None)
        if table is None:
            continue
        expected = sinusoids(config.positions, config.hidden_size)
        if table.shape != expected.shape or (table.float() - expected).abs().max() > _NEAR:
            raise CheckpointError(f"{name} holds no sines and cosines of positions")
    rows = dict(names(config))
    bias = tensors.pop(BIAS, torch.zeros(1, config.vocabulary_size))
    missing = [theirs for theirs in rows.values() if theirs not in tensors]
    unknown = sorted(tensors.keys() - set(rows.values()))
    if missing or unknown:
        parts = [f"lacks {listed(missing)}"] if missing else []
        parts += [f"has the unknown {listed(unknown)}"] if unknown else []
        raise CheckpointError(" and ".join(parts))
    with torch.device("meta"):
        shapes = {name: value.shape for name, value in Transformer(config).state_dict().items()}
    state = {ours: tensors[theirs].float() for ours, theirs in rows.items()}
    state["output_bias"] = bias.flatten().float()
    for ours, value in state.items():
        if value.shape != shapes[ours]:
            raise CheckpointError(
                f"{rows.get(ours, BIAS)} has the shape {list(value.shape)} where {CONFIG} says "
                f"{list(shapes[ours])}"
            )
    return state
