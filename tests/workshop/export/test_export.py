"""What is exported computes what was trained, is no larger than it need be, and says its loss."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from safetensors.torch import load_file, save_file
from tiny_checkpoints import CONFIGS, beginning, tiny_checkpoint
from toy_corpus import quick, toy
from transformers import pipeline

from incognote.base.errors import ModelError, RunError
from incognote.cli.app import app
from incognote.detect.model import ModelDetector
from incognote.document import Document
from incognote.formats import write
from incognote.onnx.model_folder import read_model
from incognote.workshop.encoders.albert import AlbertConfig
from incognote.workshop.export import proof as proofs
from incognote.workshop.export.graph import WEIGHT_LIMIT, quantised
from incognote.workshop.export.run import Proof, export, export_huggingface
from incognote.workshop.finetune.checkpoint import load_checkpoint
from incognote.workshop.finetune.predict import predict
from incognote.workshop.finetune.train import train

ALBERT = CONFIGS["albert"]
VARIANTS: dict[str, Any] = {
    **CONFIGS,
    "bert-tanh": replace(CONFIGS["bert"], activation="gelu_new"),
    "bert-relu": replace(CONFIGS["bert"], activation="relu"),
    "roberta-pad-3": replace(CONFIGS["roberta"], pad_id=3, segments=2),
    "albert-groups": replace(ALBERT, layers=4, groups=2, inner_layers=2),
    "albert-attention": replace(ALBERT, sharing="attention"),
    "modernbert-odd-window": replace(CONFIGS["modernbert"], window=3, heads=2),
    "deberta-wide-buckets": replace(CONFIGS["deberta-v2"], buckets=40, positions=60),
    "albert-no-projection": replace(ALBERT, embedding_size=32, projection=False),
}


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """The models here are too small to share out."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("name", VARIANTS)
def test_logits_are_those_of_torch(name: str, tmp_path: Path) -> None:
    """`export` itself refuses more than 1e-4; the sentence says how near they are."""
    source = tiny_checkpoint(tmp_path / "checkpoint", VARIANTS[name], shape=True)
    told: list[str] = []
    export([source], tmp_path / "model", tell=told.append)
    near = re.search(r"within (\S+) of torch's", " ".join(told))
    assert near
    # ModernBERT's states are not normed between layers, and grow with weights so large.
    assert float(near[1]) < (8e-5 if name.startswith("modernbert") else 3e-5)


def test_other_logits_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tiny_checkpoint(tmp_path / "checkpoint")
    monkeypatch.setattr(proofs, "MOST_APART", 1e-12)
    with pytest.raises(ModelError, match="differ from torch's"):
        export([source], tmp_path / "model")
    assert not (tmp_path / "model").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["checkpoint"]


def test_shared_weights_stay_shared_and_the_file_is_no_larger(tmp_path: Path) -> None:
    config = AlbertConfig(
        vocabulary_size=320,
        hidden_size=96,
        layers=12,
        heads=4,
        feed_forward_size=384,
        embedding_size=16,
        positions=512,
    )
    source = tiny_checkpoint(tmp_path / "checkpoint", config, window=62, overlap=16)
    export([source], tmp_path / "model")
    network = onnx.load(tmp_path / "model/model.onnx")
    sizes = [int(np.prod(constant.dims)) for constant in network.graph.initializer]
    assert sizes.count(96 * 384) == 2
    uses = [node for node in network.graph.node if "feed_forwards.0.up.weight" in node.input]
    assert len(uses) == 12
    saved = (source / "model.safetensors").stat().st_size
    assert (tmp_path / "model/model.onnx").stat().st_size <= saved
    # Positions that no window reaches are left out, which pays for the nodes.
    assert sizes.count((62 + 2) * 16) == 1

    export([source], tmp_path / "int8", int8=True, proof=Proof(toy(4), max_loss=1.0))
    graph = 60_000  # bytes of nodes, which do not grow with the weights
    assert (tmp_path / "int8/model.onnx").stat().st_size < saved / 2 + graph


