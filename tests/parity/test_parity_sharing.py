"""What only our ALBERT can share still leaves a file that Hugging Face's computes alike."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from encoder_oracle import TINY, answer, batch, logits_of
from torch.testing import assert_close

from incognote.workshop.encoders import load, save
from incognote.workshop.encoders.model import Model

CHOICES: list[dict[str, Any]] = [
    {"sharing": "attention"},
    {"sharing": "ffn"},
    {"sharing": "none"},
    {"sharing": "attention", "groups": 2, "inner_layers": 2},
    {"sharing": "all", "embedding_size": 24},
    {"sharing": "none", "embedding_size": 24, "inner_layers": 2},
]


@pytest.mark.parametrize("choice", CHOICES, ids=str)
@torch.no_grad()
def test_every_sharing_saves_what_transformers_computes(
    choice: dict[str, Any], tmp_path: Path
) -> None:
    config = replace(TINY["albert"], layers=4, **choice)
    model = Model(config, heads=("mlm", "sop")).eval()
    for parameter in model.parameters():
        parameter.normal_(0, 0.1)
    save(model, tmp_path)
    reader: Any = transformers.AlbertForPreTraining
    theirs, report = reader.from_pretrained(tmp_path, output_loading_info=True)
    assert not any(report.values())
    inputs = batch(config, "pairs")
    expected = logits_of(theirs, answer(theirs.eval(), inputs))
    again = load(tmp_path)
    assert again.config.order == config.order
    assert sum(p.numel() for p in again.parameters()) == sum(p.numel() for p in model.parameters())
    for head, logits in again(**inputs).items():
        assert_close(logits, expected[head], atol=1e-5, rtol=0)
        assert_close(logits, model(**inputs)[head], atol=1e-6, rtol=0)
