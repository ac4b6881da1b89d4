"""A model that was trained here goes on from where it was, or gives only its encoder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from toy_corpus import quick, random_start, tiny_folder, toy

from incognote.base.errors import RunError, TrainError
from incognote.document import Document, Span
from incognote.phi import bio_labels
from incognote.workshop.fine_tuning import Parts, train_corpus
from incognote.workshop.finetune.checkpoint import load_checkpoint
from incognote.workshop.finetune.loop import Run
from incognote.workshop.finetune.start import start
from incognote.workshop.starting_points import Origin, learning_options

COLOURED = Document("a", "red", (Span.of("red", 0, 3, "COLOUR"),))
SIZES = {"layers": 2, "hidden_size": 32, "heads": 2, "feed_forward_size": 64, "positions": 64}


def trained(folder: Path) -> Path:
    train_corpus(
        Parts(train=toy(6)),
        random_start(folder / "tokenizer", SIZES),
        folder / "first",
        quick(epochs=2, shape=True, crf=True),
        labels="own",
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


def test_what_would_be_lost_is_refused(tmp_path: Path) -> None:
    first = trained(tmp_path)
    begun = start(first, load_checkpoint(first).tagger.labels.names)
    with pytest.raises(TrainError, match="learned with shape, crf, which would be lost: keep them"):
        Run(begun, toy(6), [], quick(), tmp_path / "second")
    with pytest.raises(TrainError, match="other labels, which would be lost"):
        start(first, bio_labels(["COLOUR"]))


def test_of_a_trained_model_the_encoder_alone_can_be_taken(tmp_path: Path) -> None:
    first = trained(tmp_path)
    begun = start(first, bio_labels(["COLOUR"]), encoder_only=True)
    assert not begun.learned
    assert begun.model.labels == ("O", "B-COLOUR", "I-COLOUR")
    own: Any = begun.model.encoder
    its: Any = load_checkpoint(first).tagger.model.encoder
    assert torch.equal(own.words, its.words)


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


def test_a_model_that_goes_on_keeps_labels_and_structure_without_being_told(
    tmp_path: Path,
) -> None:
    first = trained(tmp_path)
    origin = Origin(encoder=str(first))
    options = learning_options({"epochs": 1, "shape": None, "crf": None}, origin, toy(6))
    assert (options.shape, options.crf, options.join, options.settle) == (True, True, False, None)
    assert (options.window, options.overlap) == (24, 8)
    said: list[str] = []
    second = tmp_path / "second"
    parts = Parts(train=toy(1, sentences=1), validation=toy(6))
    result = train_corpus(parts, origin, second, options, say=said.append)
    assert result.trained.training["labels"] == list(load_checkpoint(first).tagger.labels.names)
    assert load_checkpoint(second).tagger.crf is not None
    assert not said


@pytest.mark.parametrize(
    ("chosen", "labels", "notes", "says"),
    [
        ({"crf": False}, None, toy(2), "learned with crf, which would be lost: keep it"),
        ({}, "full", toy(2), "other labels, which would be lost: leave out --labels"),
        ({}, None, [COLOURED], "has not learned COLOUR: .* --encoder-only"),
    ],
)
def test_a_model_that_goes_on_loses_nothing(
    tmp_path: Path, chosen: dict[str, Any], labels: Any, notes: list[Document], says: str
) -> None:
    origin = Origin(encoder=str(trained(tmp_path)))
    options = learning_options({"epochs": 1, **chosen}, origin, notes)
    with pytest.raises(RunError, match=says):
        train_corpus(Parts(train=notes), origin, tmp_path / "second", options, labels=labels)
    assert not (tmp_path / "second").exists()