def test_weights_keep_to_seven_bits_whatever_their_size() -> None:
    draws = np.random.default_rng(0)
    matrix = draws.normal(size=(64, 8)).astype(np.float32) * np.logspace(-9, 9, 8, dtype=np.float32)
    matrix[:, 3] = 0
    stored, scales = quantised(matrix, WEIGHT_LIMIT)
    assert np.abs(stored).max(axis=0).tolist() == [63, 63, 63, 0, 63, 63, 63, 63]
    assert (np.abs(stored * scales - matrix) <= scales * 0.501).all()
    # A pair of products of 8 bits must fit into 16, or AVX2 cuts it off.
    assert 2 * 255 * WEIGHT_LIMIT < 2**15


def answered(source: Path, notes: list[Document]) -> list[Document]:
    """Notes whose annotations are what the checkpoint finds, so that its F1 is 1."""
    checkpoint = load_checkpoint(source)
    return predict(checkpoint.tagger, checkpoint.reader, notes)


@pytest.mark.parametrize("name", ["bert", "albert", "modernbert", "deberta-v2"])
def test_eight_bits_keep_what_a_trained_model_learned(name: str, tmp_path: Path) -> None:
    """Also one whose layers share their weights, so that errors add up."""
    notes = toy(30)
    start = partial(beginning, CONFIGS[name])
    train(start, notes[:24], notes[24:], quick(epochs=12, shape=True), tmp_path / "checkpoint")
    told: list[str] = []
    export(
        [tmp_path / "checkpoint"],
        tmp_path / "model",
        int8=True,
        proof=Proof(notes[24:], max_loss=0.02),
        tell=told.append,
    )
    card = read_model(tmp_path / "model").card
    assert card["precision"] == "int8"
    assert card["f1_fp32"] > 0.95
    assert any(f"F1 {100 * card['f1_int8']:.2f} %" in sentence for sentence in told)
    assert card["f1_int8"] == proofs.f1_of(
        tmp_path / "model", notes[24:], speed="careful", threads=1
    )


def test_eight_bits_that_cost_too_much_are_refused(tmp_path: Path) -> None:
    source = tiny_checkpoint(tmp_path / "checkpoint")
    notes = answered(source, toy(30))
    with pytest.raises(RunError, match=r"8 bits lose \d+\.\d\d % of F1 .* --max-f1-loss 1e-09"):
        export([source], tmp_path / "model", int8=True, proof=Proof(notes, max_loss=1e-9))
    assert not (tmp_path / "model").exists()


def test_what_cannot_be_exported_is_said(tmp_path: Path) -> None:
    source = tiny_checkpoint(tmp_path / "one")
    other = tiny_checkpoint(tmp_path / "two", labels=("O", "B-DATE", "I-DATE"))
    with pytest.raises(RunError, match="give --validation"):
        export([source], tmp_path / "model", int8=True)
    with pytest.raises(RunError, match="no annotated span"):
        Proof([Document("1", "nothing")], 0.003)
    with pytest.raises(RunError, match="other labels"):
        export([source, other], tmp_path / "model")
    with pytest.raises(RunError, match="given twice"):
        export([source, source], tmp_path / "model")
    with pytest.raises(RunError, match="each speed needs another"):
        export([source], tmp_path / "model", faster={"fast": source})
    (tmp_path / "model").mkdir()
    (tmp_path / "model/mine").touch()
    with pytest.raises(RunError, match="exists"):
        export([source], tmp_path / "model")


