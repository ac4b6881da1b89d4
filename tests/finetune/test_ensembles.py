"""Several models as one."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from tiny_checkpoints import CONFIGS, tiny_checkpoint, tiny_model
from toy_corpus import quick, tiny_start, toy

from incognote.detect.model import ModelDetector
from incognote.document import Document
from incognote.finetune.checkpoint import load_checkpoint
from incognote.finetune.predict import predict, strict_figures
from incognote.finetune.train import train

NOTES = toy(24)


@pytest.fixture(scope="module")
def members(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """An uncased one with a CRF, and a cased one with fewer pieces: they cut differently."""
    folder = tmp_path_factory.mktemp("members")
    train(lambda: tiny_start(), NOTES[:18], [], quick(epochs=8, crf=True), folder / "a")
    train(
        lambda: tiny_start(lowercase=False, whole_words=False, seed=1),
        NOTES[:18],
        [],
        quick(epochs=8, window=40),
        folder / "b",
    )
    return [folder / "a", folder / "b"]


def detected(detector: ModelDetector, documents: list[Document]) -> list[Document]:
    found = detector.detect_many(documents)
    return [note.with_spans(each.spans) for note, each in zip(documents, found, strict=True)]


def places(documents: list[Document]) -> dict[str, list[tuple[int, int, str]]]:
    return {note.id: [(s.start, s.end, s.type) for s in note.spans] for note in documents}


def test_models_of_different_tokenizers_meet(members: list[Path], tmp_path: Path) -> None:
    readers = [load_checkpoint(member).reader for member in members]
    one, other = (reader.read_all([NOTES[20].text])[0].units for reader in readers)
    assert len(one) != len(other)
    found = detected(ModelDetector(tiny_model(tmp_path / "model", members)), NOTES[18:])
    assert strict_figures(NOTES[18:], found)["f1"] > 0.95
    assert all(0 < span.score <= 1 for document in found for span in document.spans)


def test_a_model_with_itself_is_itself(members: list[Path], tmp_path: Path) -> None:
    again = shutil.copytree(members[1], tmp_path / "again")
    twice = ModelDetector(tiny_model(tmp_path / "model", [members[1], again]))
    plain = load_checkpoint(members[1])
    alone = predict(plain.tagger, plain.reader, NOTES[18:])
    assert places(detected(twice, NOTES[18:])) == places(alone)


def test_a_note_has_its_spans_in_any_company(tmp_path: Path) -> None:
    long = Document("long", toy(1, sentences=50)[0].text)
    company = [*toy(12), long, Document("empty", ""), Document("short", "x")]
    made = [
        tiny_checkpoint(tmp_path / name, CONFIGS[name], seed=seed)
        for seed, name in enumerate(("bert", "albert"))
    ]
    detector = ModelDetector(tiny_model(tmp_path / "model", made))
    alone: dict[str, list[tuple[int, int, str]]] = {}
    for note in company:
        alone |= places(detected(detector, [note]))
    assert sum(map(len, alone.values())) > 20
    order = random.Random(1).sample(company, len(company))
    assert places(detected(detector, order)) == alone
