"""Nine places where Hugging Face falls short, and what we do there."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
import transformers
from encoder_oracle import TINY
from onnxruntime.quantization import quantize_dynamic
from text_models import write_encoder
from tiny_checkpoints import CONFIGS, beginning, tiny_checkpoint, tiny_model
from torch.testing import assert_close
from toy_corpus import quick, toy

from incognote.align.tags import Mark, disjoint
from incognote.align.windows import coverage, windows
from incognote.align.words import words
from incognote.cli.app import app
from incognote.detect.finder import Finder
from incognote.detect.merge import merge
from incognote.detect.model import ModelDetector
from incognote.document import Span
from incognote.onnx.model_folder import read_model
from incognote.onnx.sessions import Network
from incognote.workshop.encoders import Model, TextModel, load, save
from incognote.workshop.encoders.albert import AlbertConfig
from incognote.workshop.encoders.encoder import Encoder
from incognote.workshop.encoders.heads import MaskedLanguage
from incognote.workshop.export.run import Proof, export, export_huggingface
from incognote.workshop.features import features
from incognote.workshop.finetune.train import train
from incognote.workshop.pretrain.corpus.prepare import prepare
from incognote.workshop.pretrain.objectives import make_objective
from incognote.workshop.tokenization import load as load_tokenizer

LIMIT = 0.003
"""The loss of F1 in 8 bits that `export` allows by default."""

Find = Callable[[Path, str], list[tuple[str, str]]]


@pytest.fixture(scope="module")
def albert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_encoder(tmp_path_factory.mktemp("failings") / "albert", "albert")


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the checkpoint of a small ALBERT that has learned, and its `model`."""
    home = tmp_path_factory.mktemp("trained")
    notes = [*toy(12), *toy(1, sentences=48)]
    options = quick(epochs=12, dropout=0.0, attention_dropout=0.0)
    train(partial(beginning, CONFIGS["albert"]), notes, [], options, home / "checkpoint")
    export([home / "checkpoint"], home / "model")
    return home


