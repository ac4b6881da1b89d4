"""A model that was trained here goes on from where it was, or gives only its encoder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from toy_corpus import quick, tiny_folder, toy

from incognote.finetune.checkpoint import load_checkpoint
from incognote.finetune.loop import Run
from incognote.finetune.start import start
from incognote.phi import bio_labels
from incognote.training.errors import TrainError
from incognote.workflows.train import Parts, train_corpus

SIZES = {"layers": 2, "hidden_size": 32, "heads": 2, "feed_forward_size": 64, "positions": 64}


def trained(folder: Path) -> Path:
    train_corpus(
        Parts(train=toy(6)),
        "bert-base-uncased",
        folder / "first",
        quick(epochs=2, shape=True, crf=True),
        labels="own",
        tokenizer=tiny_folder(folder / "tokenizer"),
        sizes=SIZES,
    )
    return folder / "first"


def test_a_trained_model_goes_on_with_classifier_shapes_and_crf(tmp_path: Path) -> None:
    first = trained(tmp_path)
    before = load_checkpoint(first).tagger
    begun = start(first, before.labels.names)
    options = quick(shape=True, crf=True)
    after = Run(begun, toy(6), [], options, tmp_path / "second").tagger
    wanted, got = before.state_dict(), after.state_dict()
    assert set(wanted) == set(got)
    assert all(torch.equal(wanted[name], got[name]) for name in wanted)
    assert wanted["shape.rows.weight"].abs().sum() > 0


def test_what_is_no_longer_chosen_is_left_behind(tmp_path: Path) -> None:
    first = trained(tmp_path)
    begun = start(first, load_checkpoint(first).tagger.labels.names)
    tagger = Run(begun, toy(6), [], quick(), tmp_path / "second").tagger
    assert tagger.shape is None
    assert tagger.crf is None


def test_other_labels_begin_a_new_classifier(tmp_path: Path) -> None:
    first = trained(tmp_path)
    begun = start(first, bio_labels(["COLOUR"]))
    assert not begun.learned
    assert begun.model.labels == ("O", "B-COLOUR", "I-COLOUR")


def test_a_damaged_story_of_a_model_is_said(tmp_path: Path) -> None:
    folder = tiny_folder(tmp_path)
    (folder / "training.json").write_text("{")
    with pytest.raises(TrainError, match=r"training\.json: not readable as JSON"):
        start(folder, bio_labels(["COLOUR"]))


def test_a_narrower_model_goes_on_with_all_else(tmp_path: Path) -> None:
    first = trained(tmp_path)
    before = load_checkpoint(first).tagger
    begun = start(first, before.labels.names)
    options = quick(shape=True, crf=True, units=16, epochs=2)
    run = Run(begun, toy(6), [], options, tmp_path / "second")
    tagger = run.tagger
    own: Any = tagger.model.encoder
    wide: Any = before.model.encoder
    assert own.config.feed_forward_size == 16
    assert torch.equal(own.words, wide.words)
    assert torch.equal(own.stack.attentions[0].query.weight, wide.stack.attentions[0].query.weight)
    assert before.shape is not None
    assert tagger.shape is not None
    assert torch.equal(tagger.shape.rows.weight, before.shape.rows.weight)
    learned = own.stack.feed_forwards[0].up.weight.detach().clone()
    run.train()
    assert not torch.equal(own.stack.feed_forwards[0].up.weight, learned)
