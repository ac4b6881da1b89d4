"""Tokens that are surely no identifiers are read no further; all else is as it would be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tiny_checkpoints import CONFIGS
from toy_corpus import quick, random_start, toy

from incognote.base.errors import TrainError
from incognote.detect.model import ModelDetector
from incognote.onnx.model_folder import read_model
from incognote.onnx.sessions import Network
from incognote.workshop.encoders.bert import BertConfig
from incognote.workshop.encoders.families import PRESETS
from incognote.workshop.encoders.model import Model
from incognote.workshop.export.network import network_of
from incognote.workshop.export.run import export
from incognote.workshop.fine_tuning import Parts, train_corpus
from incognote.workshop.finetune.checkpoint import load_checkpoint
from incognote.workshop.finetune.predict import note_scores, predict, strict_figures
from incognote.workshop.finetune.tagger import CERTAIN, Tagger

SIZES = {"layers": 3, "hidden_size": 32, "heads": 2, "feed_forward_size": 64, "positions": 64}
LABELS = ("O", "B-NAME", "I-NAME")


def tagger_of(settle: int | None) -> Tagger:
    torch.manual_seed(5)
    config = BertConfig(
        vocabulary_size=50, hidden_size=16, heads=2, feed_forward_size=32, layers=4, dropout=0.0
    )
    tagger = Tagger(Model(config, heads=("tokens",), labels=LABELS), shape=False, crf=False)
    for parameter in tagger.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    if settle is None:
        return tagger.eval()
    settled = Tagger(tagger.model, shape=False, crf=False, settle=settle)
    assert settled.settling is not None
    torch.nn.init.normal_(settled.settling.outer.weight, std=3.0)
    with torch.no_grad():
        _, doubts = settled.eval().logits_and_doubts(torch.arange(3, 33), (30,))
        settled.settling.outer.bias.sub_(doubts.quantile(0.5))  # about half are settled
    return settled


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("settling")
    train_corpus(
        Parts(train=toy(12)),
        random_start(folder / "tokenizer", SIZES),
        folder / "checkpoint",
        quick(epochs=16, lr=5e-3, shape=True, crf=True, settle=1),
        labels="own",
    )
    return folder / "checkpoint"


@torch.no_grad()
def test_where_all_is_in_doubt_nothing_changes() -> None:
    ids, lengths = torch.arange(3, 33), (11, 7, 12)
    settled = tagger_of(settle=2)
    expected = tagger_of(settle=None)(ids, lengths=lengths)
    found, _ = settled.logits_and_doubts(ids, lengths, doubtful=torch.ones(30, dtype=torch.bool))
    assert torch.allclose(found, expected, atol=1e-5)


@torch.no_grad()
def test_what_is_settled_is_outside_and_the_surer_the_more() -> None:
    ids, lengths = torch.arange(3, 33), (11, 7, 12)
    logits, doubts = tagger_of(settle=2).logits_and_doubts(ids, lengths)
    settled = doubts <= 0
    settled[[0, 11, 18]] = False
    assert 0 < int(settled.sum()) < 27
    assert torch.allclose(logits[settled, 0], CERTAIN - doubts[settled])
    assert not logits[settled, 1:].any()
    assert logits[~settled, 1:].all()


@torch.no_grad()
def test_a_sequence_is_read_as_if_it_were_alone() -> None:
    tagger = tagger_of(settle=2)
    ids, lengths = torch.arange(3, 33), (11, 7, 12)
    together = torch.split(tagger(ids, lengths=lengths), list(lengths))
    for part, logits in zip(torch.split(ids, list(lengths)), together, strict=True):
        assert torch.allclose(tagger(part, lengths=(len(part),)), logits, atol=1e-5)


@torch.no_grad()
@pytest.mark.parametrize("block", [8192, 1], ids=["fused", "node by node"])
def test_the_exported_network_settles_the_same(
    block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("incognote.workshop.export.body.IN_ONE_BLOCK", block)
    tagger = tagger_of(settle=2)
    path = tmp_path / "model.onnx"
    made = network_of(tagger.model, early_exit=tagger.settling, longest=40)
    path.write_bytes(made.SerializeToString())
    network = Network(path)
    for length in (1, 2, 9, 30):
        ids = torch.arange(3, 3 + length)
        expected = tagger(ids, lengths=(length,)).numpy()
        assert np.abs(network.run(ids=ids[None].numpy())[0] - expected).max() < 1e-4


def test_a_run_learns_what_to_settle(trained: Path) -> None:
    checkpoint = load_checkpoint(trained)
    notes = toy(12)
    found = predict(checkpoint.tagger, checkpoint.reader, notes)
    assert strict_figures(notes, found)["f1"] > 0.9
    readings = checkpoint.reader.read_all([note.text for note in notes])
    scores = np.concatenate(note_scores(checkpoint.tagger, readings))
    outside = checkpoint.tagger.labels.outside
    settled = (np.delete(scores, outside, axis=1) == 0).all(axis=1)
    assert 0.2 < settled.mean() < 0.95


def test_an_exported_model_finds_the_same_alone_and_in_company(
    trained: Path, tmp_path: Path
) -> None:
    export([trained], tmp_path / "model")
    assert all(member.alone for member in read_model(tmp_path / "model").members.values())
    detector = ModelDetector(tmp_path / "model")
    notes = toy(12)
    together = list(detector.detect_many(notes))
    checkpoint = load_checkpoint(trained)
    expected = predict(checkpoint.tagger, checkpoint.reader, notes)
    assert [found.spans for found in together] == [detector.detect(note).spans for note in notes]
    for found, note in zip(together, expected, strict=True):
        places = [(span.start, span.end, span.type) for span in found.spans]
        assert places == [(span.start, span.end, span.type) for span in note.spans]


@pytest.mark.parametrize("after", [4, 9])
def test_a_layer_that_is_not_there_is_refused(after: int) -> None:
    with pytest.raises(TrainError, match="after layer 1 to 3"):
        tagger_of(settle=after)


def test_an_encoder_of_another_make_is_refused() -> None:
    config: Any = PRESETS["xlnet-base-cased"].config
    with torch.device("meta"):
        model = Model(config, heads=("tokens",), labels=LABELS)
    with pytest.raises(TrainError, match="no early exit"):
        Tagger(model, shape=False, crf=False, settle=2)


@pytest.mark.parametrize("name", ["modernbert", "deberta-v2"])
def test_layers_that_go_by_places_have_none(name: str) -> None:
    model = Model(CONFIGS[name], heads=("tokens",), labels=LABELS)
    with pytest.raises(TrainError, match="has no early exit, as its layers go by places"):
        Tagger(model, shape=False, crf=False, settle=1)
