"""ELMo and XLNet, exported: the spans and vectors of torch, whatever the batch, the text and its length."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from text_models import write_encoder
from tiny_checkpoints import ELMO, XLNET, beginning, tiny_checkpoint, tiny_model
from toy_corpus import quick, toy

from incognote.align.words import words
from incognote.base.errors import InputError, ModelError, RunError
from incognote.cli.app import app
from incognote.detect import model as detecting
from incognote.detect.model import ModelDetector
from incognote.document import Document
from incognote.formats import write
from incognote.onnx.model_folder import read_model
from incognote.workshop.encoders import OnnxTextModel, TextModel, fill_mask
from incognote.workshop.export.encoder import export_encoder
from incognote.workshop.export.run import Proof, export, export_huggingface
from incognote.workshop.features import features, text_features
from incognote.workshop.finetune.checkpoint import load_checkpoint
from incognote.workshop.finetune.predict import predict
from incognote.workshop.finetune.train import train

CONFIGS: dict[str, Any] = {"elmo": ELMO, "xlnet": XLNET}
HOSTILE = [
    "",
    " \n\t ",
    "x" * 10_000,
    "Ana " + "é漢😀" * 300 + " Bell",
    "a\u0301\u0302\u200b\u200d b\ufeff\x00\x07 \u2028c\x85d\x1ce",
    "Ana Ruiz\ud800 was seen",
    "\u0301",
    ".,;" * 60,
]
TOY = toy(30)
every = pytest.mark.parametrize("family", CONFIGS)


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Path]]:
    """A checkpoint that has learned toy notes and the model folder made of it, by family."""
    found = {}
    for family, config in CONFIGS.items():
        folder = tmp_path_factory.mktemp(family)
        start = partial(beginning, config)
        options = quick(epochs=12, lr=1e-2, crf=True)
        result = train(start, TOY[:24], TOY[24:], options, folder / "checkpoint")
        assert ("mix" in result.training) == (family == "elmo")
        found[family] = (folder / "checkpoint", tiny_model(folder / "model", [result.folder]))
    return found


def spans(document: Document) -> list[tuple[int, int, str]]:
    return [(span.start, span.end, span.type) for span in document.spans]


def notes() -> list[Document]:
    return [*toy(6), *(Document(f"odd-{n}", text) for n, text in enumerate(HOSTILE)), *toy(1, 20)]


@every
def test_spans_are_those_of_torch(family: str, places: dict[str, tuple[Path, Path]]) -> None:
    source, model = places[family]
    checkpoint = load_checkpoint(source)
    wanted = predict(checkpoint.tagger, checkpoint.reader, notes())
    detector = ModelDetector(model)
    assert sum(len(note.spans) for note in wanted) > 20
    for note, detection in zip(wanted, detector.detect_many(notes()), strict=True):
        assert spans(note.with_spans(detection.spans)) == spans(note)
        assert detection.seen == len(note.text)


@every
def test_company_changes_no_score(family: str, places: dict[str, tuple[Path, Path]]) -> None:
    detector = ModelDetector(places[family][1])
    together = list(detector.detect_many(notes()))
    assert together == [detector.detect(note) for note in notes()]
    assert together == list(ModelDetector(places[family][1], threads=2).detect_many(notes()))


@every
def test_a_long_note_is_the_same_in_portions(
    family: str, places: dict[str, tuple[Path, Path]], monkeypatch: pytest.MonkeyPatch
) -> None:
    note = Document("long", toy(1, 200)[0].text + "y" * 5_000 + "\nAna Ruiz. ")
    detector = ModelDetector(places[family][1])
    whole = detector.detect(note)
    monkeypatch.setattr(detecting, "LONG", 1_000)
    monkeypatch.setattr("incognote.align.long_notes.PORTION", 300)
    monkeypatch.setattr("incognote.align.long_notes._cuts", _cuts)
    portioned = detector.detect(note)
    assert len(whole.spans) > 10
    assert portioned == whole


def _cuts(text: str) -> list[int]:
    """Whenever a word begins, some hundreds of characters apart."""
    starts = [start for start, _ in words(text) if start and text[start - 1].isspace()]
    return [start for before, start in zip(starts[:-1:40], starts[1::40], strict=False) if before]


def test_logits_are_within_a_hundred_thousandth_of_torch(
    places: dict[str, tuple[Path, Path]], tmp_path: Path
) -> None:
    """Also of XLNets with word shapes and clamped distances, and of ELMos with other activations."""
    others = {
        "clamped": XLNET.__class__(**{**XLNET.__dict__, "clamp": 5, "activation": "relu"}),
        "tanh": ELMO.__class__(**{**ELMO.__dict__, "activation": "tanh", "highways": 2}),
    }
    for name, config in others.items():
        told: list[str] = []
        source = tiny_checkpoint(tmp_path / name, config, shape=name == "clamped")
        export([source], tmp_path / f"{name}-model", tell=told.append)
        near = re.search(r"within (\S+) of torch's", " ".join(told))
        assert near
        assert float(near[1]) < 1e-5


@every
def test_what_was_learned_stays_in_eight_bits_and_deid_replaces_it(
    family: str, places: dict[str, tuple[Path, Path]], tmp_path: Path
) -> None:
    proof = Proof(TOY[24:], max_loss=0.03)
    export([places[family][0]], tmp_path / "model", int8=True, proof=proof)
    card = read_model(tmp_path / "model").card
    assert card["precision"] == "int8"
    assert card["f1_int8"] > 0.95
    texts = tmp_path / "notes"
    texts.mkdir()
    for number, note in enumerate(TOY[24:26]):
        (texts / f"{number}.txt").write_text(note.text)
    (texts / "empty.txt").write_text("")
    (texts / "odd.txt").write_text("x" * 10_000 + " Ana Ruiz\u0301 \u200b\n", encoding="utf-8")
    code = (
        "import sys\n"
        "sys.modules['torch'] = None\n"  # importing it fails
        "from incognote.cli import main\n"
        f"sys.argv = ['incognote', 'deid', {str(texts)!r}, '-o', {str(tmp_path / 'clean') + '/'!r}, "
        f"'--model', {str(tmp_path / 'model')!r}, '--detector', 'model', '--replace', 'tag']\n"
        "try: main()\nexcept SystemExit as exit: assert not exit.code, exit.code"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    written = [path.read_text("utf-8") for path in sorted((tmp_path / "clean").iterdir())]
    clean = "".join(written)
    assert "[PATIENT" in clean
    assert all(span.text not in clean for span in TOY[24].spans if span.type == "PATIENT")
    assert "" in written
    assert len(written) == 4


@pytest.mark.parametrize("heads", [("permutation",), ()], ids=["language", "bare"])
def test_an_exported_xlnet_gives_the_vectors_and_guesses_of_torch(
    heads: tuple[str, ...], tmp_path: Path
) -> None:
    source = write_encoder(tmp_path / "checkpoint", "xlnet", trained=heads or ("tokens",))
    export_encoder(source, tmp_path / "exported")
    ours, torchs = OnnxTextModel.load(tmp_path / "exported"), TextModel.load(source)
    text = "John was seen.\nThe patient denies pain. " * 30
    for layers in (None, 0, [0, -1]):
        (found,), (wanted,) = (features([text], each, layers=layers) for each in (ours, torchs))
        assert np.abs(found.vectors - wanted.vectors).max() < 1e-4
    for pool in ("cls", "mean", "max"):
        (vector,), (other,) = (text_features([text], each, pool=pool) for each in (ours, torchs))
        assert np.abs(vector - other).max() < 1e-4
    asked = "John <mask> <mask> pain."
    if not heads:
        with pytest.raises(InputError, match="XLNetLMHeadModel"):
            fill_mask(asked, ours)
        return
    for one, other_fills in zip(fill_mask(asked, ours), fill_mask(asked, torchs), strict=True):
        for fill, expected in zip(one, other_fills, strict=True):
            assert fill["token"] == expected["token"]  # type: ignore[index]
            assert fill["score"] == pytest.approx(expected["score"], abs=1e-4)  # type: ignore[index]
    long = "The patient denies pain. " * 110 + "John <mask> pain."
    assert len(fill_mask(long, ours)) == 5


def test_an_exported_elmo_gives_the_vectors_of_torch(tmp_path: Path) -> None:
    source = write_encoder(tmp_path / "checkpoint", "elmo")
    export_encoder(source, tmp_path / "exported", int8=False)
    ours, torchs = OnnxTextModel.load(tmp_path / "exported"), TextModel.load(source)
    text = "Mr. José Núñez,\r\nseen 3/14/2019. " * 40
    for layers in (None, 0, [0, -1]):
        (found,), (wanted,) = (features([text], each, layers=layers) for each in (ours, torchs))
        assert np.abs(found.vectors - wanted.vectors).max() < 1e-4
    (vector,), (other,) = (text_features([text], each) for each in (ours, torchs))
    assert np.abs(vector - other).max() < 1e-4
    for encoder in (ours, torchs):
        with pytest.raises(InputError, match="no masks to fill"):
            fill_mask("a <mask>", encoder)


def test_what_an_elmo_cannot_do_is_said(
    places: dict[str, tuple[Path, Path]], tmp_path: Path
) -> None:
    source, model = places["elmo"]
    with pytest.raises(RunError, match="transformers has no elmo"):
        export_huggingface(source, tmp_path / "theirs")
    described = (model / "incognote.json").read_text()
    copy = tmp_path / "model"
    copy.mkdir()
    for path in model.iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    (copy / "incognote.json").write_text(described.replace('"word_rows": 1', '"word_rows": 7'))
    with pytest.raises(ModelError, match="word rows of version 7"):
        ModelDetector(copy)


def test_find_and_score_take_an_elmo(places: dict[str, tuple[Path, Path]], tmp_path: Path) -> None:
    from typer.testing import CliRunner

    write(toy(3), tmp_path / "gold.jsonl", "jsonl")
    arguments = ["find", str(tmp_path / "gold.jsonl"), "-o", str(tmp_path / "found.jsonl")]
    runner = CliRunner()
    result = runner.invoke(
        app, [*arguments, "--model", str(places["elmo"][1]), "--detector", "model"]
    )
    assert result.exit_code == 0, result.output
    result = runner.invoke(
        app, ["score", str(tmp_path / "gold.jsonl"), str(tmp_path / "found.jsonl")]
    )
    assert result.exit_code == 0, result.output
