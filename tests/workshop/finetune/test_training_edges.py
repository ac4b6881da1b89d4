"""Corpora at the edge of what there is, and notes in any company."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from tiny_checkpoints import CONFIGS, tiny_checkpoint
from toy_corpus import quick, random_start, toy

from incognote.corpus.source import Source
from incognote.document import Document, Span
from incognote.formats import write
from incognote.workshop.fine_tuning import Parts, read_parts, split_rows, train_corpus
from incognote.workshop.finetune import predict as prediction
from incognote.workshop.finetune.checkpoint import load_checkpoint
from incognote.workshop.finetune.predict import predict, predict_together

ENCODER = "bert-base-uncased"
SIZES = {"layers": 2, "hidden_size": 32, "heads": 2, "feed_forward_size": 64, "positions": 64}
COMPANY = [
    *toy(7),
    Document("long", toy(1, sentences=50)[0].text),
    Document("empty", ""),
    Document("blank", " \n"),
    Document("short", "x"),
    Document("table", "Name\tTown\nAna Ruiz\tOslo\n" * 6),
]


Found = dict[str, list[tuple[int, int, str]]]


def spans(documents: list[Document]) -> Found:
    return {note.id: [(s.start, s.end, s.type) for s in note.spans] for note in documents}


def test_one_note_in_a_file_is_learned(tmp_path: Path) -> None:
    note = toy(1, sentences=12)
    write(note, tmp_path / "note.jsonl", "jsonl")
    parts = read_parts(Source(tmp_path / "note.jsonl"))
    origin = random_start(tmp_path / "tokenizer", SIZES, ENCODER)
    options = quick(epochs=20, dropout=0.0, attention_dropout=0.0)
    train_corpus(parts, origin, tmp_path / "out", options, labels="own")
    checkpoint = load_checkpoint(tmp_path / "out")
    assert spans(predict(checkpoint.tagger, checkpoint.reader, note)) == spans(note)


def test_one_note_is_trained_on_however_it_is_split() -> None:
    for split in ("50:10:40", "80:20"):
        parts = split_rows([(note,) for note in toy(1)], split, seed=0)
        assert [len(part) for part in (parts.train, parts.validation, parts.test)] == [1, 0, 0]


def test_a_type_only_in_test_is_missed_and_not_hidden(tmp_path: Path) -> None:
    notes = toy(14)
    text = notes[13].text + "Call 555."
    phone = Span.of(text, len(text) - 4, len(text) - 1, "PHONE")
    unseen = Document("unseen", text, (*notes[13].spans, phone))
    said: list[str] = []
    result = train_corpus(
        Parts(train=notes[:12], test=[notes[12], unseen]),
        random_start(tmp_path / "tokenizer", SIZES, ENCODER),
        tmp_path / "out",
        quick(epochs=10),
        labels="own",
        say=said.append,
    )
    assert said == ["PHONE: in test but not in training, so counted as missed"]
    labels = result.trained.training["labels"]
    assert not any("PHONE" in label for label in labels)
    assert result.test["strict"]["recall"] == pytest.approx(18 / 19)
    kept = json.loads((tmp_path / "out/test.json").read_text())
    assert kept["strict"] == result.test["strict"]


@pytest.mark.parametrize("tokens", [30, 200, 8192])
def test_a_note_has_its_spans_in_any_company(
    tokens: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many pieces a batch has, whatever notes are beside it, in whatever order."""
    source = tiny_checkpoint(tmp_path / "checkpoint", CONFIGS["albert"], shape=True, crf=True)
    checkpoint = load_checkpoint(source)
    assert len(checkpoint.reader.read_all([COMPANY[7].text])[0].windows) > 20
    alone: Found = {}
    for note in COMPANY:
        alone |= spans(predict(checkpoint.tagger, checkpoint.reader, [note]))
    assert sum(len(found) for found in alone.values()) > 50
    monkeypatch.setattr(prediction, "BATCH_TOKENS", tokens)
    for seed in range(3):
        order = random.Random(seed).sample(COMPANY, len(COMPANY))
        assert spans(predict(checkpoint.tagger, checkpoint.reader, order)) == alone


def test_an_ensemble_too(tmp_path: Path) -> None:
    members = [
        load_checkpoint(tiny_checkpoint(tmp_path / name, CONFIGS[name], seed=seed))
        for seed, name in enumerate(("bert", "albert"))
    ]
    alone: Found = {}
    for note in COMPANY:
        alone |= spans(predict_together(members, [note]))
    order = random.Random(1).sample(COMPANY, len(COMPANY))
    assert spans(predict_together(members, order)) == alone
