"""Exported encoder and decoder give what torch gives, step by step, whatever rows are kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_transformers import tiny_transformer

from incognote.base.errors import ConfigError, ModelError
from incognote.onnx.sequence_folder import SequenceNetworks
from incognote.workshop.export.sequence_to_sequence import distance, export_networks
from incognote.workshop.sequence_to_sequence.search import beam_search, greedy
from incognote.workshop.sequence_to_sequence.transformer import Transformer, TransformerScorer

SOURCES = [[5, 6, 7, 1], [9, 1], [11, 12, 13, 14, 15, 1]]


def exported(folder: Path, model: Transformer, *, int8: bool = False) -> SequenceNetworks:
    folder.mkdir(exist_ok=True)
    (folder / "tokenizer.json").write_text("{}")
    export_networks(model, folder, "restore", int8=int8)
    return SequenceNetworks(folder)


@pytest.mark.parametrize("sizes", [{}, {"layers": 1, "decoder_layers": 3, "heads": 4}])
def test_logits_are_torchs(tmp_path: Path, sizes: dict[str, int]) -> None:
    model = tiny_transformer(**sizes)
    exported(tmp_path, model)
    assert distance(model, tmp_path) < 1e-4


@pytest.mark.parametrize("beams", [1, 3])
def test_searches_find_the_same(tmp_path: Path, beams: int) -> None:
    model = tiny_transformer(2)
    networks = exported(tmp_path, model)
    found = []
    scorers: list[Any] = [networks, TransformerScorer(model)]
    for scorer in scorers:
        settings: dict[str, Any] = {"start_id": 0, "end_id": 1, "longest": [9, 5, 12]}
        if beams == 1:
            found.append([each.tokens for each in greedy(scorer, SOURCES, **settings)])
        else:
            wide = beam_search(scorer, SOURCES, beams=beams, **settings)
            found.append([each.tokens for hypotheses in wide for each in hypotheses])
    assert found[0] == found[1]


def test_padding_of_a_batch_changes_nothing(tmp_path: Path) -> None:
    networks = exported(tmp_path, tiny_transformer())
    together, _ = networks.step(np.zeros(3, np.int64), networks.begin(SOURCES))
    for row, source in enumerate(SOURCES):
        alone, _ = networks.step(np.zeros(1, np.int64), networks.begin([source]))
        assert np.allclose(alone[0], together[row], atol=1e-5)


def test_eight_bits_are_smaller_and_near(tmp_path: Path) -> None:
    model = tiny_transformer(hidden_size=64, feed_forward_size=128, spread=0.1)
    exported(tmp_path / "full", model)
    exported(tmp_path / "small", model, int8=True)
    sizes = [
        sum(path.stat().st_size for path in (tmp_path / name).glob("*.onnx"))
        for name in ("full", "small")
    ]
    assert sizes[1] < sizes[0] / 2.2
    assert distance(model, tmp_path / "small") < 0.3
    card = json.loads((tmp_path / "small/sequence.json").read_text())["card"]
    assert card["precision"] == "int8"


def test_what_cannot_be_exported_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="only relu"):
        exported(tmp_path, tiny_transformer(activation="gelu"))


def test_a_folder_of_another_version_is_refused(tmp_path: Path) -> None:
    exported(tmp_path, tiny_transformer())
    path = tmp_path / "sequence.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "schema": 2}))
    with pytest.raises(ModelError, match="schema version 2"):
        SequenceNetworks(tmp_path)
    path.write_text(json.dumps({**json.loads(path.read_text()), "schema": 1, "end_id": 4000}))
    with pytest.raises(ModelError, match="rows of the vocabulary"):
        SequenceNetworks(tmp_path)
