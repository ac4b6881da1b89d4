"""A student begins with layers of a deeper model and learns what that model says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
from toy_corpus import quick, random_start, toy

from incognote.base.errors import TrainError
from incognote.workshop.encoders.albert import AlbertConfig
from incognote.workshop.encoders.bert import BertConfig
from incognote.workshop.encoders.model import Model
from incognote.workshop.encoders.modernbert import GLOBAL, LOCAL, ModernBertConfig
from incognote.workshop.fine_tuning import Parts, train_corpus
from incognote.workshop.finetune.checkpoint import load_checkpoint
from incognote.workshop.finetune.examples import examples, pack_examples
from incognote.workshop.finetune.loop import Run
from incognote.workshop.finetune.losses import Teacher, summed_loss
from incognote.workshop.finetune.predict import predict, strict_figures
from incognote.workshop.finetune.smaller import keep_layers
from incognote.workshop.finetune.start import start

SIZES = {"layers": 3, "hidden_size": 32, "heads": 2, "feed_forward_size": 64, "positions": 64}
SMALL: dict[str, Any] = {
    "vocabulary_size": 50,
    "hidden_size": 16,
    "heads": 2,
    "feed_forward_size": 32,
}
LEARNING: dict[str, Any] = {"epochs": 16, "lr": 5e-3, "shape": True, "crf": True}


@pytest.fixture(scope="module")
def teacher(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("teacher")
    train_corpus(
        Parts(train=toy(12)),
        random_start(folder / "tokenizer", SIZES),
        folder / "deep",
        quick(**LEARNING),
        labels="own",
    )
    return folder / "deep"


def test_kept_layers_are_those_of_the_deeper_model() -> None:
    model = Model(BertConfig(**SMALL, layers=4), heads=("tokens",)).eval()
    shallow = keep_layers(model, (1, 2)).eval()
    ids = torch.arange(7)[None]
    with torch.no_grad():
        states = model.encoder(ids, states=True).states
        assert torch.equal(shallow.encoder(ids).hidden, states[2])
    last = keep_layers(model, (2, 4)).state_dict()
    name = "encoder.stack.attentions.{}.query.weight"
    assert torch.equal(last[name.format(1)], model.state_dict()[name.format(3)])


def test_shared_layers_are_run_through_fewer_times() -> None:
    config = AlbertConfig(**SMALL, embedding_size=8, layers=4)
    model = Model(config, heads=("tokens",)).eval()
    shallow = keep_layers(model, (1, 3, 4)).eval()
    ids = torch.arange(7)[None]
    with torch.no_grad():
        states = model.encoder(ids, states=True).states
        assert torch.equal(shallow.encoder(ids).hidden, states[3])


def test_modernbert_s_layers_stay_local_or_global() -> None:
    config = ModernBertConfig(**SMALL, layers=5, window=4, pad_id=0)
    model = Model(config, heads=("tokens",)).eval()
    shallow = keep_layers(model, (1, 2, 4)).eval()
    assert config.attention_types == (GLOBAL, LOCAL, LOCAL, GLOBAL, LOCAL)
    assert shallow.config.attention_types == (GLOBAL, LOCAL, GLOBAL)
    name = "encoder.stack.feed_forwards.{}.down.weight"
    assert torch.equal(shallow.state_dict()[name.format(2)], model.state_dict()[name.format(3)])
    ids = torch.arange(12)[None]
    with torch.no_grad():
        two = keep_layers(model, (1, 2)).eval().encoder(ids, states=True).states[1]
        assert torch.equal(two, model.encoder(ids, states=True).states[1])
    with pytest.raises(TrainError, match="layer 1 of ModernBERT must be kept"):
        keep_layers(model, (2, 4))


@pytest.mark.parametrize("kept", [(), (0, 1), (2, 1), (1, 5), (1, 1)])
def test_layers_that_are_not_there_are_refused(kept: tuple[int, ...]) -> None:
    with pytest.raises(TrainError, match="some of 1 to 4"):
        keep_layers(Model(BertConfig(**SMALL, layers=4)), kept)


def test_the_loss_is_that_of_the_formula(teacher: Path, tmp_path: Path) -> None:
    checkpoint = load_checkpoint(teacher)
    names = checkpoint.tagger.labels.names
    options = quick(shape=True, crf=True, teacher=str(teacher), temperature=3.0)
    run = Run(start(teacher, names, layers=(1, 3)), toy(3), [], options, tmp_path / "run")
    run.tagger.eval()
    packed, targets = pack_examples(run.examples[:2], torch.device("cpu"))
    fed = {"lengths": packed.lengths, "shapes": packed.shapes}
    with torch.no_grad():
        own = run.tagger(packed.ids, **fed)[targets.places].double().numpy()
        taught = checkpoint.tagger(packed.ids, **fed)[targets.places].double().numpy()
        hard = float(summed_loss(run.tagger, packed, targets))
        both = float(
            summed_loss(run.tagger, packed, targets, teacher=run.teacher, teacher_share=0.25)
        )

    def softened(logits: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        powers = np.exp(logits / 3.0)
        shares: npt.NDArray[np.float64] = powers / powers.sum(1, keepdims=True)
        return shares

    p, q = softened(taught), softened(own)
    soft = 9.0 * float((p * np.log(p / q)).sum())
    assert soft > 1e-3
    assert both == pytest.approx(0.75 * hard + 0.25 * soft, rel=1e-4)


def test_a_student_learns_from_notes_that_nobody_marked(teacher: Path, tmp_path: Path) -> None:
    marked = toy(12)
    bare = [replace(note, spans=()) for note in marked]
    names = load_checkpoint(teacher).tagger.labels.names
    taught = predict(load_checkpoint(teacher).tagger, load_checkpoint(teacher).reader, bare)
    assert strict_figures(marked, taught)["f1"] > 0.9
    options = quick(**LEARNING, teacher=str(teacher), teacher_share=1.0)
    begun = random_start(tmp_path / "tokenizer", {**SIZES, "layers": 1}).start(names)
    run = Run(begun, bare, [], options, tmp_path / "student")
    before = strict_figures(taught, predict(run.tagger, run.reader, bare))["f1"]
    run.train()
    after = strict_figures(taught, predict(run.tagger, run.reader, bare))["f1"]
    assert before < 0.5 < 0.9 < after


def test_settling_is_learned_whatever_the_share_of_the_teacher(
    teacher: Path, tmp_path: Path
) -> None:
    begun = start(teacher, load_checkpoint(teacher).tagger.labels.names)
    options = quick(shape=True, crf=True, settle=1, teacher=str(teacher), teacher_share=1.0)
    run = Run(begun, toy(3), [], options, tmp_path / "student")
    assert run.tagger.settling is not None
    before = run.tagger.settling.outer.bias.clone()
    run.train()
    assert not torch.equal(run.tagger.settling.outer.bias, before)


def test_a_teacher_must_read_as_the_student_does(teacher: Path, tmp_path: Path) -> None:
    names = load_checkpoint(teacher).tagger.labels.names
    begun = start(teacher, names, encoder_only=True)
    with pytest.raises(TrainError, match="both have word shapes"):
        Run(begun, toy(3), [], quick(crf=True, teacher=str(teacher)), tmp_path / "a")
    run = Run(begun, toy(3), [], quick(shape=True, window=40, overlap=8), tmp_path / "b")
    assert examples(toy(3), run.reader, run.tagger.labels)
    run.reader.window = 80
    with pytest.raises(TrainError, match="longer than the teacher"):
        Teacher(teacher, run.tagger, run.reader, 2.0)
    other = random_start(tmp_path / "tokenizer", SIZES).start(("O", "B-COLOUR", "I-COLOUR"))
    with pytest.raises(TrainError, match="other labels"):
        Run(other, toy(0), [], quick(shape=True, teacher=str(teacher)), tmp_path / "c")


def test_words_that_are_fixed_stay_as_they_are(teacher: Path, tmp_path: Path) -> None:
    checkpoint = load_checkpoint(teacher)
    begun = start(teacher, checkpoint.tagger.labels.names, layers=(1,))
    options = quick(shape=True, crf=True, teacher=str(teacher), average=0.9, fix_words=True)
    run = Run(begun, toy(3), [], options, tmp_path / "run")
    before = {name: value.clone() for name, value in run.tagger.named_parameters()}
    run.train()
    own: Any = run.tagger.model.encoder
    its: Any = checkpoint.tagger.model.encoder
    assert torch.equal(own.words, its.words)
    changed = [
        name for name, value in run.tagger.named_parameters() if (value != before[name]).any()
    ]
    assert len(changed) > len(before) // 2
