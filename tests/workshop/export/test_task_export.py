"""Exported tasks say what their checkpoints say, and 8 bits are proven."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tiny_checkpoints import CONFIGS, every_frame
from tiny_tasks import TASKS, examples
from tokenizers import Tokenizer

from incognote.align.word_tokenizer import ByteWords
from incognote.base.errors import RunError
from incognote.workshop.encoders.elmo import ElmoConfig
from incognote.workshop.encoders.model import Model
from incognote.workshop.encoders.xlnet import XlnetConfig
from incognote.workshop.export.task import TaskProof, export_task
from incognote.workshop.tasks.answers import Answered, AnswerRules
from incognote.workshop.tasks.checkpoint import load_checkpoint, write_checkpoint
from incognote.workshop.tasks.inputs import Limits, items
from incognote.workshop.tasks.predict import OnnxTask, predictions, value_of
from incognote.workshop.tasks.start import frame_of
from incognote.workshop.tasks.torch_task import HEADS, TorchTask


def tokenizer() -> Tokenizer:
    """Of every family, XLNet's too."""
    result = every_frame()
    result.add_special_tokens(["<cls>", "<sep>"])
    result.post_processor = None
    return result


def checkpoint(folder: Path, name: str, config: Any) -> Path:
    """Random weights, large enough that predictions differ."""
    task = TASKS[name]
    torch.manual_seed(1)
    model = Model(config, heads=(HEADS[task.kind],), labels=task.labels or 1)
    with torch.no_grad():
        for key, parameter in model.named_parameters():
            if "norm" not in key:
                parameter.normal_(0.0, 0.3)
    rules = AnswerRules(longest=8, nullable=task.nullable, threshold=0.5)
    reads_words = isinstance(config, ElmoConfig)
    frame = frame_of(ByteWords() if reads_words else tokenizer(), model)
    trained = TorchTask(model.eval(), task, frame, Limits(longest=24, stride=6), rules)
    write_checkpoint(folder, trained, {"validation": None})
    return folder


FAMILIES: dict[str, Any] = {
    **CONFIGS,
    "xlnet": XlnetConfig(
        vocabulary_size=320, hidden_size=32, layers=2, heads=4, feed_forward_size=48
    ),
    "elmo": ElmoConfig(
        character_size=4,
        filters=((1, 8), (2, 8)),
        highways=1,
        layers=2,
        cell_size=16,
        projection_size=8,
    ),
}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("name", ["pair", "number", "choice", "nullable"])
def test_an_exported_task_says_what_its_checkpoint_says(
    family: str, name: str, tmp_path: Path
) -> None:
    source = checkpoint(tmp_path / "checkpoint", name, FAMILIES[family])
    export_task(source, tmp_path / "model")
    trained, exported = load_checkpoint(source).trained, OnnxTask(tmp_path / "model")
    assert exported.task == trained.task
    assert exported.rules == trained.rules
    assert exported.limits == trained.limits
    some = examples(name, 9)
    read = list(items(trained.task, some, trained.frame, trained.limits))
    for (_, one), (_, other) in zip(trained.logits(read), exported.logits(read), strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, atol=2e-4)
    ours, theirs = (list(predictions(model, some)) for model in (trained, exported))
    if name != "number":
        assert [value_of(each) for each in ours] == [value_of(each) for each in theirs]
    assert all(isinstance(each, Answered) == (name == "nullable") for each in theirs)


def test_eight_bits_are_proven_on_examples_and_refused_where_they_lose_too_much(
    tmp_path: Path,
) -> None:
    source = checkpoint(tmp_path / "checkpoint", "pair", CONFIGS["bert"])
    with pytest.raises(RunError, match="--validation"):
        export_task(source, tmp_path / "model", int8=True)
    said: list[str] = []
    proof = TaskProof(examples("pair", 40), 1.0)
    export_task(source, tmp_path / "model", int8=True, proof=proof, tell=said.append)
    assert [line.split(":")[0] for line in said] == ["fp32", "fp32", "int8", "int8"]
    card = OnnxTask(tmp_path / "model").folder.card
    assert card["precision"] == "int8"
    assert 0 <= card["accuracy_int8"] <= 1
    assert "accuracy_fp32" in card
    with pytest.raises(RunError, match="8 bits lose"):
        export_task(source, tmp_path / "other", int8=True, proof=TaskProof(proof.examples, -1.0))
    assert not (tmp_path / "other").exists()