@pytest.fixture
def find(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Find:
    """Texts and types of what `incognote find --model` finds in a note."""

    def run(model: Path, text: str) -> list[tuple[str, str]]:
        note = tmp_path / "note.txt"
        note.write_text(text, newline="")
        told = ["find", note, "--model", model, "--detector", "model"]
        assert app(list(map(str, told)), standalone_mode=False) == 0
        found = json.loads(capsys.readouterr().out)["spans"]
        return [(text[span["start"] : span["end"]], span["type"]) for span in found]

    return run


def test_1_text_beyond_the_models_maximum_is_read_to_its_end(albert: Path) -> None:
    encoder = TextModel.load(albert)
    text = "John Smith denies chest pain. " * 150
    pieces = encoder.pieces.read(text)
    assert len(pieces.ids) > encoder.model.config.longest
    assert coverage(text, pieces.offsets, windows(len(pieces.ids), 510, 128)).whole
    (found,) = features([text], encoder)
    assert len(found.vectors) == len(words(text))
    assert np.isfinite(found.vectors).all()


def test_1_a_note_beyond_the_models_maximum_is_searched_to_its_end(
    trained: Path, find: Find, tmp_path: Path
) -> None:
    notes = toy(40)[24:]
    text = "".join(note.text for note in notes)
    towns = [found for found, type in find(trained / "model", text) if type == "CITY"]
    assert towns == [span.text for note in notes for span in note.spans if span.type == "CITY"]
    export_huggingface(trained / "checkpoint", tmp_path / "plain")
    peer: Any = transformers.pipeline("token-classification", str(tmp_path / "plain"), device="cpu")
    assert max(entry["end"] for entry in peer(text)) < len(text) / 10


def test_2_a_line_break_or_tab_parts_words() -> None:
    for text in ("john\nsmith", "john\tsmith", "john\r\nsmith"):
        assert [text[start:end] for start, end in words(text)] == ["john", "smith"]


@pytest.mark.parametrize("gap", ["\n", "\t", "\r\n"])
def test_2_findings_on_two_lines_stay_two(trained: Path, find: Find, gap: str) -> None:
    text = f"Patient Ana Ruiz was seen on 3/4/2011 in Oslo{gap}Quito."
    found = find(trained / "model", text)
    assert found[-2:] == [("Oslo", "CITY"), ("Quito", "CITY")]


def test_3_overlapping_marks_lose_no_character() -> None:
    marks = [Mark(0, 10, "PATIENT"), Mark(5, 18, "HOSPITAL"), Mark(16, 20, "DATE")]
    kept = disjoint(marks)
    covered = {place for mark in kept for place in range(mark.start, mark.end)}
    assert covered == set(range(20))
    assert [mark.type for mark in kept] == ["PATIENT", "HOSPITAL", "DATE"]


def _places(spans: Iterable[Span]) -> set[int]:
    return {at for span in spans for at in range(span.start, span.end)}


def test_3_overlapping_findings_of_detectors_lose_no_character(tmp_path: Path) -> None:
    """A model of random weights marks pieces of what the rules mark, and what is beside it."""
    model = tiny_model(tmp_path / "model", [tiny_checkpoint(tmp_path / "checkpoint")])
    parts = (Finder(), ModelDetector(model))
    crossing = 0
    for note in toy(12):
        rules, guesses = (part.detect(note).spans for part in parts)
        crossing += sum(
            a.start < c.start < a.end < c.end or c.start < a.start < c.end < a.end
            for a in rules
            for c in guesses
        )
        merged = merge(note.text, [*rules, *guesses])
        joined = Finder(parts[1]).detect(note).spans
        for spans in (merged, joined):
            note.with_spans(spans)  # refuses spans that overlap
        assert _places(merged) >= _places([*rules, *guesses])
        assert _places(joined) >= _places(rules)
    assert crossing > 3


def test_4_alberts_feed_forward_dropout_is_applied() -> None:
    config = replace(TINY["albert"], dropout=0.5)
    encoder = Model(config).encoder
    assert isinstance(encoder, Encoder)
    feed_forward = encoder.stack.feed_forwards[0]
    ones = torch.ones(4, 24)
    torch.manual_seed(0)
    dropped = [feed_forward.train()(ones) for _ in range(2)]
    assert not torch.equal(*dropped)
    assert_close(feed_forward.eval()(ones), feed_forward(ones))
    peer = transformers.AlbertModel(transformers.AlbertConfig(**config.to_huggingface())).train()
    layer = peer.encoder.albert_layer_groups[0].albert_layers[0]
    assert torch.equal(layer.ff_chunk(ones), layer.ff_chunk(ones))  # theirs has none


def test_5_pairs_have_two_segments(albert: Path) -> None:
    tokenizer = load_tokenizer(albert)
    encoding = tokenizer.encode("John was seen.", "He denies pain.")
    assert set(encoding.segments.tolist()) == {0, 1}
    batch = tokenizer.pad([encoding])
    model = load(albert)
    with torch.no_grad():
        ids = torch.from_numpy(batch.ids)
        apart = model.encoder(ids, segments=torch.from_numpy(batch.segments)).hidden
        assert not torch.equal(apart, model.encoder(ids).hidden)


def test_6_sentence_order_pairs_are_made_of_text(albert: Path, tmp_path: Path) -> None:
    """Neighbours of one document, as they stand (0) or swapped (1), for the head that tells."""
    tokenizer = load_tokenizer(albert)
    texts = [" ".join(f"Visit {row}, day {day}." for day in range(9)) for row in range(40)]
    lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
    (tmp_path / "notes.jsonl").write_text(lines)
    shards = prepare([tmp_path / "notes.jsonl"], tokenizer, tmp_path / "shards")
    documents = [shards.ids(row).tolist() for row in shards.train]
    objective = make_objective("mlm+sop", tokenizer, shards)
    settings = replace(objective.settings, length=40)
    examples = objective.examples(shards, shards.train, settings, seed=0)
    made = [examples.example(0, index) for index in range(examples.count(0))]
    for example in made:
        ids = example.ids.copy()
        ids[example.places] = example.targets
        first = ids[example.segments == 0].tolist()[1:-1]
        second = ids[example.segments == 1].tolist()[:-1]
        text = second + first if example.label else first + second
        assert any(_within(text, document) for document in documents)
    assert {example.label for example in made} == {0, 1}
    assert "sop" in objective.loss(objective.wrap(load(albert)), objective.batch(made[:4])).parts


def _within(part: list[int], whole: list[int]) -> bool:
    return any(whole[at : at + len(part)] == part for at in range(len(whole)))


def test_7_language_logits_are_computed_at_the_masks_only() -> None:
    model = Model(TINY["albert"], heads=("mlm",)).eval()
    head = model.heads["mlm"]
    assert isinstance(head, MaskedLanguage)
    seen = []
    head.dense.register_forward_hook(lambda _, given, __: seen.append(given[0].shape[0]))
    ids = torch.randint(4, 97, (3, 17))
    chosen = torch.tensor([2, 20, 40])
    with torch.no_grad():
        some = model(ids, chosen=chosen)["mlm"]
        whole = model(ids)["mlm"]
    assert seen[0] == 3
    assert some.shape == (3, 97)
    assert_close(some, whole.reshape(-1, 97)[chosen])


def test_8_shared_weights_are_held_and_saved_once(tmp_path: Path) -> None:
    model = Model(replace(TINY["albert"], layers=12))
    shallow = Model(replace(TINY["albert"], layers=1))
    assert sum(p.numel() for p in model.parameters()) == sum(
        p.numel() for p in shallow.parameters()
    )
    save(model, tmp_path / "deep")
    save(shallow, tmp_path / "shallow")
    sizes = [(tmp_path / name / "model.safetensors").stat().st_size for name in ("deep", "shallow")]
    assert sizes[0] == sizes[1]


def test_8_shared_weights_are_exported_once(tmp_path: Path) -> None:
    """ALBERT-base's twelve layers: what the file has beyond the weights does not grow with them."""
    beyond = []
    for width in (48, 96):
        config = AlbertConfig(
            vocabulary_size=320,
            hidden_size=width,
            heads=4,
            feed_forward_size=4 * width,
            embedding_size=16,
            positions=40,
        )
        assert config.layers == 12
        source = tiny_checkpoint(tmp_path / f"checkpoint-{width}", config)
        export([source], tmp_path / f"model-{width}")
        file = tmp_path / f"model-{width}/model.onnx"
        network = onnx.load(file)
        held = sum(4 * int(np.prod(constant.dims)) for constant in network.graph.initializer)
        saved = (source / "model.safetensors").stat().st_size
        assert held <= saved
        beyond.append(file.stat().st_size - saved)
    assert max(beyond) < 40_000  # a thousandth of ALBERT-base's 45 MB
    assert abs(beyond[1] - beyond[0]) < 1000


def test_9_eight_bits_keep_what_a_trained_albert_learned(trained: Path, tmp_path: Path) -> None:
    """Its layers share their weights, so that errors add up."""
    notes = toy(40)[24:]
    export(
        [trained / "checkpoint"],
        tmp_path / "int8",
        int8=True,
        proof=Proof(notes, max_loss=LIMIT),
    )
    card = read_model(tmp_path / "int8").card
    assert card["precision"] == "int8"
    assert card["f1_fp32"] > 0.95
    assert card["f1_int8"] >= card["f1_fp32"] - LIMIT
    right = ModelDetector(tmp_path / "int8")
    spans = [(s.text, s.type) for note in notes for s in right.detect(note).spans]
    assert spans == [(s.text, s.type) for note in notes for s in note.spans]


def test_9_neighbours_in_a_batch_change_nothing(trained: Path, tmp_path: Path) -> None:
    """The usual dynamic way takes one scale for a whole batch, so that they do."""
    export(
        [trained / "checkpoint"], tmp_path / "int8", int8=True, proof=Proof(toy(6), max_loss=1.0)
    )
    quantize_dynamic(
        trained / "model/model.onnx",
        tmp_path / "usual.onnx",
        extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT},
    )
    ids = np.random.default_rng(1).integers(5, 300, (6, 20))
    apart = {}
    for name, file in (("ours", "int8/model.onnx"), ("usual", "usual.onnx")):
        network = Network(tmp_path / file)
        alone = np.concatenate([network.run(ids=row[None]) for row in ids])
        apart[name] = float(np.abs(network.run(ids=ids) - alone).max())
    assert apart["ours"] == 0
    assert apart["usual"] > 1e-3