def test_faster_variants_find_what_their_checkpoints_find(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what networks have in common is written once."""
    sources = {
        speed: tiny_checkpoint(tmp_path / f"from-{speed}", seed=seed)
        for seed, speed in enumerate(("careful", "balanced", "fast"))
    }
    words = load_file(sources["careful"] / "model.safetensors")
    name = next(name for name in words if name.endswith("word_embeddings.weight"))
    fast = load_file(sources["fast"] / "model.safetensors")
    save_file({**fast, name: words[name]}, sources["fast"] / "model.safetensors")
    monkeypatch.setattr("incognote.workshop.export.run.LARGE", 1024)
    careful, *_ = sources.values()
    faster = {speed: path for speed, path in sources.items() if path is not careful}
    notes = toy(6)
    export(
        [careful],
        tmp_path / "model",
        faster=faster,
        int8=True,
        proof=Proof(answered(careful, notes), max_loss=1.0),
    )
    card = read_model(tmp_path / "model").card
    assert {"f1_fp32", "f1_int8", "f1_fp32_fast", "f1_int8_balanced"} <= set(card)
    shared = (tmp_path / "model/shared.bin").stat().st_size
    assert shared >= words[name].numel()
    files = {path.name: path.stat().st_size for path in (tmp_path / "model").iterdir()}
    assert files["model-balanced.onnx"] >= files["model-fast.onnx"] + words[name].numel()
    export([careful], tmp_path / "full", faster=faster)
    for speed, source in sources.items():
        detector = ModelDetector(tmp_path / "full", speed=speed)
        for note, expected in zip(notes, answered(source, notes), strict=True):
            found = [(span.start, span.end, span.type) for span in detector.detect(note).spans]
            assert found == [(span.start, span.end, span.type) for span in expected.spans]


def test_one_of_an_ensemble_can_be_a_faster_variant(tmp_path: Path) -> None:
    one, two = (tiny_checkpoint(tmp_path / f"{seed}", seed=seed) for seed in (1, 2))
    with pytest.raises(RunError, match="2 checkpoints need as many weights, not 1"):
        export([one, two], tmp_path / "model", weights=[1])
    export([one, two], tmp_path / "model", faster={"balanced": one}, weights=[2, 1])
    model = read_model(tmp_path / "model")
    assert [model.variants[speed].weights for speed in ("careful", "balanced")] == [(2, 1), ()]
    careful, balanced = (model.variants[speed].members for speed in ("careful", "balanced"))
    assert len(careful) == 2
    assert balanced == careful[:1]
    assert len(list((tmp_path / "model").glob("*.onnx"))) == 2
    notes = toy(4)
    detector = ModelDetector(tmp_path / "model", speed="balanced")
    for note, expected in zip(notes, answered(one, notes), strict=True):
        found = [(span.start, span.end, span.type) for span in detector.detect(note).spans]
        assert found == [(span.start, span.end, span.type) for span in expected.spans]


def test_transformers_loads_what_is_meant_for_it(tmp_path: Path) -> None:
    source = tiny_checkpoint(tmp_path / "checkpoint", window=38, overlap=4)
    told: list[str] = []
    export_huggingface(source, tmp_path / "plain", tell=told.append)
    assert told == []
    note = toy(1, sentences=1)[0]
    checkpoint = load_checkpoint(source)
    loaded = pipeline("token-classification", str(tmp_path / "plain"), device="cpu")
    marked = {entry["start"]: entry["entity"] for entry in loaded(note.text)}
    assert marked
    with torch.no_grad():
        reading = checkpoint.reader.read_all([note.text])[0]
        window = reading.input(0)
        logits = checkpoint.tagger(torch.from_numpy(window.ids)[None])[
            0, window.first : window.last
        ]
    names = [checkpoint.tagger.labels.names[label] for label in logits.argmax(1).tolist()]
    starts = reading.offsets.starts.tolist()
    expected = {start: name for start, name in zip(starts, names, strict=True) if name != "O"}
    assert marked == expected


def test_what_transformers_has_no_place_for_is_said(tmp_path: Path) -> None:
    source = tiny_checkpoint(tmp_path / "checkpoint", shape=True, crf=True)
    told: list[str] = []
    export_huggingface(source, tmp_path / "plain", tell=told.append)
    assert "the word-shape input and the CRF" in told[0]
    pipeline("token-classification", str(tmp_path / "plain"), device="cpu")


@pytest.fixture
def incognote(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    def run(*arguments: object) -> str:
        assert app(list(map(str, arguments)), standalone_mode=False) == 0
        return capsys.readouterr().out

    return run


def test_the_commands(tmp_path: Path, incognote: Callable[..., str]) -> None:
    source = tiny_checkpoint(tmp_path / "checkpoint")
    gold = answered(source, toy(6))
    rows = [
        {
            "id": note.id,
            "text": note.text,
            "spans": [{"start": s.start, "end": s.end, "type": s.type} for s in note.spans],
        }
        for note in gold
    ]
    corpus = tmp_path / "gold.jsonl"
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows))
    model = tmp_path / "model"
    said = incognote(
        "export", source, "-o", model, "--int8", "--validation", corpus, "--max-f1-loss", 1
    )
    assert re.search(
        r"careful: strict F1 100\.00 % on 6 notes\nint8: 0\.\d MB\nint8, careful: strict F1 \d",
        said,
    )
    said = incognote("export", source, "-o", model, "--overwrite")
    assert "f1_fp32" not in read_model(model).card

    for workers in (1, 2):
        out = incognote("find", corpus, "--model", model, "--detector", "model", "-j", workers)
        found = [json.loads(line) for line in out.splitlines()]
        assert [
            {"id": note["id"], "spans": [(s["start"], s["end"], s["type"]) for s in note["spans"]]}
            for note in found
        ] == [
            {"id": note.id, "spans": [(s.start, s.end, s.type) for s in note.spans]}
            for note in gold
        ]
        assert {s["source"] for note in found for s in note["spans"]} == {"model"}
    both = incognote("find", corpus, "--model", model)
    sources = {s["source"] for line in both.splitlines() for s in json.loads(line)["spans"]}
    assert "model" in sources
    assert any(source.startswith("rules") for source in sources)

    clean = tmp_path / "clean.jsonl"
    incognote("deid", corpus, "-o", clean, "--model", model)
    assert "[PATIENT]" in clean.read_text()
    audit = json.loads((tmp_path / "clean.jsonl.audit.json").read_text())
    assert audit["characters"]["coverage"] == 1.0
    assert audit["settings"]["detectors"] == ["rules", "known", "model", "propagated"]
    assert len(audit["settings"]["model"]) == 16


def test_train_export_and_score_give_one_figure_on_one_scale(
    tmp_path: Path, incognote: Callable[..., str]
) -> None:
    """Of the same weights and notes, also where windows share more than is usual."""
    notes = toy(16, sentences=9)
    write(notes[12:], tmp_path / "dev.jsonl", "jsonl")
    start = partial(beginning, CONFIGS["bert"])
    options = quick(epochs=2, lr=1e-3, window=30, overlap=24)
    trained = train(start, notes[:8], notes[12:], options, tmp_path / "checkpoint")
    figure = trained.training["validation"]["f1"]
    assert 0.1 < figure < 0.9
    model, found = tmp_path / "model", tmp_path / "found.jsonl"
    dev = tmp_path / "dev.jsonl"
    exported = incognote("export", tmp_path / "checkpoint", "-o", model, "--validation", dev)
    incognote("find", dev, "-o", found, "--model", model, "--detector", "model")
    scored = json.loads(incognote("score", dev, found, "--json"))
    assert f"strict F1 {100 * figure:.2f} % on 4 notes" in exported
    strict = scored["systems"][0]["i2b2"]["all"]["strict"]["micro"]["f1"]
    assert strict["value"] == pytest.approx(figure)
    assert read_model(model).card["f1_fp32"] == pytest.approx(figure)
    assert f" {100 * figure:.2f} " in incognote("score", dev, found)
