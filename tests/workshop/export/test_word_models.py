"""Taggers that begin with notes alone: trained, exported, and used as any model folder is."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from toy_corpus import toy
from typer.testing import CliRunner

import incognote.detect.model as model_module
from incognote.base.errors import ModelError, RunError, TrainError
from incognote.cli.app import app
from incognote.detect.model import ModelDetector
from incognote.document import Document
from incognote.formats import write
from incognote.onnx.model_folder import read_model
from incognote.workshop.export.run import Proof, export, export_huggingface
from incognote.workshop.fine_tuning import Parts, train_corpus
from incognote.workshop.finetune.checkpoint import load_checkpoint
from incognote.workshop.finetune.predict import predict
from incognote.workshop.starting_points import Origin, learning_options

NOTES = toy(40)
PARTS = Parts(train=NOTES[:30], validation=NOTES[30:35], test=NOTES[35:])
CHOSEN: dict[str, dict[str, Any]] = {
    "crf": {"iterations": 40},
    "bilstm-crf": {"epochs": 12, "lr": 1e-2, "batch_tokens": 256, "window": 24, "overlap": 8},
}
SIZES = {"word_size": 16, "cell_size": 16, "hidden_size": 16, "letter_size": 8, "letter_cell": 8}
ODD = [
    "",
    " \n\t",
    "Ana\u200b Ru\u0301iz \x00 \ud800 🧑‍⚕️ ﬁ",
    "x" * 5000,
    "Patient Zed Quux was seen on 7/8/2031 in Rome.",
]


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def origin_of(name: str) -> Origin:
    return Origin(encoder=name, sizes=SIZES if name == "bilstm-crf" else None)


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    home = tmp_path_factory.mktemp("checkpoints")
    for name, chosen in CHOSEN.items():
        options = learning_options(chosen, origin_of(name), PARTS.train)
        train_corpus(PARTS, origin_of(name), home / name, options, labels="own")
    return {name: home / name for name in CHOSEN}


@pytest.fixture(scope="module")
def models(
    checkpoints: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    home = tmp_path_factory.mktemp("models")
    for name, checkpoint in checkpoints.items():
        export([checkpoint], home / name)
    return {name: home / name for name in checkpoints}


def spans_of(notes: list[Document]) -> list[Any]:
    return [[(span.start, span.end, span.type) for span in note.spans] for note in notes]


@pytest.mark.parametrize("name", CHOSEN)
def test_it_learns_and_the_folder_finds_what_training_found(
    name: str, checkpoints: dict[str, Path], models: dict[str, Path]
) -> None:
    assert json.loads((checkpoints[name] / "test.json").read_text())["strict"]["f1"] > 0.9
    checkpoint = load_checkpoint(checkpoints[name])
    notes = [*NOTES[30:], *(Document(f"odd-{n}", text) for n, text in enumerate(ODD))]
    expected = predict(checkpoint.tagger, checkpoint.reader, notes)
    found = [each.spans for each in ModelDetector(models[name]).detect_many(notes)]
    assert spans_of([note.with_spans(s) for note, s in zip(notes, found, strict=True)]) == spans_of(
        expected
    )
    member = next(iter(read_model(models[name]).members.values()))
    assert (member.tokenizer, member.word_rows) == ("words.json", 1)


@pytest.mark.parametrize("name", CHOSEN)
def test_company_order_threads_and_portions_change_no_bit(
    name: str, models: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = [*NOTES, *(Document(f"odd-{n}", text) for n, text in enumerate(ODD))]
    detector = ModelDetector(models[name])
    together = [each.spans for each in detector.detect_many(notes)]
    assert [each.spans for each in detector.detect_many(notes[::-1])][::-1] == together
    threaded = ModelDetector(models[name], threads=3)
    assert [threaded.detect(note).spans for note in notes] == together
    long = Document("long", " \n".join(note.text for note in NOTES * 4))
    whole = detector.detect(long)
    monkeypatch.setattr(model_module, "LONG", 0)
    in_portions = detector.detect(long)
    assert in_portions.spans == whole.spans
    assert whole.seen == in_portions.seen == len(long.text)


@pytest.mark.parametrize("name", CHOSEN)
def test_in_8_bits_it_finds_nearly_the_same(
    name: str, checkpoints: dict[str, Path], tmp_path: Path
) -> None:
    export(
        [checkpoints[name]], tmp_path / "model", int8=True, proof=Proof(NOTES[30:], max_loss=0.1)
    )
    card = read_model(tmp_path / "model").card
    assert card["precision"] == "int8"
    assert card["f1_int8"] > 0.8


@pytest.mark.parametrize("name", CHOSEN)
def test_deid_find_and_score_take_it(name: str, models: dict[str, Path], tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "one.txt").write_text(NOTES[36].text)
    run = CliRunner()
    asked = ["--model", str(models[name]), "--detector", "model"]
    done = run.invoke(
        app,
        ["deid", str(notes), "-o", str(tmp_path / "out"), "--replace", "tag", *asked],
    )
    assert done.exit_code == 0, done.output
    (path,) = (tmp_path / "out").rglob("*.txt")
    written = path.read_text()
    assert not any(span.text in written for span in NOTES[36].spans)
    gold, spans = str(tmp_path / "gold.jsonl"), str(tmp_path / "spans.jsonl")
    write(NOTES[35:], gold, "jsonl")
    for command in (["find", gold, "-o", spans, *asked], ["score", gold, spans]):
        done = run.invoke(app, command)
        assert done.exit_code == 0, done.output


@pytest.mark.parametrize("name", CHOSEN)
def test_a_finished_run_is_not_run_again(
    name: str, checkpoints: dict[str, Path], tmp_path: Path
) -> None:
    folder = tmp_path / "again"
    shutil.copytree(checkpoints[name], folder)
    said: list[str] = []
    options = learning_options(CHOSEN[name], origin_of(name), PARTS.train)
    train_corpus(
        PARTS, origin_of(name), folder, options, labels="own", resume=True, say=said.append
    )
    assert "the run is finished: nothing is left to do" in said
    other = learning_options({**CHOSEN[name], "min_count": 3}, origin_of(name), PARTS.train)
    with pytest.raises(RunError, match="another"):
        train_corpus(PARTS, origin_of(name), folder, other, labels="own", resume=True)


def test_a_bilstm_goes_on_with_all_it_has_learned(
    checkpoints: dict[str, Path], tmp_path: Path
) -> None:
    origin = Origin(encoder=str(checkpoints["bilstm-crf"]))
    chosen = {**CHOSEN["bilstm-crf"], "epochs": 1, "lr": 1e-6}
    options = learning_options(chosen, origin, PARTS.train)
    train_corpus(PARTS, origin, tmp_path / "more", options)
    figures = json.loads((tmp_path / "more/test.json").read_text())
    assert figures["strict"]["f1"] > 0.9
    assert (tmp_path / "more/words.json").read_bytes() == (
        checkpoints["bilstm-crf"] / "words.json"
    ).read_bytes()


def test_a_feature_crf_is_not_gone_on_with(checkpoints: dict[str, Path], tmp_path: Path) -> None:
    origin = Origin(encoder=str(checkpoints["crf"]))
    options = learning_options({"epochs": 1}, origin, PARTS.train)
    with pytest.raises(RunError, match="learned in one go"):
        train_corpus(PARTS, origin, tmp_path / "more", options)


@pytest.mark.parametrize(
    ("name", "chosen", "says"),
    [
        ("crf", {"lr": 1e-3}, "crf takes no lr"),
        ("crf", {"epochs": 9, "units": 3}, "crf takes no epochs, units"),
        ("crf", {"crf": False}, "has a CRF, as its name says"),
        ("crf", {"shape": False}, "sees where lines end"),
        ("bilstm-crf", {"l1": 0.5}, "bilstm-crf takes no l1"),
        ("bilstm-crf", {"join": True}, "bilstm-crf takes no join"),
        ("bilstm-crf", {"crf": False}, "as its name says"),
    ],
)
def test_what_would_do_nothing_is_refused(
    name: str, chosen: dict[str, Any], says: str, tmp_path: Path
) -> None:
    options = learning_options(chosen, Origin(encoder=name), PARTS.train)
    with pytest.raises(RunError, match=says):
        train_corpus(PARTS, Origin(encoder=name), tmp_path / "out", options, labels="own")
    assert not (tmp_path / "out").exists() or not any((tmp_path / "out").glob("*.json"))


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"encoder_only": True}, "leave out --encoder-only"),
        ({"layers": [1]}, "leave out --keep-layers"),
        ({"tokenizer": Path("x")}, "leave out --tokenizer"),
        ({"sizes": {"layers": 2}}, "crf has no sizes"),
        ({"encoder": "bilstm-crf", "sizes": {"letters": 2}}, "has no size letters"),
        ({"encoder": "bilstm-crf", "sizes": {"cell_size": 0}}, "above 0"),
        ({"encoder": "bilstm-crf", "vectors": Path("none.txt")}, "no such file"),
        ({"encoder": "minilm", "vectors": Path("none.txt")}, "is for --encoder bilstm-crf"),
    ],
)
def test_a_start_that_cannot_be_is_refused(how: dict[str, Any], says: str) -> None:
    with pytest.raises((RunError, TrainError), match=says):
        Origin(**{"encoder": "crf", **how}).start(("O", "B-CITY"), notes=NOTES)


def test_words_begin_with_the_vectors_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text("3 4\nAna 1 2 3 4\nlisbon 5 6 7 8\nfar 9 9 9 9\n")
    origin = Origin(encoder="bilstm-crf", vectors=path)
    start = origin.start(("O", "B-CITY"), notes=NOTES)
    tokenizer: Any = start.tokenizer
    encoder: Any = start.model.encoder
    assert start.model.config.word_size == 4
    for word, vector in (("ana", [1, 2, 3, 4]), ("lisbon", [5, 6, 7, 8]), ("far", [9] * 4)):
        number = 2 + tokenizer.words.index(word)
        assert encoder.words[number].tolist() == vector
    for content in ("Ana 1 2\nBo 1\n", "Ana one two\n", "Ana 1 nan\n", ""):
        path.write_text(content)
        with pytest.raises(TrainError, match=r"vectors\.txt"):
            origin.start(("O", "B-CITY"), notes=NOTES)


def test_a_folder_with_damaged_words_is_refused(models: dict[str, Path], tmp_path: Path) -> None:
    from incognote.onnx.model_folder import FILE, digest

    for number, content in enumerate(("{", '{"version": 1, "kind": "none"}', '{"version": 8}')):
        folder = tmp_path / str(number)
        shutil.copytree(models["crf"], folder)
        (folder / "words.json").write_text(content)
        with pytest.raises(ModelError, match=r"words\.json is not the file that was exported"):
            ModelDetector(folder)
        described = json.loads((folder / FILE).read_text())
        described["files"]["words.json"] = digest(folder / "words.json")
        (folder / FILE).write_text(json.dumps(described))
        with pytest.raises(ModelError, match=r"words\.json"):
            ModelDetector(folder)


def test_transformers_has_no_place_for_it(checkpoints: dict[str, Path], tmp_path: Path) -> None:
    for checkpoint in checkpoints.values():
        with pytest.raises(RunError, match="transformers has no"):
            export_huggingface(checkpoint, tmp_path / "out")


def test_crf_and_bilstm_together_are_an_ensemble(
    checkpoints: dict[str, Path], tmp_path: Path
) -> None:
    export(list(checkpoints.values()), tmp_path / "model")
    found = [each.spans for each in ModelDetector(tmp_path / "model").detect_many(NOTES[35:])]
    right = sum(
        len(
            {(s.start, s.end, s.type) for s in note.spans} & {(s.start, s.end, s.type) for s in own}
        )
        for note, own in zip(NOTES[35:], found, strict=True)
    )
    assert right > 0.9 * sum(len(note.spans) for note in NOTES[35:])
    assert np.all([span.score > 0.5 for own in found for span in own])
