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


def test_a_preset_may_begin_with_the_words_of_a_checkpoint(tmp_path: Path) -> None:
    first = trained(tmp_path)
    before: Any = load_checkpoint(first).tagger.model.encoder
    narrow = {**SIZES, "hidden_size": 16, "embedding_size": 32}
    labels = bio_labels(["COLOUR"])
    preset, tokens = "electra-small-discriminator", tmp_path / "tokenizer"
    after: Any = start(preset, labels, tokenizer=tokens, sizes=narrow, words=first).model.encoder
    assert torch.equal(after.words, before.words)
    assert after.embeddings.projection is not None
    with pytest.raises(TrainError, match="choose its embedding_size"):
        start(preset, labels, tokenizer=tokens, sizes={**narrow, "embedding_size": 8}, words=first)
    with pytest.raises(TrainError, match="a checkpoint has its own"):
        start(first, labels, words=first)
