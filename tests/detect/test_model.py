"""A model folder finds what its checkpoint finds, whatever the company a note is in."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_checkpoints import CONFIGS, tiny_checkpoint, tiny_model
from toy_corpus import toy

from incognote.align.windows import windows
from incognote.base.errors import ModelError
from incognote.detect.detector import Detection
from incognote.detect.finder import Finder
from incognote.detect.model import ModelDetector
from incognote.document import Document, Span
from incognote.onnx.model_folder import digest
from incognote.phi import LABEL_SETS
from incognote.workshop.finetune.checkpoint import load_checkpoint
from incognote.workshop.finetune.predict import predict, predict_together

NOTES = [
    Document(f"{number}", text)
    for number, text in enumerate(
        [
            *(note.text for note in toy(8)),
            toy(1, sentences=90)[0].text,
            "",
            " \n\t ",
            "x",
            "Name\tSeen\tTown\nAna Ruiz\t3/4/2011\tOslo\n" * 4,
            "Ana\u200b Ru\u0301iz \x00 \ud800 🧑‍⚕️ \u202emoB\u202c Ωmega ﬁ",
        ]
    )
]
KINDS = {
    "plain": {},
    "crf": {"crf": True},
    "shape": {"shape": True},
    "albert-shape-crf": {"config": CONFIGS["albert"], "shape": True, "crf": True},
    "study41": {"labels": LABEL_SETS["study41"]},
    "study41-crf": {"labels": LABEL_SETS["study41"], "crf": True},
}


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Path]]:
    """Checkpoint and model folder of each kind, and `int8`."""
    home = tmp_path_factory.mktemp("models")
    made = {}
    for kind, how in KINDS.items():
        checkpoint = tiny_checkpoint(home / kind, **how)
        made[kind] = (checkpoint, tiny_model(home / f"{kind}-model", [checkpoint]))
    plain = made["plain"][0]
    made["int8"] = (plain, tiny_model(home / "int8-model", [plain], judged_on=toy(8)))
    return made


def rows(spans: tuple[Span, ...]) -> list[tuple[int, int, str]]:
    return [(span.start, span.end, span.type) for span in spans]


@pytest.mark.parametrize("kind", KINDS)
def test_finds_what_the_checkpoint_finds(kind: str, models: dict[str, tuple[Path, Path]]) -> None:
    source, folder = models[kind]
    checkpoint = load_checkpoint(source)
    detector = ModelDetector(folder)
    expected = predict(checkpoint.tagger, checkpoint.reader, NOTES)
    for note, wanted in zip(NOTES, expected, strict=True):
        found = detector.detect(note)
        assert rows(found.spans) == rows(wanted.spans)
        assert [s.score for s in found.spans] == pytest.approx(
            [s.score for s in wanted.spans], abs=1e-4
        )
        assert {s.source for s in found.spans} <= {"model"}
    assert sum(len(note.spans) for note in expected) > 100


@pytest.mark.parametrize("kind", ["shape", "int8"])
def test_company_changes_nothing(kind: str, models: dict[str, tuple[Path, Path]]) -> None:
    folder = models[kind][1]
    detector = ModelDetector(folder)
    alone = [detector.detect(note) for note in NOTES]
    assert list(detector.detect_many(NOTES)) == alone
    for seed in range(3):
        order = list(range(len(NOTES)))
        random.Random(seed).shuffle(order)
        shuffled = list(detector.detect_many([NOTES[place] for place in order]))
        assert shuffled == [alone[place] for place in order]
    threaded = ModelDetector(folder, threads=2)
    assert list(threaded.detect_many(NOTES)) == alone


@pytest.mark.parametrize("kind", ["plain", "int8"])
def test_a_window_is_computed_as_if_alone(kind: str, models: dict[str, tuple[Path, Path]]) -> None:
    """To the last bit, whatever shares its batch."""
    from incognote.onnx.sessions import Network

    network = Network(models[kind][1] / "model.onnx")
    draws = np.random.default_rng(1)
    for length in (1, 7, 26):
        ids = draws.integers(0, 320, (9, length))
        together = network.run(ids=ids)
        for place in range(9):
            np.testing.assert_array_equal(
                network.run(ids=ids[place : place + 1])[0], together[place]
            )


def test_every_character_of_a_long_note_is_seen(models: dict[str, tuple[Path, Path]]) -> None:
    note = NOTES[8]
    checkpoint = load_checkpoint(models["plain"][0])
    reading = checkpoint.reader.read_all([note.text])[0]
    assert len(windows(len(reading.offsets), 24, 8)) > 20
    found = ModelDetector(models["plain"][1]).detect(note)
    assert found.seen == len(note.text)
    assert max(span.end for span in found.spans) > len(note.text) * 0.9


def test_every_character_is_seen_also_what_the_tokenizer_drops(
    models: dict[str, tuple[Path, Path]],
) -> None:
    detector = ModelDetector(models["plain"][1])
    assert detector.detect(Document("", "")) == Detection((), 0)
    assert detector.detect(Document("", " \n ")) == Detection((), 3)
    assert detector.detect(Document("", "Ana \x00 Ruiz")).seen == 10


def test_a_very_long_line_is_no_trouble(tmp_path: Path) -> None:
    config = type(CONFIGS["bert"])(
        vocabulary_size=320, hidden_size=8, layers=1, heads=1, feed_forward_size=8, positions=512
    )
    checkpoint = tiny_checkpoint(tmp_path / "wide", config, window=510, overlap=32)
    detector = ModelDetector(tiny_model(tmp_path / "model", [checkpoint]))
    for text in ("Ana Ruiz was seen in Oslo " * 4000, "0" * 200_000):
        assert detector.detect(Document("", text)).seen == len(text)


@settings(max_examples=60)
@given(text=st.text(max_size=80))
def test_any_text_gives_disjoint_spans(models: dict[str, tuple[Path, Path]], text: str) -> None:
    detector = _opened(models["shape"][1])
    note = Document("", text)
    found = detector.detect(note)
    note.with_spans(found.spans)
    ends = [0, *(span.end for span in found.spans)]
    assert all(
        start >= end for start, end in zip((s.start for s in found.spans), ends, strict=False)
    )
    assert found.seen <= len(text)


_cache: dict[Path, ModelDetector] = {}


def _opened(folder: Path) -> ModelDetector:
    return _cache.setdefault(folder, ModelDetector(folder))


def test_members_of_several_tokenizers_agree_as_in_training(tmp_path: Path) -> None:
    sources = [
        tiny_checkpoint(tmp_path / "one"),
        tiny_checkpoint(tmp_path / "two", CONFIGS["albert"], seed=1, lowercase=False, crf=True),
        tiny_checkpoint(tmp_path / "three", CONFIGS["roberta"], seed=2, window=30, overlap=4),
    ]
    folder = tiny_model(tmp_path / "model", sources)
    assert len(list(folder.glob("tokenizer*.json"))) == 2
    expected = predict_together([load_checkpoint(source) for source in sources], NOTES)
    detector = ModelDetector(folder)
    for note, wanted in zip(NOTES, expected, strict=True):
        assert rows(detector.detect(note).spans) == rows(wanted.spans)


def test_thresholds_leave_out_doubtful_spans(
    models: dict[str, tuple[Path, Path]], tmp_path: Path
) -> None:
    source = models["plain"][1]
    for name in ("model.onnx", "tokenizer.json"):
        (tmp_path / name).write_bytes((source / name).read_bytes())
    described = json.loads((source / "incognote.json").read_text())
    described["variants"]["careful"]["thresholds"] = {"DATE": 0.9}
    (tmp_path / "incognote.json").write_text(json.dumps(described))
    before = [s for note in NOTES for s in ModelDetector(source).detect(note).spans]
    after = [s for note in NOTES for s in ModelDetector(tmp_path).detect(note).spans]
    assert after == [s for s in before if s.type != "DATE" or s.score >= 0.9]
    assert after != before


def test_rules_and_model_join(models: dict[str, tuple[Path, Path]]) -> None:
    note = Document("", "Dr. Okafor saw Ana Ruiz on 3/14/2019 in Oslo.")
    model = ModelDetector(models["plain"][1])
    joined = Finder(model).detect(note)
    note.with_spans(joined.spans)
    places = {
        name: {at for span in spans for at in range(span.start, span.end)}
        for name, spans in (
            ("joined", joined.spans),
            ("rules", Finder().detect(note).spans),
            ("model", model.detect(note).spans),
        )
    }
    name = note.text.index("Ana Ruiz")
    assert places["joined"] >= places["rules"]
    assert places["joined"] & places["model"] - places["rules"] >= {name, name + 7}
    assert joined.seen == len(note.text)


def test_a_network_that_does_not_fit_is_refused(
    models: dict[str, tuple[Path, Path]], tmp_path: Path
) -> None:
    source = models["plain"][1]
    described = json.loads((source / "incognote.json").read_text())

    def with_changes(**changes: object) -> Path:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        for name in ("model.onnx", "tokenizer.json"):
            (folder / name).write_bytes((source / name).read_bytes())
        (folder / "incognote.json").write_text(json.dumps({**described, **changes}))
        return folder

    with pytest.raises(ModelError, match="does not fit"):
        ModelDetector(with_changes(labels=["O", "B-DATE"]))
    members = {"bert": {**described["members"]["bert"], "shapes": 1}}
    with pytest.raises(ModelError, match="does not fit"):
        ModelDetector(with_changes(members=members))
    members["bert"]["shapes"] = 99
    with pytest.raises(ModelError, match="word shapes of version 99"):
        ModelDetector(with_changes(members=members))
    with pytest.raises(ModelError, match="neither O"):
        ModelDetector(with_changes(labels=["O", *"abcdef"]))
    folder = with_changes()
    (folder / "tokenizer.json").write_text("{}")
    files = {**described["files"], "tokenizer.json": digest(folder / "tokenizer.json")}
    (folder / "incognote.json").write_text(json.dumps({**described, "files": files}))
    with pytest.raises(ModelError, match="not a tokenizer"):
        ModelDetector(folder)


def test_torch_is_never_loaded(models: dict[str, tuple[Path, Path]]) -> None:
    code = (
        "import sys\n"
        "from incognote.document import Document\n"
        "from incognote.detect.model import ModelDetector\n"
        f"ModelDetector({str(models['shape'][1])!r}).detect(Document('', 'Ana Ruiz in Oslo'))\n"
        "assert not {'torch', 'onnx', 'transformers', 'safetensors'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
