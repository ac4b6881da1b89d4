"""A run learns, and leaves a checkpoint that finds what it learned."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import torch
from toy_corpus import LABELS, TINY, quick, tiny_start, toy

from incognote.base.errors import DivergedError, TrainError
from incognote.document import Document, Span
from incognote.workshop.finetune.checkpoint import load_checkpoint
from incognote.workshop.finetune.options import Options
from incognote.workshop.finetune.predict import predict, strict_figures
from incognote.workshop.finetune.train import train


def spans(documents: list[Document]) -> list[list[tuple[int, int, str]]]:
    return [[(s.start, s.end, s.type) for s in document.spans] for document in documents]


@pytest.mark.parametrize(
    "options",
    [
        quick(epochs=8),
        quick(epochs=8, crf=True, head_lr=1e-2),
        quick(epochs=8, shape=True, class_weights="root", label_smoothing=0.05, accumulate=2),
    ],
    ids=["plain", "crf", "shape"],
)
def test_learns_a_toy_corpus(options: Options, tmp_path: Path) -> None:
    notes = toy(24)
    trained = train(tiny_start, notes[:20], notes[20:], options, tmp_path / "out")
    assert trained.training["validation"]["f1"] == 1.0
    checkpoint = load_checkpoint(tmp_path / "out")
    found = predict(checkpoint.tagger, checkpoint.reader, notes[20:])
    assert spans(found) == spans(notes[20:])
    # Alone, in reverse, or together: the same spans.
    alone = [predict(checkpoint.tagger, checkpoint.reader, [note])[0] for note in notes[20:]]
    turned = predict(checkpoint.tagger, checkpoint.reader, notes[20:][::-1])[::-1]
    assert spans(alone) == spans(turned) == spans(found)


@pytest.mark.parametrize("crf", [False, True])
def test_types_with_one_label_are_learned_whole(crf: bool, tmp_path: Path) -> None:
    """As some are in the study's 41 labels: dates of many pieces by B alone, names by I alone."""
    labels = ("O", "B-CITY", "I-CITY", "B-DATE", "I-PATIENT")
    notes = toy(24)
    options = quick(epochs=8, crf=crf, head_lr=1e-2)
    train(partial(tiny_start, labels), notes[:20], notes[20:], options, tmp_path / "out")
    checkpoint = load_checkpoint(tmp_path / "out")
    assert spans(predict(checkpoint.tagger, checkpoint.reader, notes)) == spans(notes)


def test_a_learning_curve_and_speeds_are_kept(tmp_path: Path) -> None:
    notes = toy(6)
    train(tiny_start, notes[:5], notes[5:], quick(epochs=2), tmp_path / "out")
    rows = [json.loads(line) for line in (tmp_path / "out/curve.jsonl").read_text().splitlines()]
    assert [row["epoch"] for row in rows] == [1, 2]
    assert rows[1]["loss"] < rows[0]["loss"]
    told = json.loads((tmp_path / "out/training.json").read_text())
    assert told["encoder"] == {"name": "tiny", "random": True}
    assert told["speed"]["tokens_per_second"] > 0
    assert told["speed"]["samples_per_second"] > 0
    assert not (tmp_path / "out/.training").exists()


def test_one_note_is_a_corpus(tmp_path: Path) -> None:
    trained = train(tiny_start, toy(1), [], quick(), tmp_path / "out")
    assert trained.training["validation"] is None
    assert trained.training["epoch"] == 3


def test_long_and_empty_notes_are_read_whole(tmp_path: Path) -> None:
    long = toy(1, sentences=60)[0]
    empty = Document("empty", "")
    blank = Document("blank", " \n\n ")
    options = quick(epochs=16, dropout=0.0, attention_dropout=0.0)
    train(tiny_start, [*toy(12), long, empty, blank], [], options, tmp_path / "out")
    checkpoint = load_checkpoint(tmp_path / "out")
    assert len(checkpoint.reader.read_all([long.text])[0].windows) > 20
    found = predict(checkpoint.tagger, checkpoint.reader, [empty, long, blank])
    assert spans([found[0], found[2]]) == [[], []]
    assert strict_figures([long], [found[1]])["f1"] > 0.9
    assert found[1].spans[-1].end > len(long.text) - 10


def test_nothing_to_learn_from_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TrainError, match="no text"):
        train(tiny_start, [Document("empty", "")], [], quick(), tmp_path / "out")


