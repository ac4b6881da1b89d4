"""Packed sequences give what padded ones give, at the cost of their own pieces only."""

from __future__ import annotations

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
from incognote.workshop.encoders.heads import no_answer_score
from incognote.workshop.encoders.model import Model

BY_PIECE = ("tokens", "span", "mlm", "rtd")
MODELS: dict[str, Model] = {}


def _model(name: str) -> Model:
    """One model a family, with every head at once, drawn wide enough to tell parameters apart."""
    if name not in MODELS:
        torch.manual_seed(1)
        config = TINY[name]
        MODELS[name] = Model(config, heads=tuple(family_of(config).heads), labels=5).double().eval()
        with torch.no_grad():
            for parameter in MODELS[name].parameters():
                parameter.normal_(0, 0.1)
    return MODELS[name]


def _both(
    config: Any, lengths: list[int], seed: int
) -> tuple[dict[str, Any], dict[str, Any], Tensor]:
    """The same sequences padded and packed, and where the real pieces are."""
    draws = torch.Generator().manual_seed(seed)
    longest = max(lengths) + seed % 3
    mask = torch.arange(longest) < torch.tensor(lengths)[:, None]
    ids = torch.randint(4, config.vocabulary_size, mask.shape, generator=draws)
    ids = torch.where(mask, ids, config.pad_id)
    segments = torch.randint(0, config.segments, mask.shape, generator=draws)
    padded = {"ids": ids, "mask": mask, "segments": segments}
    packed = {"ids": ids[mask], "segments": segments[mask], "lengths": lengths}
    return padded, packed, mask


@pytest.mark.parametrize("name", TINY)
@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(1, 25), min_size=1, max_size=6), st.integers(0, 99))
def test_packed_equals_padded(name: str, lengths: list[int], seed: int) -> None:
    model = _model(name)
    padded, packed, mask = _both(model.config, lengths, seed)
    with torch.no_grad():
        ours, expected = model(**packed), model(**padded)
    for head, logits in expected.items():
        wanted = logits[mask] if head in BY_PIECE else logits
        assert_close(ours[head], wanted, atol=1e-12, rtol=0)


@pytest.mark.parametrize("name", TINY)
def test_packed_gradients_equal_padded_ones(name: str) -> None:
    model = _model(name)
    padded, packed, mask = _both(model.config, [9, 4, 4, 17], 7)
    grads = []
    for inputs in (padded, packed):
        model.zero_grad()
        loss = torch.zeros((), dtype=torch.float64)
        for head, logits in model(**inputs).items():
            counted = logits[mask] if "mask" in inputs and head in BY_PIECE else logits
            loss = loss + counted.square().sum()
        loss.backward()  # type: ignore[no-untyped-call]
        grads.append([parameter.grad for parameter in model.parameters()])
    assert_close(grads[0], grads[1], atol=1e-9, rtol=0)
    model.zero_grad()


@pytest.mark.parametrize("name", ["bert", "modernbert", "deberta-v2"])
def test_nothing_is_computed_on_padding(name: str) -> None:
    model = _model(name)
    padded, packed, _ = _both(model.config, [25, 2, 3, 1], 0)
    flops = []
    for inputs in (padded, packed):
        with torch.no_grad(), FlopCounterMode(display=False) as counter:
            model.encoder(**inputs)
        flops.append(counter.get_total_flops())
    assert flops[1] < 0.4 * flops[0]


def test_a_sequence_does_not_feel_its_neighbours() -> None:
    model = _model("albert")
    ids = torch.arange(5, 25)
    with torch.no_grad():
        alone = model.encoder(ids[8:], lengths=[12]).hidden
        together = model.encoder(ids, lengths=[8, 12]).hidden[8:]
    assert_close(together, alone, atol=1e-12, rtol=0)


def test_the_score_of_no_answer_is_that_of_the_first_piece() -> None:
    model = _model("bert")
    padded, packed, _ = _both(model.config, [6, 3], 0)
    for inputs in (padded, packed):
        encoded = model.encoder(**inputs)
        span: Any = model.heads["span"]
        wanted = span.classifier(encoded.first).sum(-1)
        assert_close(no_answer_score(span(encoded), encoded), wanted)


IDS = torch.tensor([[5, 6, 7], [8, 9, 10]])
BAD: list[tuple[dict[str, Any], str]] = [
    ({"ids": torch.full((1, 31), 5)}, "31 tokens but the encoder has positions for 30"),
    ({"ids": IDS + 90}, "id 100 is outside the 97 rows"),
    ({"ids": IDS - 6}, "id -1 is outside the 97 rows"),
    ({"ids": IDS.double()}, "ids must be whole numbers"),
    ({"ids": IDS, "segments": IDS - 4}, "segment 6 is outside the 2 rows"),
    ({"ids": IDS, "segments": IDS[:1] * 0}, r"segments are \[1, 3\] but the ids are \[2, 3\]"),
    ({"ids": IDS, "mask": torch.ones(2, 2)}, r"mask is \[2, 2\] but the ids are \[2, 3\]"),
    ({"ids": IDS, "mask": torch.tensor([[1, 1, 0], [0, 0, 0]])}, "all padding"),
    ({"ids": IDS[0]}, "these have 1 dimensions"),
    ({"ids": IDS[:, :0]}, "the batch has no tokens"),
    ({"ids": IDS, "lengths": [3, 3]}, "packed ids must be"),
    ({"ids": IDS[0], "lengths": [2]}, "lengths sum to 2 but there are 3 tokens"),
    ({"ids": IDS[0], "lengths": [3, 0]}, "at least one token"),
    ({"ids": IDS[0], "lengths": [3], "mask": IDS[0]}, "not both"),
]


@pytest.mark.parametrize(("inputs", "sentence"), BAD)
def test_bad_input_is_refused_in_a_sentence(inputs: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        _model("bert")(**inputs)


def test_a_roberta_takes_its_positions_less_the_padding_s() -> None:
    model = _model("roberta")
    model(torch.full((1, 28), 5))
    with pytest.raises(InputError, match="29 tokens but the encoder has positions for 28"):
        model(torch.full((1, 29), 5))
