"""The last layer for some pieces only: the same states and gradients, for less work."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from encoder_oracle import TINY
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.testing import assert_close
from torch.utils.flop_counter import FlopCounterMode

from incognote.base.errors import InputError
from incognote.workshop.encoders.families import family_of
from incognote.workshop.encoders.layout import ActiveTokens
from incognote.workshop.encoders.model import Model

LENGTHS = (3, 7, 7, 1)
PLACES = (0, 2, 3, 5, 8, 10, 17)


def encoder_of(name: str) -> Any:
    torch.manual_seed(0)
    config = TINY[name]
    return Model(config, pooler=family_of(config).has_pooler).double().eval().encoder


def active(*places: int) -> ActiveTokens:
    return ActiveTokens.of(LENGTHS, torch.tensor(places or PLACES))


def gradients(encoder: Any, lost: Any) -> dict[str, Tensor]:
    encoder.zero_grad()
    lost.backward()
    return {
        name: weight.grad.clone()
        for name, weight in encoder.named_parameters()
        if weight.grad is not None
    }


@pytest.mark.parametrize("name", TINY)
def test_active_tokens_get_the_states_they_have_when_all_are_computed(name: str) -> None:
    encoder = encoder_of(name)
    ids = torch.arange(4, 4 + sum(LENGTHS))
    every = encoder(ids, lengths=LENGTHS)
    some = encoder(ids, lengths=LENGTHS, active=active())
    assert_close(some.hidden, every.hidden[list(PLACES)])
    assert_close(some.first, every.first)
    if encoder.pooler is not None:
        assert_close(some.pooled, every.pooled)
    weights = torch.randn_like(some.hidden)
    wanted = gradients(encoder, (every.hidden[list(PLACES)] * weights).sum())
    assert_close(gradients(encoder, (some.hidden * weights).sum()), wanted)


@given(st.lists(st.sets(st.integers(0, 8), max_size=9), min_size=1, max_size=4))
@settings(max_examples=30, deadline=None)
def test_any_tokens_can_be_active(sets: list[set[int]]) -> None:
    encoder = encoder_of("albert")
    lengths = [9] * len(sets)
    chosen = [sorted({0, *some}) for some in sets]
    places = torch.tensor([9 * row + each for row, some in enumerate(chosen) for each in some])
    ids = torch.arange(4, 4 + sum(lengths)) % 30
    with torch.no_grad():
        found = encoder(ids, lengths=lengths, active=ActiveTokens.of(lengths, places))
        assert_close(found.hidden, encoder(ids, lengths=lengths).hidden[places])


def test_the_last_layer_is_computed_for_nothing_else() -> None:
    encoder = encoder_of("bert")
    ids = torch.arange(4, 4 + sum(LENGTHS))
    flops = []
    with torch.no_grad():
        for more in ({}, {"active": active()}):
            with FlopCounterMode(display=False) as counter:
                encoder(ids, lengths=LENGTHS, **more)
            flops.append(counter.get_total_flops())
    config = TINY["bert"]
    left = sum(LENGTHS) - len(PLACES)
    rows = 2 * 2 * config.hidden_size * (config.hidden_size + config.feed_forward_size)
    assert (
        flops[0] - flops[1] == left * rows
    )  # query, output, up and down; attention is not counted


def test_active_tokens_drop_out_and_have_gradients_in_half_precision() -> None:
    torch.manual_seed(0)
    encoder: Any = Model(replace(TINY["bert"], dropout=0.1, attention_dropout=0.1)).encoder
    ids = torch.arange(4, 4 + sum(LENGTHS))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        once, again = (encoder(ids, lengths=LENGTHS, active=active()).hidden for _ in range(2))
    assert not torch.equal(once, again)
    found = gradients(encoder, once.float().square().sum())
    assert all(bool(gradient.isfinite().all()) for gradient in found.values())
    assert float(found["stack.attentions.1.query.weight"].abs().max()) > 0


@pytest.mark.parametrize(
    ("places", "said"),
    [
        ((1, 2, 3, 5, 8, 10, 17), "first token"),
        ((0, 2, 3, 5, 17), "first token"),
        ((0, 2, 3, 5, 12, 10, 17), "in their order"),
        ((0, 2, 2, 3, 10, 17), "in their order"),
        ((0, 3, 10, 17, 18), "0 to 17"),
        ((-1, 0, 3, 10, 17), "0 to 17"),
    ],
)
def test_places_that_cannot_be_active_are_refused(places: tuple[int, ...], said: str) -> None:
    with pytest.raises(InputError, match=said):
        active(*places)


@pytest.mark.parametrize("more", [{"lengths": (10, 8)}, {"lengths": LENGTHS, "states": True}])
def test_active_tokens_are_of_their_own_batch(more: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="packed batch"):
        encoder_of("bert")(torch.arange(4, 22), active=active(), **more)
