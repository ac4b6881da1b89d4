"""A token-classification folder that others trained finds what `transformers` finds with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from encoder_oracle import oracle
from tiny_checkpoints import CONFIGS, every_frame, tiny_checkpoint
from toy_corpus import LABELS as TOY_LABELS
from toy_corpus import quick, toy

from incognote.align.words import words
from incognote.base.errors import EncoderError, RunError
from incognote.detect.model import ModelDetector
from incognote.document import Document
from incognote.workshop.export.run import Proof, export
from incognote.workshop.export.token_classifier import map_labels, read_label_map
from incognote.workshop.finetune.start import start as begin
from incognote.workshop.finetune.train import train

FAMILIES = {
    "bert": "Bert",
    "roberta": "Roberta",
    "albert": "Albert",
    "electra": "Electra",
    "distilbert": "DistilBert",
}
TYPES = ("PATIENT", "DATE", "CITY")
SCHEMES: dict[str, list[str]] = {
    "bio": ["O", *(f"{mark}-{type}" for type in TYPES for mark in "BI")],
    "bioes": [*(f"{mark}-{type}" for mark in "IEBS" for type in TYPES), "O"],
    "bilou": ["O", *(f"{mark}-{type}" for type in TYPES for mark in "BILU")],
    "io": ["PATIENT", "O", "DATE", "CITY"],
    "i only": ["O", "I-CITY", "I-PATIENT", "I-DATE"],
    "underscores": ["o", "B_Patient", "I_Patient", "b-other", "B_location_other"],
}
GIVEN = {"underscores": {"b-other": "O"}}
NOTES = [*toy(4), toy(1, sentences=12)[0], Document("odd", "Olaf-Lund, ruiz2011  \n(Quito) xyzzy!")]


def write_folder(folder: Path, family: str, labels: list[str], **settings: Any) -> Any:
    """As `save_pretrained` leaves it, and a tokenizer beside it."""
    names = {"id2label": dict(enumerate(labels)), "label2id": {n: i for i, n in enumerate(labels)}}
    model = oracle(
        f"{FAMILIES[family]}ForTokenClassification",
        CONFIGS[family],
        torch.float32,
        **{**names, "num_labels": len(labels), **settings},
    )
    with torch.no_grad():
        model.classifier.weight.mul_(12)
    model.save_pretrained(folder)
    every_frame().save(str(folder / "tokenizer.json"))
    return model


@torch.no_grad()
def judged(model: Any, text: str, window: int) -> list[tuple[int, int, str]]:
    """Each word with the likeliest label of its first piece, from the logits of `transformers`."""
    frame = every_frame()
    read = frame.encode(text, add_special_tokens=False)
    first, last = frame.encode("").ids[0], frame.encode("").ids[-1]
    assert len(read.ids) <= window
    logits = model(torch.tensor([[first, *read.ids, last]])).logits[0, 1:-1]
    chosen: dict[int, str] = {}
    for (start, _), row in zip(read.offsets, logits, strict=True):
        place = next(i for i, (a, b) in enumerate(words(text)) if a <= start < b)
        chosen.setdefault(place, model.config.id2label[int(row.argmax())])
    return [(*words(text)[place], label) for place, label in chosen.items()]


def spans_of(rows: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """The spans that labels of any scheme mean; with I alone, neighbours are one."""
    found: list[tuple[int, int, str]] = []
    before = ""
    for start, end, label in rows:
        mark, _, type = label.rpartition("-") if "-" in label else ("", "", label)
        if label == "O":
            before = ""
            continue
        if type == before and mark not in ("B", "S", "U"):
            found[-1] = (found[-1][0], end, type)
        else:
            found.append((start, end, type))
        before = type
    return found


def found_by(folder: Path, notes: list[Document]) -> list[list[tuple[int, int, str]]]:
    detections = ModelDetector(folder).detect_many(notes)
    return [[(s.start, s.end, s.type) for s in each.spans] for each in detections]


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_finds_what_transformers_finds(family: str, tmp_path: Path) -> None:
    model = write_folder(tmp_path / "theirs", family, SCHEMES["bio"])
    export([tmp_path / "theirs"], tmp_path / "model")
    short = [note for note in NOTES if len(note.text) < 130]
    found = found_by(tmp_path / "model", short)
    assert found == [spans_of(judged(model, note.text, 37)) for note in short]
    assert any(found)
    long = ModelDetector(tmp_path / "model").detect(NOTES[4])
    assert long.seen == len(NOTES[4].text)


@pytest.mark.parametrize("scheme", ["io", "i only"])
def test_labels_that_map_one_to_one_are_decided_as_transformers_does(
    scheme: str, tmp_path: Path
) -> None:
    model = write_folder(tmp_path / "theirs", "distilbert", SCHEMES[scheme])
    export([tmp_path / "theirs"], tmp_path / "model")
    short = [note for note in NOTES if len(note.text) < 130]
    assert found_by(tmp_path / "model", short) == [
        spans_of(judged(model, note.text, 37)) for note in short
    ]


@pytest.mark.parametrize("scheme", ["bioes", "bilou", "underscores"])
@torch.no_grad()
def test_labels_of_one_kind_are_as_likely_as_all_of_them(scheme: str, tmp_path: Path) -> None:
    names = SCHEMES[scheme]
    model = write_folder(tmp_path / "theirs", "bert", names)
    export([tmp_path / "theirs"], tmp_path / "model", label_map=GIVEN.get(scheme))
    mapped = map_labels(names, GIVEN.get(scheme, {}))
    frame = every_frame()
    ids = frame.encode(NOTES[0].text[:60])
    shares = model(torch.tensor([ids.ids])).logits[0].softmax(-1).numpy()
    wanted = np.zeros((len(shares), len(mapped.labels)))
    for theirs, ours in enumerate(mapped.numbers):
        wanted[:, ours] += shares[:, theirs]
    from incognote.onnx.sessions import Network

    logits = Network(tmp_path / "model" / "model.onnx").run(ids=np.array([ids.ids]))[0]
    assert np.allclose(
        np.exp(logits - np.log(np.exp(logits).sum(-1, keepdims=True))), wanted, atol=1e-5
    )
    card = json.loads((tmp_path / "model" / "incognote.json").read_text())["card"]
    assert list(card["members"][0]["label_map"]) == names


def test_schemes_become_begin_and_inside() -> None:
    ours = {name: map_labels(labels, GIVEN.get(name, {})) for name, labels in SCHEMES.items()}
    assert ours["bio"].labels == (
        "O",
        *(f"{m}-{t}" for t in ("PATIENT", "CITY", "DATE") for m in "BI"),
    )
    assert set(ours["bioes"].labels) == set(ours["bilou"].labels) == set(ours["bio"].labels)
    assert ours["io"].labels == ours["i only"].labels == ("O", "I-PATIENT", "I-CITY", "I-DATE")
    assert ours["underscores"].ours == ["O", "B-PATIENT", "I-PATIENT", "O", "B-LOCATION-OTHER"]
    assert ours["bio"].one_to_one
    assert not ours["bioes"].one_to_one


def test_a_map_names_types_or_whole_labels() -> None:
    mapped = map_labels(
        ["LABEL_0", "LABEL_1", "LABEL_2", "B-PER", "I-PER", "MISC", "I-MISC"],
        {"LABEL_0": "O", "LABEL_1": "B-DATE", "LABEL_2": "I-DATE", "PER": "DOCTOR", "MISC": "O"},
    )
    assert mapped.ours == ["O", "B-DATE", "I-DATE", "B-DOCTOR", "I-DOCTOR", "O", "O"]


def test_views_are_maps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    given = read_label_map("presidio")
    assert map_labels(["O", "B-PERSON", "I-TITLE"], given).ours == ["O", "B-PATIENT", "O"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "not readable as JSON"),
        ("[" * 100_000, "nested too deeply"),
        ("[]", "must be a JSON object"),
        ("{}", "must be a JSON object"),
        ('{"PER": "PERSON"}', "'PER' must become one of our types"),
        ('{"PER": 3}', "'PER' must become one of our types"),
        ('{"PER": "S-DATE"}', "'PER' must become one of our types"),
    ],
)
def test_a_map_that_is_none_is_a_sentence(content: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "labels.json"
    path.write_text(content)
    with pytest.raises(RunError, match=says):
        read_label_map(str(path))
    with pytest.raises(RunError, match="no such file, nor one of the schemes"):
        read_label_map(str(tmp_path / "none.json"))


def test_labels_that_nobody_knows_are_refused_with_what_to_write(tmp_path: Path) -> None:
    write_folder(tmp_path / "theirs", "bert", ["O", "B-PER", "I-PER", "B-DATE", "MISC"])
    with pytest.raises(RunError, match=r'not ours: PER, MISC; .*\{"PER": null, "MISC": null\}'):
        export([tmp_path / "theirs"], tmp_path / "model")
    assert not (tmp_path / "model").exists()
    export([tmp_path / "theirs"], tmp_path / "model", label_map={"PER": "PATIENT", "MISC": "O"})
    assert {t for spans in found_by(tmp_path / "model", NOTES) for *_, t in spans} <= {
        "PATIENT",
        "DATE",
    }


@pytest.mark.parametrize(
    ("labels", "says"),
    [
        (["B-DATE", "I-DATE"], "a label for what is no identifier"),
        (["O", "o"], "one that is not it"),
    ],
)
def test_a_model_needs_something_to_tell_apart(labels: list[str], says: str) -> None:
    with pytest.raises(RunError, match=says):
        map_labels(labels, {})


def test_what_is_no_token_classifier_says_what_to_do(tmp_path: Path) -> None:
    model = oracle("BertForMaskedLM", CONFIGS["bert"], torch.float32)
    model.save_pretrained(tmp_path / "encoder")
    every_frame().save(str(tmp_path / "encoder" / "tokenizer.json"))
    with pytest.raises(RunError, match="no token classifier; fine-tune it first"):
        export([tmp_path / "encoder"], tmp_path / "model")
    write_folder(tmp_path / "theirs", "bert", SCHEMES["bio"])
    (tmp_path / "theirs" / "tokenizer.json").unlink()
    with pytest.raises(ValueError, match="no tokenizer here"):
        export([tmp_path / "theirs"], tmp_path / "model")
    own = tiny_checkpoint(tmp_path / "own")
    with pytest.raises(RunError, match="these have our labels"):
        export([own], tmp_path / "model", label_map={"PER": "PATIENT"})
    config = tmp_path / "theirs" / "config.json"
    settings = json.loads(config.read_text())
    for wrong in ({"x": "O"}, {"0": "O", "1": "O"}, {"0": 1, "1": "O"}):
        config.write_text(json.dumps({**settings, "id2label": wrong}))
        with pytest.raises(EncoderError):
            export([tmp_path / "theirs"], tmp_path / "model")


def test_eight_bits_and_an_ensemble_with_one_of_ours(tmp_path: Path) -> None:
    names = list(TOY_LABELS)
    write_folder(tmp_path / "theirs", "distilbert", names)
    labels = map_labels(names, {}).labels
    own = tiny_checkpoint(tmp_path / "own", labels=labels)
    proof = Proof(toy(4), max_loss=1.0)
    export([tmp_path / "theirs", own], tmp_path / "model", int8=True, proof=proof)
    for note, spans in zip(NOTES, found_by(tmp_path / "model", NOTES), strict=True):
        assert all(0 <= start < end <= len(note.text) for start, end, _ in spans)


@pytest.mark.parametrize("family", FAMILIES)
def test_training_begins_from_it(family: str, tmp_path: Path) -> None:
    write_folder(tmp_path / "theirs", family, SCHEMES["bioes"])
    begun = begin(tmp_path / "theirs", TOY_LABELS)
    assert not begun.random
    done = train(lambda: begun, toy(2), [], quick(epochs=1), tmp_path / "trained")
    assert done.training["labels"] == list(TOY_LABELS)
    again = transformers.AutoModelForTokenClassification.from_pretrained(tmp_path / "trained")
    assert again.config.model_type == family
