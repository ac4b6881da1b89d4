"""The Transformer itself: how large, who sees whom, and that steps give what the whole gives."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from tiny_transformers import SIZES, tiny_transformer
from torch.testing import assert_close

from incognote.base.errors import ConfigError, InputError
from incognote.workshop.sequence_to_sequence.transformer import (
    PRESETS,
    TransformerConfig,
    parameter_count,
    sinusoids,
)


def test_parameters_of_the_papers_models() -> None:
    """The paper's table 3 says 65 and 213 million; these are the sums of its own sizes."""
    counts = {name: parameter_count(config) for name, config in PRESETS.items()}
    assert counts == {"transformer-base": 63_082_496, "transformer-big": 214_245_376}


def test_a_target_does_not_see_what_comes_after() -> None:
    model = tiny_transformer()
    source = torch.tensor([[5, 6, 7, 1]])
    target = torch.tensor([[0, 8, 9, 10, 11]])
    logits = model(source, target)
    for place in range(1, 5):
        other = target.clone()
        other[:, place:] = 20
        changed = model(source, other)
        assert_close(changed[:, :place], logits[:, :place], atol=0, rtol=0)
        assert not torch.allclose(changed[:, place], logits[:, place])


def test_all_of_the_source_is_seen_by_every_token() -> None:
    model = tiny_transformer()
    source, target = torch.tensor([[5, 6, 7, 1]]), torch.tensor([[0, 8]])
    logits = model(source, target)
    for place in range(4):
        other = source.clone()
        other[0, place] = 30
        assert not torch.allclose(model(other, target), logits, atol=1e-4)


def test_padding_changes_nothing() -> None:
    model = tiny_transformer()
    source = torch.tensor([[5, 6, 1, 17, 23], [5, 6, 1, 0, 0]])
    mask = torch.tensor([[1, 1, 1, 0, 0], [1, 1, 1, 0, 0]]).bool()
    target = torch.tensor([[0, 8, 9], [0, 8, 9]])
    padded = model(source, target, mask)
    alone = model(source[:1, :3], target[:1])
    assert_close(padded, alone.expand_as(padded), atol=1e-6, rtol=0)


@torch.inference_mode()
def test_step_by_step_is_all_at_once() -> None:
    model = tiny_transformer()
    source = torch.tensor([[5, 6, 7, 1], [9, 1, 0, 0]])
    mask = torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0]]).bool()
    target = torch.tensor([[0, 8, 9, 10], [0, 12, 13, 14]])
    whole = model(source, target, mask)
    memory = model.begin(source, mask)
    for place in range(4):
        logits, memory = model.step(target[:, place], memory)
        assert_close(logits, whole[:, place], atol=1e-5, rtol=0)


@torch.inference_mode()
def test_kept_keys_and_values_follow_their_rows() -> None:
    model = tiny_transformer()
    memory = model.begin(torch.tensor([[5, 6, 1], [9, 3, 1]]))
    _, memory = model.step(torch.tensor([0, 0]), memory)
    logits, _ = model.step(torch.tensor([7, 8]), memory)
    swapped, _ = model.step(torch.tensor([8, 7]), memory.rows(torch.tensor([1, 0])))
    assert_close(swapped, logits.flip(0), atol=1e-6, rtol=0)


def test_sequences_beyond_the_positions_are_refused() -> None:
    model = tiny_transformer()
    ids = torch.ones(1, 33, dtype=torch.long)
    with pytest.raises(InputError, match="33 tokens but the model has positions for 32"):
        model(ids, ids[:, :1])
    with pytest.raises(InputError, match="33 tokens"):
        model(ids[:, :1], ids)
    with pytest.raises(InputError, match="id 40 is outside the 40 rows"):
        model(torch.tensor([[40]]), ids[:, :1])
    memory = model.begin(ids[:, :2])
    with torch.inference_mode():
        for _ in range(32):
            _, memory = model.step(ids[:, 0], memory)
        with pytest.raises(InputError, match="more than 32"):
            model.step(ids[:, 0], memory)


@pytest.mark.parametrize(
    ("size", "value", "words"),
    [
        ("end_id", 40, "end_id"),
        ("start_id", -1, "start_id"),
        ("heads", 3, "does not divide"),
        ("decoder_layers", 0, "decoder_layers"),
        ("norm_epsilon", 1e-12, "norm_epsilon"),
        ("activation", "tanh", "activation"),
    ],
)
def test_sizes_that_describe_no_transformer(size: str, value: float | str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        replace(TransformerConfig(**SIZES), **{size: value})  # type: ignore[arg-type]


def test_positions_are_told_apart_by_a_shift_of_the_same_kind() -> None:
    """What the paper chose sinusoids for: position p + k is a rotation of p, whatever p."""
    table = sinusoids(50, 16).double()
    sines, cosines = table[:, :8], table[:, 8:]
    for shift in (1, 7):
        # cos and sin of the difference of two angles do not depend on where they are
        same = cosines[shift:] * cosines[:-shift] + sines[shift:] * sines[:-shift]
        assert_close(same, same[:1].expand_as(same), atol=1e-5, rtol=0)
