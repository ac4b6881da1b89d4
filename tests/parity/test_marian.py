"""The Transformer against Hugging Face's Marian, which has the same equations: random weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from torch import Tensor
from torch.testing import assert_close

from incognote.base.errors import CheckpointError, ConfigError
from incognote.workshop.sequence_to_sequence import marian
from incognote.workshop.sequence_to_sequence.search import beam_search, greedy, power_penalty
from incognote.workshop.sequence_to_sequence.transformer import (
    Transformer,
    TransformerScorer,
    sinusoids,
)

SIZES: dict[str, Any] = {
    "vocab_size": 61,
    "d_model": 24,
    "encoder_layers": 3,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 40,
    "decoder_ffn_dim": 40,
    "max_position_embeddings": 48,
    "activation_function": "relu",
    "scale_embedding": True,
    "pad_token_id": 60,
    "decoder_start_token_id": 60,
    "eos_token_id": 0,
    "forced_eos_token_id": None,
}


def oracle(**changes: Any) -> Any:
    """Marian with every parameter from N(0, 0.15), a bias on its logits too."""
    model: Any = transformers.MarianMTModel(transformers.MarianConfig(**{**SIZES, **changes}))
    draws = torch.Generator().manual_seed(11)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.requires_grad:
                parameter.normal_(0.0, 0.15, generator=draws)
        model.final_logits_bias.normal_(0.0, 0.5, generator=draws)
    return model.eval()


def saved(folder: Path, **changes: Any) -> tuple[Any, Transformer]:
    theirs = oracle(**changes)
    theirs.save_pretrained(folder)
    return theirs, marian.load(folder)


def sources() -> tuple[Tensor, Tensor]:
    """Ids and mask of three sources, two of them padded."""
    draws = torch.Generator().manual_seed(3)
    mask = torch.arange(13) < torch.tensor([13, 4, 9])[:, None]
    ids = torch.randint(1, 60, (3, 13), generator=draws)
    return ids.masked_fill(~mask, 60), mask


@torch.no_grad()
@pytest.mark.parametrize("activation", ["relu", "swish", "gelu"])
def test_logits_are_theirs(tmp_path: Path, activation: str) -> None:
    theirs, ours = saved(tmp_path, activation_function=activation)
    ids, mask = sources()
    target = torch.cat([torch.full((3, 1), 60), ids[:, :8]], dim=1)
    expected = theirs(input_ids=ids, attention_mask=mask.long(), decoder_input_ids=target)
    assert_close(ours(ids, target, mask), expected.logits, atol=1e-5, rtol=0)


@torch.no_grad()
def test_states_of_the_encoder_are_theirs(tmp_path: Path) -> None:
    theirs, ours = saved(tmp_path)
    ids, mask = sources()
    expected = theirs.model.encoder(input_ids=ids, attention_mask=mask.long()).last_hidden_state
    assert_close(ours.encode(ids, mask)[0][mask], expected[mask], atol=1e-5, rtol=0)


def test_positions_are_theirs_and_the_papers() -> None:
    theirs = oracle().model.encoder.embed_positions.weight
    ours = sinusoids(48, 24)
    assert_close(ours, theirs.detach(), atol=1e-6, rtol=0)
    for place in (0, 1, 47):
        for column in range(12):
            angle = torch.tensor(place / 10_000 ** (2 * column / 24))
            assert_close(ours[place, column], angle.sin(), atol=1e-6, rtol=0)
            assert_close(ours[place, column + 12], angle.cos(), atol=1e-6, rtol=0)


@torch.no_grad()
def test_what_is_saved_is_read_by_them_with_nothing_left_over(tmp_path: Path) -> None:
    theirs, ours = saved(tmp_path / "theirs")
    marian.save(ours, tmp_path / "ours")
    kind: Any = transformers.MarianMTModel
    again, report = kind.from_pretrained(tmp_path / "ours", output_loading_info=True)
    assert not any(
        report[fault] for fault in ("missing_keys", "unexpected_keys", "mismatched_keys")
    )
    ids, mask = sources()
    inputs = {"input_ids": ids, "attention_mask": mask.long(), "decoder_input_ids": ids}
    assert_close(again.eval()(**inputs).logits, theirs(**inputs).logits, atol=0, rtol=0)
    once_more = marian.load(tmp_path / "ours")
    assert once_more.config == ours.config
    assert_close(once_more.state_dict(), ours.state_dict(), atol=0, rtol=0)


@pytest.mark.parametrize(
    ("setting", "value", "words"),
    [
        ("scale_embedding", False, "scale_embedding"),
        ("decoder_ffn_dim", 48, "decoder_ffn_dim"),
        ("model_type", "bart", "model_type"),
        ("normalize_before", True, "normalize_before"),
        ("encoder_layers", "three", "whole number"),
        ("eos_token_id", 61, "end_id"),
    ],
)
def test_other_computations_are_refused(
    tmp_path: Path, setting: str, value: Any, words: str
) -> None:
    oracle().save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), setting: value}))
    with pytest.raises(ConfigError, match=words):
        marian.load(tmp_path)


def test_tensors_that_are_missing_or_unknown_are_named(tmp_path: Path) -> None:
    oracle().save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    settings = json.loads(path.read_text())
    path.write_text(json.dumps({**settings, "decoder_layers": 3}))
    with pytest.raises(CheckpointError, match=r"lacks model\.decoder\.layers\.2"):
        marian.load(tmp_path)
    path.write_text(json.dumps({**settings, "decoder_layers": 1}))
    with pytest.raises(CheckpointError, match=r"unknown model\.decoder\.layers\.1"):
        marian.load(tmp_path)


def generated(model: Any, beams: int, **settings: Any) -> Any:
    """What `generate` gives for the sources, never a pad token."""
    ids, mask = sources()
    kind: Any = transformers.GenerationConfig
    config = kind(
        num_beams=beams,
        max_new_tokens=14,
        do_sample=False,
        suppress_tokens=[60],
        pad_token_id=60,
        eos_token_id=0,
        decoder_start_token_id=60,
        return_dict_in_generate=True,
        output_scores=True,
        **settings,
    )
    with torch.no_grad():
        return model.generate(input_ids=ids, attention_mask=mask.long(), generation_config=config)


def rows_of(output: Tensor) -> list[tuple[int, ...]]:
    """The sequences without the start and what fills up after the end."""
    rows = []
    for row in output[:, 1:].tolist():
        end = row.index(0) + 1 if 0 in row else row.index(60) if 60 in row else len(row)
        rows.append(tuple(row[:end]))
    return rows


def listed_sources() -> list[list[int]]:
    ids, mask = sources()
    return [row[own].tolist() for row, own in zip(ids, mask, strict=True)]


@pytest.mark.parametrize("alpha", [0.0, 0.6, 2.0])
@pytest.mark.parametrize("beams", [2, 4])
def test_beams_find_what_generate_finds(tmp_path: Path, beams: int, alpha: float) -> None:
    theirs, ours = saved(tmp_path)
    expected = generated(
        theirs, beams, length_penalty=alpha, early_stopping="never", num_return_sequences=beams
    )
    found = beam_search(
        TransformerScorer(ours),
        listed_sources(),
        start_id=60,
        end_id=0,
        longest=[14] * 3,
        beams=beams,
        penalty=power_penalty(alpha),
        never=[60],
    )
    flat = [hypothesis for hypotheses in found for hypothesis in hypotheses]
    assert [each.tokens for each in flat] == rows_of(expected.sequences)
    scores = torch.tensor([each.score for each in flat])
    assert_close(scores, expected.sequences_scores, atol=1e-4, rtol=0)


def test_the_likeliest_tokens_are_those_of_generate(tmp_path: Path) -> None:
    theirs, ours = saved(tmp_path)
    found = greedy(
        TransformerScorer(ours),
        listed_sources(),
        start_id=60,
        end_id=0,
        longest=[14] * 3,
        never=[60],
    )
    assert [each.tokens for each in found] == rows_of(generated(theirs, 1).sequences)
