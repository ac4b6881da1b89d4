"""A network that gives what is no number: an error of the note or of the model, never "nothing found"."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from onnx import numpy_helper
from safetensors.torch import load_file, save_file
from tiny_checkpoints import CONFIGS, every_frame, tiny_checkpoint, tiny_model
from toy_corpus import LABELS, quick, tiny_start, toy

from incognote.base.errors import CheckpointError, ModelError, NotFiniteError
from incognote.detect.model import ModelDetector
from incognote.document import Document
from incognote.onnx.model_folder import digest
from incognote.workshop.encoders.model import Model
from incognote.workshop.export.run import export
from incognote.workshop.finetune.checkpoint import load_checkpoint, write_checkpoint
from incognote.workshop.finetune.predict import predict, predict_together
from incognote.workshop.finetune.tagger import Tagger
from incognote.workshop.finetune.train import train

WORD = "oslo"
BAD, GOOD = Document("bad", "Patient Ana Ruiz was seen in Oslo."), Document("good", "Seen in Lima.")
HUGE = 3e38
"""A number still, and finite; twice of it is not."""


def settling(folder: Path) -> Path:
    torch.manual_seed(0)
    tagger = Tagger(
        Model(CONFIGS["bert"], heads=("tokens",), labels=LABELS), shape=False, crf=False, settle=1
    )
    told = {"labels": list(LABELS), "shape": None, "crf": False, "settle": 1}
    write_checkpoint(folder, tagger, every_frame(), {**told, "window": 24, "overlap": 8})
    return folder


def spoil(folder: Path, network: str, value: float, word: str | None = WORD) -> None:
    """Set a word's row, or all words'; the folder lists the file as it now is.

    Added to the row of its place, a huge number is one no longer; those of other words still are.
    """
    path = folder / network
    made = onnx.load(path)
    row = slice(None) if word is None else every_frame().token_to_id(word)
    names = [table.name for table in made.graph.initializer]
    for table in made.graph.initializer:
        rows = numpy_helper.to_array(table).copy()
        if table.name == ("words.scale" if "words.scale" in names else "words"):
            rows[row] = value
        elif table.name == "places":
            rows[:] = HUGE
        table.CopyFrom(numpy_helper.from_array(rows, table.name))
    path.write_bytes(made.SerializeToString())
    (described,) = (
        folder / name for name in ("incognote.json", "encoder.json") if (folder / name).is_file()
    )
    listed = json.loads(described.read_text())
    listed["files"][network] = digest(path)
    described.write_text(json.dumps(listed))


@pytest.fixture(scope="module")
def spoiled(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Models that overflow at one word only."""
    home = tmp_path_factory.mktemp("spoiled")
    plain = tiny_checkpoint(home / "plain")
    crf = tiny_checkpoint(home / "crf", crf=True)
    made = {
        "plain": tiny_model(home / "plain-model", [plain]),
        "crf": tiny_model(home / "crf-model", [crf]),
        "settling": tiny_model(home / "settling-model", [settling(home / "settling")]),
        "int8": tiny_model(home / "int8-model", [plain], judged_on=toy(4)),
        "ensemble": tiny_model(home / "ensemble-model", [plain, crf]),
    }
    for kind, folder in made.items():
        spoil(folder, "model-2.onnx" if kind == "ensemble" else "model.onnx", HUGE)
    return made


@pytest.mark.parametrize("kind", ["plain", "crf", "settling", "int8", "ensemble"])
def test_scores_that_are_not_finite_are_an_error_of_the_note(
    kind: str, spoiled: dict[str, Path]
) -> None:
    detector = ModelDetector(spoiled[kind], uncertain=0.001)
    assert detector.detect(GOOD).seen == len(GOOD.text)
    with pytest.raises(NotFiniteError, match="not finite"):
        detector.detect(BAD)
    with pytest.raises(NotFiniteError):
        list(detector.detect_many([GOOD, BAD, GOOD]))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("int8", [False, True], ids=["fp32", "int8"])
def test_a_model_with_such_weights_is_not_opened(value: float, int8: bool, tmp_path: Path) -> None:
    checkpoint = tiny_checkpoint(tmp_path / "checkpoint")
    folder = tiny_model(tmp_path / "model", [checkpoint], judged_on=toy(4) if int8 else None)
    spoil(folder, "model.onnx", value)
    with pytest.raises(ModelError, match="weights that are not finite"):
        ModelDetector(folder)


def test_a_model_that_overflows_everywhere_is_not_opened(tmp_path: Path) -> None:
    folder = tiny_model(tmp_path / "model", [tiny_checkpoint(tmp_path / "checkpoint")])
    spoil(folder, "model.onnx", HUGE, word=None)
    with pytest.raises(ModelError, match="scores that are not finite"):
        ModelDetector(folder)


def change_weights(folder: Path, name: str, value: float, rows: Sequence[int] | slice) -> None:
    tensors = load_file(folder / "model.safetensors")
    tensors[name][rows] = value
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_checkpoint_with_such_weights_is_neither_loaded_nor_exported(
    value: float, tmp_path: Path
) -> None:
    folder = tiny_checkpoint(tmp_path / "checkpoint")
    change_weights(folder, "bert.encoder.layer.1.output.dense.weight", value, [3])
    says = r"not finite in bert\.encoder\.layer\.1\.output\.dense\.weight; the file is damaged"
    with pytest.raises(ValueError, match=says):
        load_checkpoint(folder)
    with pytest.raises(ValueError, match=says):
        export([folder], tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_a_checkpoint_that_overflows_is_not_exported(tmp_path: Path) -> None:
    folder = tiny_checkpoint(tmp_path / "checkpoint")
    for table in ("position", "word"):
        change_weights(folder, f"bert.embeddings.{table}_embeddings.weight", HUGE, slice(None))
    with pytest.raises(ModelError, match="logits are not finite numbers; not exported"):
        export([folder], tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_torch_finds_nothing_by_such_scores_either(tmp_path: Path) -> None:
    folder = tiny_checkpoint(tmp_path / "checkpoint")
    row = every_frame().token_to_id(WORD) or 0
    change_weights(folder, "bert.embeddings.word_embeddings.weight", HUGE, [row])
    checkpoint = load_checkpoint(folder)
    assert len(predict(checkpoint.tagger, checkpoint.reader, [GOOD])) == 1
    with pytest.raises(NotFiniteError):
        predict(checkpoint.tagger, checkpoint.reader, [GOOD, BAD])
    with pytest.raises(NotFiniteError):
        predict_together([checkpoint, checkpoint], [BAD])


def test_training_leaves_no_checkpoint_with_such_weights(tmp_path: Path) -> None:
    def watch(_: object) -> None:
        with torch.no_grad():
            next(start.model.heads["tokens"].parameters()).fill_(np.inf)

    start = tiny_start()
    with pytest.raises(CheckpointError, match="not written, for there are numbers that are not"):
        train(lambda: start, toy(1), [], quick(epochs=1, batch_tokens=4096), tmp_path, watch=watch)
    assert not (tmp_path / "model.safetensors").exists()
    assert not (tmp_path / "training.json").exists()
