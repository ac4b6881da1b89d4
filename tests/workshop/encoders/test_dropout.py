"""Dropout drops its share, keeps the mean, and is drawn from the seed alone."""

from __future__ import annotations

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention
from torch.testing import assert_close

from incognote.workshop.encoders import dropout
from incognote.workshop.encoders.dropout import Dropout, attend, dropout_mask

SHARES = (0.05, 0.1, 0.5, 0.9)


@pytest.mark.parametrize("p", SHARES)
def test_a_share_is_dropped_and_the_mean_kept(p: float) -> None:
    torch.manual_seed(0)
    mask = dropout_mask(torch.empty(300, 1001), p)
    assert sorted(set(mask.flatten().tolist())) == pytest.approx([0, 1 / (1 - p)], rel=2e-4)
    assert float((mask == 0).float().mean()) == pytest.approx(p, abs=0.004)
    assert float(mask.mean()) == pytest.approx(1, abs=0.02)


def test_values_are_dropped_independently() -> None:
    torch.manual_seed(0)
    dropped = (dropout_mask(torch.empty(512, 512), 0.5) == 0).float()
    for shift in (1, 2, 3, 4, 512):  # four values come of one draw
        flat = dropped.flatten()
        both = float((flat[shift:] * flat[:-shift]).mean())
        assert both == pytest.approx(0.25, abs=0.005)


def test_the_seed_decides() -> None:
    layer, ones = Dropout(0.3), torch.ones(5, 7)
    drawn = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        drawn.append(layer(ones))
    assert torch.equal(drawn[0], drawn[1])
    assert not torch.equal(drawn[0], drawn[2])
    assert torch.equal(layer.eval()(ones), ones)
    assert torch.equal(Dropout(0.0)(ones), ones)


@pytest.mark.parametrize("p", [1e-9, 1 - 1e-9])
def test_shares_at_the_edges_are_finite(p: float) -> None:
    assert dropout_mask(torch.empty(1000), p).isfinite().all()


def test_gradients_pass_where_values_do() -> None:
    torch.manual_seed(0)
    hidden = torch.randn(40, 30, requires_grad=True)
    out = Dropout(0.4)(hidden)
    out.sum().backward()
    assert hidden.grad is not None
    assert torch.equal(hidden.grad == 0, out == 0)


@pytest.mark.parametrize("in_cache", [1, 2**20], ids=["one by one", "at once"])
@pytest.mark.parametrize("kind", ["none", "bool", "one for all", "added"])
def test_attention_by_its_formula_is_torch_s(
    kind: str, in_cache: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a share that drops nothing, the way with dropout gives what the fused way gives."""
    monkeypatch.setattr(dropout, "_IN_CACHE", in_cache)
    torch.manual_seed(0)
    query, key, value = torch.randn(3, 2, 4, 9, 8, dtype=torch.float64)
    mask = {
        "none": None,
        "bool": torch.rand(2, 1, 1, 9) < 0.7,
        "one for all": torch.rand(1, 1, 1, 9) < 0.7,
        "added": torch.randn(2, 4, 9, 9, dtype=torch.float64),
    }[kind]
    by_formula = attend(query, key, value, mask=mask, dropout=1e-9)
    fused = scaled_dot_product_attention(query, key, value, attn_mask=mask)
    assert_close(by_formula, fused, atol=1e-6, rtol=1e-6)


def test_attention_with_dropout_has_the_same_mean() -> None:
    torch.manual_seed(0)
    query, key, value = torch.randn(3, 1, 2, 6, 8)
    drawn = [attend(query, key, value, dropout=0.2) for _ in range(3000)]
    plain = attend(query, key, value)
    assert not torch.equal(drawn[0], drawn[1])
    assert_close(torch.stack(drawn).mean(0), plain, atol=0.05, rtol=0.05)


@pytest.mark.parametrize("kind", ["none", "bool", "added"])
def test_gradients_of_attention_are_those_of_its_formula(kind: str) -> None:
    torch.manual_seed(0)
    parts = [part.requires_grad_() for part in torch.randn(3, 2, 4, 9, 8, dtype=torch.float64)]
    mask = {
        "none": None,
        "bool": torch.rand(2, 1, 1, 9) < 0.7,
        "added": torch.randn(2, 1, 9, 9, dtype=torch.float64, requires_grad=True),
    }[kind]
    wanted = parts if mask is None or kind == "bool" else [*parts, mask]
    query, key, value = parts
    torch.manual_seed(5)
    ours = attend(query, key, value, mask=mask, dropout=0.3)
    scores = query @ key.transpose(-1, -2) / 8**0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf) if kind == "bool" else scores + mask
    torch.manual_seed(5)
    weights = scores.softmax(-1)
    plain = (weights * dropout_mask(weights, 0.3)) @ value
    assert_close(ours, plain, atol=1e-12, rtol=0)
    upstream = torch.randn_like(plain)
    found = torch.autograd.grad(ours, wanted, upstream)
    assert_close(found, torch.autograd.grad(plain, wanted, upstream), atol=1e-12, rtol=0)


@pytest.mark.parametrize("lower", [("query", "key", "value"), ("key", "value"), ()], ids=str)
def test_attention_with_dropout_takes_lower_precision(lower: tuple[str, ...]) -> None:
    """Also where autocast has lowered only some of it."""
    names = ("query", "key", "value")
    leaves = [part.requires_grad_() for part in torch.randn(3, 2, 4, 9, 8)]
    given = {
        name: part.bfloat16() if name in lower else part
        for name, part in zip(names, leaves, strict=True)
    }
    with torch.autocast("cpu", torch.bfloat16):
        mixed = attend(**given, dropout=0.1)
    assert mixed.dtype == torch.bfloat16
    for grad in torch.autograd.grad(mixed.float().sum(), leaves):
        assert grad.dtype == torch.float32
        assert grad.isfinite().all()