def test_a_type_only_in_validation_counts_as_missed(tmp_path: Path) -> None:
    notes = toy(3)
    text = "Call 555 now"
    unseen = Document("unseen", text, (Span.of(text, 5, 8, "PHONE"),))
    trained = train(tiny_start, notes, [unseen], quick(), tmp_path / "out")
    assert trained.training["validation"]["recall"] == 0.0
    with pytest.raises(TrainError, match="no PHONE"):
        train(tiny_start, [*notes, unseen], [], quick(), tmp_path / "other")


def test_early_stopping_keeps_the_best_and_the_last(tmp_path: Path) -> None:
    notes = toy(12)
    # A rate so small that nothing is ever found: the first epoch stays the best.
    options = quick(epochs=9, lr=1e-9, patience=2)
    trained = train(tiny_start, notes[:9], notes[9:], options, tmp_path / "out")
    assert trained.training["epochs"] == 3
    assert trained.training["epoch"] == 1
    assert trained.training["stopped_early"]
    assert load_checkpoint(tmp_path / "out/last").training["epoch"] == 3


def test_the_last_epoch_may_be_kept(tmp_path: Path) -> None:
    notes = toy(4)
    options = quick(epochs=2, keep="last", lr=1e-9)
    trained = train(tiny_start, notes[:3], notes[3:], options, tmp_path / "out")
    assert trained.training["epoch"] == 2
    assert not (tmp_path / "out/last").exists()


def test_divergence_ends_the_run_with_a_sentence(tmp_path: Path) -> None:
    wild = quick(lr=1e4, clip=1e9, warmup=0.0, epochs=40)
    with pytest.raises(DivergedError, match=r"(diverged|became).*lower learning rate"):
        train(tiny_start, toy(12), [], wild, tmp_path / "out")


def test_not_a_number_ends_the_run(tmp_path: Path) -> None:
    def spoiled() -> object:
        start = tiny_start()
        with torch.no_grad():
            start.model.heads["tokens"].classifier.weight[0, 0] = torch.nan  # type: ignore[union-attr,operator]
        return start

    with pytest.raises(DivergedError, match="NaN at step 1"):
        train(spoiled, toy(3), [], quick(), tmp_path / "out")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"lr": 0.0}, "lr must be above 0"),
        ({"overlap": 30}, "overlap"),
        ({"crf": True, "label_smoothing": 0.1}, "CRF"),
        ({"batch_size": 4}, "one of them"),
        ({"precision": "fp8"}, "precision must be one of"),
    ],
)
def test_options_that_cannot_be_are_refused(changes: dict[str, object], says: str) -> None:
    with pytest.raises(TrainError, match=says):
        quick(**changes)


def test_a_window_longer_than_the_encoder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TrainError, match="takes 62"):
        train(tiny_start, toy(2), [], quick(window=63), tmp_path / "out")


def test_a_checkpoint_loads_in_transformers(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    train(tiny_start, toy(3), [], quick(shape=True, crf=True, epochs=1), tmp_path / "out")
    folder = tmp_path / "out"
    theirs, told = transformers.AutoModelForTokenClassification.from_pretrained(
        folder, output_loading_info=True
    )
    assert not told["missing_keys"]
    assert not told["unexpected_keys"]
    assert tuple(theirs.config.id2label.values()) == LABELS
    read = transformers.AutoTokenizer.from_pretrained(folder)("Ana Ruiz was seen in Oslo.")
    ours = load_checkpoint(folder).reader.read_all(["Ana Ruiz was seen in Oslo."])[0]
    assert read["input_ids"] == ours.input(0).ids.tolist()


def test_shapes_begin_as_nothing() -> None:
    from incognote.workshop.finetune.tagger import Tagger

    start = tiny_start(config=replace(TINY, dropout=0.0, attention_dropout=0.0))
    plain = Tagger(start.model, shape=False, crf=False)
    shaped = Tagger(start.model, shape=True, crf=False)
    ids = torch.arange(10)
    rows = torch.zeros(10, 6, dtype=torch.long)
    same = shaped(ids, lengths=[10], shapes=rows)
    assert torch.equal(plain(ids, lengths=[10]), same)


def test_strict_figures_of_nothing() -> None:
    empty = [Document("a", "x")]
    assert strict_figures(empty, empty)["f1"] == 1.0
    assert strict_figures(toy(1), [toy(1)[0].with_spans(())])["f1"] == 0.0
