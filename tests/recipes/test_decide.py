"""Deciding between rules and model from what they found in notes that the model never saw."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import decide
import put_into
import pytest
import scales
import words
from tiny_checkpoints import unsure_model
from toy_corpus import toy
from unseen import UnseenNote, kept_findings

from incognote.detect.detector import Detection
from incognote.detect.finder import choose
from incognote.detect.uncertain import UncertainWord
from incognote.document import Document, Span
from incognote.onnx.model_folder import Hybrid, read_model

TEXT = "Zork met Blip at Gloop with Trelk, zig zag."


def mark(part: str, type: str) -> Span:
    start = TEXT.index(part)
    return Span.of(TEXT, start, start + len(part), type)


def note(gold: list[Span], rules: list[Span], model: list[Span]) -> UnseenNote:
    return UnseenNote(
        Document("", TEXT, tuple(gold)), tuple(rules), Detection(tuple(model), len(TEXT))
    )


ZORK, BLIP, ZIG = mark("Zork", "PATIENT"), mark("Blip", "PATIENT"), mark("zig", "PATIENT")
GLOOP = mark("Gloop", "CITY")


@pytest.mark.parametrize(
    ("rules", "model", "decision"),
    [
        ([ZORK], [BLIP], "union"),
        ([ZORK, BLIP, ZIG], [ZORK, BLIP], "model"),
        ([ZORK, BLIP], [ZORK, BLIP, ZIG], "rules"),
        ([ZORK, BLIP, ZIG], [ZORK, BLIP, mark("zag", "PATIENT")], "both agree"),
        ([ZORK, BLIP], [ZORK, BLIP], "union"),
        ([ZORK, ZIG], [BLIP], "union"),
    ],
)
def test_recall_first_then_what_else_is_hidden(
    rules: list[Span], model: list[Span], decision: str
) -> None:
    notes = [note([ZORK, BLIP, GLOOP], [*rules, GLOOP], model)]
    assert decide.decide(notes).decisions == {"PATIENT": decision, "CITY": "union"}


def test_a_loss_within_the_tolerance_buys_less_over_redaction() -> None:
    tried = {"union": (1000, 900), "rules": (998, 10), "model": (997, 0), "both agree": (0, 0)}
    assert decide.best(tried, 1000) == "rules"
    assert decide.best(tried, 400) == "union"


def test_spans_of_a_wrong_type_that_cover_others_count() -> None:
    """The model calls a town a patient: without its patients the town would show."""
    wrong = mark("Gloop", "PATIENT")
    notes = [note([ZORK, GLOOP], [ZORK], [wrong, ZIG])]
    assert decide.decide(notes).decisions["PATIENT"] == "union"


def test_weak_spans_are_left_out_where_nothing_is_lost() -> None:
    sure, unsure = (replace(span, score=score) for span, score in ((BLIP, 0.75), (ZIG, 0.45)))
    notes = [note([ZORK, BLIP], [ZORK], [sure, unsure])]
    assert decide.thresholds(notes, Hybrid()) == {"PATIENT": 0.5}
    assert decide.thresholds(notes, Hybrid(decisions={"PATIENT": "rules"})) == {}
    assert len(notes[0].above({"PATIENT": 0.5}).model.spans) == 1


def test_who_is_right_more_often_names() -> None:
    as_doctor = mark("Zork", "DOCTOR")
    right = note([as_doctor], [ZORK], [as_doctor])
    wrong = note([ZORK], [ZORK], [as_doctor])
    assert decide.named([right, right, wrong]) == {"PATIENT": "model"}
    assert decide.named([right, wrong]) == {"PATIENT": "rules"}
    assert decide.named([note([ZORK], [ZORK], [ZORK])]) == {}


def test_the_lowest_level_within_the_limit() -> None:
    doubts = tuple(
        UncertainWord(span.start, span.end, score, (("PATIENT", score),))
        for span, score in ((ZORK, 0.75), (mark("Trelk", "PATIENT"), 0.45), (ZIG, 0.25))
    )
    document = Document("", TEXT, (ZORK, mark("Trelk", "PATIENT")))
    notes = [UnseenNote(document, (), Detection((), len(TEXT), doubts))]
    assert notes[0].outcome(Hybrid(words=0.4)).covered == notes[0].identifiers
    assert scales.level_of(notes, Hybrid(), limit=0.0) == 0.3
    assert scales.level_of(notes, Hybrid(), limit=1.0) == scales.LEVELS[-1]


def test_from_kept_findings_to_a_model_that_knows(tmp_path: Path) -> None:
    model = unsure_model(tmp_path / "made")
    (tmp_path / "fold-A-model").symlink_to(model)
    found, corpus = tmp_path / "fold-A-found", tmp_path / "corpus"
    found.mkdir()
    corpus.mkdir()
    notes = toy(4)
    (corpus / "A").mkdir()
    for place, each in enumerate(notes):
        marked = each.text
        for span in reversed(each.spans):
            marked = f"{marked[: span.start]}[[{span.type}|{span.text}]]{marked[span.end :]}"
        (corpus / "A" / f"note-{place}.txt").write_text(marked)
    for name in ("rules", "model"):
        detector = choose(name, model if name == "model" else None).detector()
        with (found / f"{name}.jsonl").open("w") as stream:
            for place, each in enumerate(notes):
                spans = [
                    {"start": s.start, "end": s.end, "type": s.type, "score": s.score}
                    for s in detector.detect(Document("", each.text)).spans
                ]
                stream.write(json.dumps({"id": f"note-{place}", "spans": spans}) + "\n")
    read = list(kept_findings(tmp_path, corpus, ["A"]))
    assert [each.gold.text for each in read] == [each.text for each in notes]
    assert any(each.model.spans for each in read)

    where = ["--work", str(tmp_path), "--corpus", str(corpus), "--sets", "A"]
    assert decide.main(where) == 0
    assert scales.main([*where, "--over-redaction", "0.5"]) == 0
    assert put_into.main([str(model), "--work", str(tmp_path)]) == 0
    shipped = read_model(model)
    assert shipped.hybrid is not None
    assert shipped.hybrid.decisions
    assert shipped.hybrid.words is not None
    assert shipped.variants["careful"].scales
    assert choose("both", model).detector().detect(Document("", notes[0].text)).spans
    told = json.loads((model / "incognote.json").read_text())
    told["variants"]["fast"] = told["variants"]["careful"]
    (model / "incognote.json").write_text(json.dumps(told))
    assert words.main([str(model), *where]) == 0
    assert put_into.main([str(model), "--work", str(tmp_path)]) == 0
    variants = read_model(model).variants
    assert all(variants[speed].words in words.LEVELS for speed in ("careful", "fast"))
    other, nothing = unsure_model(tmp_path / "other"), tmp_path / "nothing"
    nothing.mkdir()
    taken = [str(other), "--work", str(nothing), "--decisions", str(model)]
    assert put_into.main(taken) == 0
    assert read_model(other).hybrid == read_model(model).hybrid
    assert read_model(other).variant().scales == variants["careful"].scales
    assert put_into.main([str(tmp_path), "--work", str(tmp_path)]) == 2


@pytest.mark.parametrize(
    ("recall", "limit", "level"),
    [
        (0.95, 0.02, 0.3),  # the highest that covers as much
        (0.99, 0.02, 0.2),  # none does: the lowest within the limit
        (0.90, 0.001, 0.4),  # nothing is within: the highest
    ],
)
def test_a_level_of_words(recall: float, limit: float, level: float) -> None:
    table = {0.4: (0.94, 0.01), 0.3: (0.96, 0.015), 0.2: (0.98, 0.02), 0.1: (0.99, 0.03)}
    assert words.chosen(table, recall, limit) == level
