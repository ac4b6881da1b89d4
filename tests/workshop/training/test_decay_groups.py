"""Which parameters decay: those that the papers' code would, by the names it gives them."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
import torch

from incognote.workshop.encoders.model import Model
from incognote.workshop.encoders.naming import pairs
from incognote.workshop.encoders.presets import PRESETS
from incognote.workshop.training.groups import undecayed

EXCLUDED = re.compile("LayerNorm|layer_norm|bias")
INCLUDED = re.compile("r_s_bias|r_r_bias|r_w_bias")
"""XLNet's `include_in_weight_decay`, which goes before what is excluded; no other has such names."""


@pytest.mark.parametrize("name", ["xlnet-base-cased", "bert-base-uncased", "albert-base-v2"])
def test_what_decays_is_what_the_papers_code_decays(name: str) -> None:
    config = replace(PRESETS[name].config, layers=2)
    with torch.device("meta"):
        model = Model(config, heads=("tokens",), labels=("O", "B-NAME"))
    plain = undecayed(model)
    names = list(pairs(model, model.family, config, ("tokens",)))
    for ours, theirs in names:
        excluded = EXCLUDED.search(theirs)
        assert (ours in plain) == bool(excluded and not INCLUDED.search(theirs)), theirs
    biases = [theirs for _, theirs in names if INCLUDED.search(theirs)]
    assert len(biases) == (6 if name.startswith("xlnet") else 0)
