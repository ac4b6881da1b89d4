"""Ours and Hugging Face's agree: hidden states, logits, gradients, files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from encoder_oracle import (
    APART_AT_PADDING,
    TINY,
    VARIANTS,
    answer,
    architectures,
    batch,
    logits_of,
    oracle,
    shaped,
)
from safetensors.torch import load_file
from torch.testing import assert_close

from incognote.workshop.encoders import load, save
from incognote.workshop.encoders.albert import AlbertConfig
from incognote.workshop.encoders.bert import BertConfig
from incognote.workshop.encoders.distilbert import DistilbertConfig
from incognote.workshop.encoders.electra import ElectraConfig
from incognote.workshop.encoders.families import family_of
from incognote.workshop.encoders.model import Model
from incognote.workshop.encoders.naming import pairs
from incognote.workshop.encoders.roberta import RobertaConfig

CONFIGS = {**TINY, **VARIANTS}
ALL = [(name, made) for name, config in TINY.items() for made in architectures(config)] + [
    (name, made)
    for name, config in VARIANTS.items()
    for made in architectures(config)
    if made.endswith(("Model", "ForMaskedLM", "ForSequenceClassification"))
]
WIDE: dict[str, Any] = {
    "bert-base": BertConfig(layers=1, vocabulary_size=997),
    "roberta-large": RobertaConfig(
        layers=1, hidden_size=1024, heads=16, feed_forward_size=4096, vocabulary_size=997
    ),
    "albert-base": AlbertConfig(layers=3, vocabulary_size=997),
    "distilbert-base": DistilbertConfig(layers=2, vocabulary_size=997),
    "electra-small": ElectraConfig(layers=12, vocabulary_size=997),
}
TOLERANCE = {torch.float64: 1e-9, torch.float32: 1e-4}


def _ours(theirs: Any, folder: Path, dtype: torch.dtype) -> Model:
    theirs.save_pretrained(folder)
    return load(folder, dtype=dtype)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=["float64", "float32"])
@pytest.mark.parametrize(("name", "architecture"), ALL)
@torch.no_grad()
def test_hidden_states_and_logits_agree(
    name: str, architecture: str, dtype: torch.dtype, tmp_path: Path
) -> None:
    config = CONFIGS[name]
    theirs = oracle(architecture, config, dtype)
    model = _ours(theirs, tmp_path, dtype)
    tolerance = TOLERANCE[dtype]
    for kind in ("full", "padded", "pairs"):
        inputs = batch(config, kind)
        expected = answer(theirs, inputs, output_hidden_states=True)
        # What stands at padding is nobody's business where nothing else can see it.
        real = torch.ones_like(inputs["mask"], dtype=torch.bool)
        real = inputs["mask"].bool() if model.family.name in APART_AT_PADDING else real
        encoded = model.encoder(**inputs, states=True)
        assert len(encoded.states) == len(expected.hidden_states)
        for ours, wanted in zip(encoded.states, expected.hidden_states, strict=True):
            assert_close(ours[real], wanted[real], atol=tolerance, rtol=0)
        if "pooler_output" in expected and encoded.pooled is not None:
            assert_close(encoded.pooled, expected.pooler_output, atol=tolerance, rtol=0)
        if not model.heads:
            continue
        wanted_logits = logits_of(theirs, expected)
        assert wanted_logits.keys() == set(model.heads)
        for head, ours in shaped(model(**inputs)).items():
            assert float(ours.std()) > 1e-5 or head == "choice"
            there = real if ours.shape[:2] == real.shape else slice(None)
            assert_close(ours[there], wanted_logits[head][there], atol=tolerance, rtol=0)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=["float64", "float32"])
@pytest.mark.parametrize("name", WIDE)
@torch.no_grad()
def test_real_widths_agree(name: str, dtype: torch.dtype, tmp_path: Path) -> None:
    config = WIDE[name]
    theirs = oracle(f"{architectures(config)[0].removesuffix('Model')}ForMaskedLM", config, dtype)
    model = _ours(theirs, tmp_path, dtype)
    inputs = batch(config, "pairs")
    wanted = answer(theirs, inputs).logits
    assert_close(model(**inputs)["mlm"], wanted, atol=TOLERANCE[dtype], rtol=0)


@pytest.mark.parametrize(("name", "architecture"), ALL)
def test_gradients_of_every_parameter_agree(name: str, architecture: str, tmp_path: Path) -> None:
    config = CONFIGS[name]
    theirs = oracle(architecture, config, torch.float64)
    model = _ours(theirs, tmp_path, torch.float64)
    inputs = batch(config, "pairs")
    real = inputs["mask"].bool()
    output = answer(theirs, inputs)
    if model.heads:
        theirs_by_head, ours_by_head = logits_of(theirs, output), shaped(model(**inputs))
    else:
        encoded = model.encoder(**inputs)
        theirs_by_head, ours_by_head = {"": output.last_hidden_state}, {"": encoded.hidden}
        if encoded.pooled is not None:
            theirs_by_head["pooled"], ours_by_head["pooled"] = output.pooler_output, encoded.pooled
    for by_head in (theirs_by_head, ours_by_head):
        loss = torch.zeros((), dtype=torch.float64)
        for values in by_head.values():
            # Only real pieces count: what stands at padding is nobody's business.
            counted = values[real] if values.shape[:2] == real.shape else values
            loss = loss + (counted * torch.arange(counted.numel()).view_as(counted).cos()).sum()
        loss.backward()  # type: ignore[no-untyped-call]
    expected = {key: parameter.grad for key, parameter in theirs.named_parameters()}
    prefix = "" if model.heads else model.family.prefix
    parameters = dict(model.named_parameters())
    seen = set()
    for ours, key in pairs(model, model.family, config, tuple(model.heads)):
        wanted = expected[key.removeprefix(prefix)]
        grad = parameters[ours].grad
        assert (grad is None) == (wanted is None), key
        if grad is not None:
            assert_close(grad, wanted, atol=1e-9, rtol=1e-9)
        seen.add(key.removeprefix(prefix))
    assert seen == set(expected)


@pytest.mark.parametrize(("name", "architecture"), ALL)
@torch.no_grad()
def test_what_we_save_transformers_loads(name: str, architecture: str, tmp_path: Path) -> None:
    config = CONFIGS[name]
    theirs = oracle(architecture, config, torch.float32)
    model = _ours(theirs, tmp_path / "theirs", torch.float32)
    save(model, tmp_path / "ours")
    assert_close(
        load_file(tmp_path / "ours" / "model.safetensors"),
        load_file(tmp_path / "theirs" / "model.safetensors"),
        atol=0,
        rtol=0,
    )
    again, report = getattr(transformers, architecture).from_pretrained(
        tmp_path / "ours", output_loading_info=True
    )
    assert not any(report.values())
    inputs = batch(config, "pairs")
    before, after = answer(theirs, inputs), answer(again.eval(), inputs)
    for key in before:
        assert_close(after[key], before[key], atol=1e-6, rtol=0)


@torch.no_grad()
def test_masked_language_logits_at_chosen_pieces_are_those_of_all(tmp_path: Path) -> None:
    for config in TINY.values():
        architecture = f"{architectures(config)[0].removesuffix('Model')}ForMaskedLM"
        theirs = oracle(architecture, config, torch.float64)
        model = _ours(theirs, tmp_path / architecture, torch.float64)
        inputs = batch(config, "padded")
        chosen = torch.tensor([0, 3, 19, 40])
        wanted = answer(theirs, inputs).logits.flatten(0, 1)[chosen]
        assert_close(model(**inputs, chosen=chosen)["mlm"], wanted, atol=1e-9, rtol=0)


def test_every_family_and_head_is_compared() -> None:
    compared = {family_of(CONFIGS[name]).name for name, _ in ALL}
    assert compared == set(TINY)
    for config in TINY.values():
        family = family_of(config)
        heads = {head for has in family.architectures.values() for head in has}
        # Of DeBERTa's replaced tokens Hugging Face has no model.
        alone = {"answerable", "rtd"} if family.name == "deberta-v2" else {"answerable"}
        assert heads | alone == set(family.heads)
