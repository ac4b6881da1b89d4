"""A model that reads joined pieces: learned, saved, gone on with, taught and exported."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from toy_corpus import quick, random_start, toy

from incognote.align.joined_tokens import NOTHING, OTHERS
from incognote.base.errors import ModelError, RunError
from incognote.detect.model import ModelDetector
from incognote.document import Document
from incognote.onnx.model_folder import read_model
from incognote.workshop.export.run import export
from incognote.workshop.fine_tuning import Parts, train_corpus
from incognote.workshop.finetune.checkpoint import load_checkpoint
from incognote.workshop.finetune.predict import predict, strict_figures
from incognote.workshop.finetune.tagger import OtherTokens
from incognote.workshop.starting_points import Origin

SIZES = {"layers": 2, "hidden_size": 32, "heads": 2, "feed_forward_size": 64, "positions": 64}


@pytest.fixture(scope="module", params=[None, 1], ids=["all read", "settling"])
def trained(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("joining")
    train_corpus(
        Parts(train=toy(12)),
        random_start(folder / "tokenizer", SIZES),
        folder / "checkpoint",
        quick(epochs=16, lr=5e-3, shape=True, crf=True, join=True, settle=request.param),
        labels="own",
    )
    return folder / "checkpoint"


def test_the_others_are_summed_by_their_weights() -> None:
    torch.manual_seed(3)
    table, module = torch.randn(9, 4), OtherTokens(4)
    torch.nn.init.normal_(module.gains)
    others = torch.full((2, 3, OTHERS), NOTHING)
    others[0, 1, 0], others[1, 2, :2] = 5, torch.tensor([0, 8])
    found = module(others, table)
    expected = torch.zeros(2, 3, 4)
    expected[0, 1] = table[5] * module.gains[0]
    expected[1, 2] = table[0] * module.gains[0] + table[8] * module.gains[1]
    assert torch.allclose(found, expected, atol=1e-6)
    found.sum().backward()
    assert module.gains.grad is not None


def test_a_run_learns_from_joined_pieces(trained: Path) -> None:
    checkpoint = load_checkpoint(trained)
    assert checkpoint.reader.join
    notes = toy(12)
    found = predict(checkpoint.tagger, checkpoint.reader, notes)
    assert strict_figures(notes, found)["f1"] > 0.9
    assert checkpoint.tagger.others is not None
    assert not torch.equal(checkpoint.tagger.others.gains, torch.ones(OTHERS, 32))


def test_the_exported_model_marks_the_same(trained: Path, tmp_path: Path) -> None:
    told: list[str] = []
    export([trained], tmp_path / "model", tell=told.append)
    assert any("of torch's" in sentence for sentence in told)
    notes = toy(8)
    checkpoint = load_checkpoint(trained)
    expected = predict(checkpoint.tagger, checkpoint.reader, notes)
    detector = ModelDetector(tmp_path / "model")
    for note, wanted, found in zip(notes, expected, detector.detect_many(notes), strict=True):
        assert found.seen == len(note.text)
        places = [(span.start, span.end, span.type) for span in found.spans]
        assert places == [(span.start, span.end, span.type) for span in wanted.spans]
        assert np.allclose(
            [span.score for span in found.spans], [span.score for span in wanted.spans], atol=1e-3
        )


def test_another_version_of_joining_is_refused(trained: Path, tmp_path: Path) -> None:
    export([trained], tmp_path / "model")
    (member,) = read_model(tmp_path / "model").members.values()
    assert member.join == 1
    described = tmp_path / "model" / "incognote.json"
    told = described.read_text(encoding="utf-8")
    assert told.count('"join": 1') == 1
    described.write_text(told.replace('"join": 1', '"join": 7'), encoding="utf-8")
    with pytest.raises(ModelError, match="merged tokens of version 7"):
        ModelDetector(tmp_path / "model")


def test_a_teacher_must_join_as_the_student_does(trained: Path, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="both merge tokens"):
        train_corpus(
            Parts(train=toy(2)),
            Origin(encoder=str(trained), encoder_only=True),
            tmp_path / "student",
            quick(epochs=1, shape=True, crf=True, teacher=str(trained)),
            labels="own",
        )


def test_going_on_keeps_what_was_learned_of_joining(trained: Path, tmp_path: Path) -> None:
    settle = load_checkpoint(trained).training["settle"]
    train_corpus(
        Parts(train=toy(2)),
        Origin(encoder=str(trained)),
        tmp_path / "more",
        quick(epochs=1, lr=1e-9, shape=True, crf=True, join=True, settle=settle),
        labels="own",
    )
    before, after = (load_checkpoint(folder).tagger for folder in (trained, tmp_path / "more"))
    assert before.others is not None
    assert after.others is not None
    assert torch.allclose(before.others.gains, after.others.gains, atol=1e-4)


def test_an_empty_note_and_one_of_spaces_are_fine(trained: Path) -> None:
    checkpoint = load_checkpoint(trained)
    notes = [Document("1", ""), Document("2", " \n\t")]
    assert [note.spans for note in predict(checkpoint.tagger, checkpoint.reader, notes)] == [(), ()]
