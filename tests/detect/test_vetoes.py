"""Vetoes drop what only looks like an identifier, never what others are sure of, at any threshold."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_cases import Case, load
from tiny_checkpoints import unsure_model
from toy_corpus import toy

from incognote.align.words import words
from incognote.detect.detector import Detection, Detector
from incognote.detect.finder import Finder
from incognote.detect.model import ModelDetector
from incognote.detect.note_index import NoteIndex
from incognote.detect.thresholds import Thresholds
from incognote.detect.uncertain import FLOOR, UncertainWord
from incognote.detect.vetoes import without_false_alarms
from incognote.document import Document, Span
from incognote.formats import read
from incognote.onnx.model_folder import DECISIONS, Hybrid

CORPUS = Path(__file__).parent.parent.parent / "corpus"
CASES = load("vetoes")
LEVELS = (math.inf, 0.9, 0.5, 0.2, 0.05, FLOOR)
PARTS = (
    *("Dr. ", "Ana ", "Ruiz ", "Foley ", "catheter ", "Foley's ", "Parkinson disease ", "OKAFOR "),
    *("5 mg ", "3/4/2011 ", "120/80 mmHg ", "in Oslo. ", "MRN 3077418 ", "\n", "é\u0301 ", "zig "),
)


def suspects(text: str, score: float = 0.5) -> tuple[UncertainWord, ...]:
    return tuple(
        UncertainWord(start, end, score, (("PATIENT", score),)) for start, end in words(text)
    )


@pytest.mark.parametrize("case", CASES, ids=[case.why for case in CASES])
def test_case(case: Case) -> None:
    spans = tuple(
        Span.of(case.text, start, end, verdict.partition("-")[2] or "PATIENT")
        for start, end, verdict in case.marks
    )
    doubts = tuple(
        UncertainWord(start, end, 0.5, ((span.type, 0.5),))
        for span in spans
        for start, end in words(case.text)
        if span.start <= start and end <= span.end
    )
    found = Detection(spans, len(case.text), doubts)
    left = without_false_alarms(NoteIndex(case.text), found, ())
    wanted = [mark[:2] for mark in case.marks if mark[2].startswith("KEEP")]
    assert [(span.start, span.end) for span in left.spans] == wanted, case.why
    dropped = [mark for mark in case.marks if mark[2].startswith("DROP")]
    for start, end, _ in dropped:
        inside = [word for word in left.uncertain if start <= word.start and word.end <= end]
        assert not [word for word in inside if case.text[word.start].isalnum()], case.why


def test_what_rules_or_tables_say_is_out_of_reach() -> None:
    text = "Foley catheter; 50 mg"
    spans = (Span.of(text, 0, 5, "PATIENT"), Span.of(text, 16, 21, "AGE"))
    found = Detection(spans, len(text), suspects(text))
    assert without_false_alarms(NoteIndex(text), found, ()).spans == ()
    for sure in spans:
        left = without_false_alarms(NoteIndex(text), found, [sure])
        assert left.spans == (sure,)
        assert sure.start in {word.start for word in left.uncertain}


def test_vetoes_drop_no_identifier_of_the_corpus() -> None:
    rules, reached, total = Finder(), 0, 0
    for note in (note for part in "ABCD" for note in read(CORPUS / part, "inline")):
        found = Detection(note.spans, len(note.text))
        sure = rules.detect(Document("", note.text)).spans
        left = without_false_alarms(NoteIndex(note.text), found, sure)
        reached += len(found.spans) - len(left.spans)
        total += len(found.spans)
    assert total > 7000
    assert reached <= 1


class Scripted:
    """A model that says what it was told."""

    def __init__(self, found: Detection) -> None:
        self.found = found

    def detect(self, document: Document) -> Detection:
        return self.found


def at(thresholds: Thresholds, detector: Detector) -> Detector:
    return Finder(detector, families=None, thresholds=thresholds)


def redacted(detector: Detector, document: Document, level: float) -> set[int]:
    spans = at(Thresholds(level), detector).detect(document).spans
    assert all(one.end <= other.start for one, other in pairwise(spans))
    return {at for span in spans for at in range(span.start, span.end)}


@st.composite
def guesses(draw: st.DrawFn) -> tuple[str, Detection]:
    text = "".join(draw(st.lists(st.sampled_from(PARTS), max_size=12)))
    places = words(text)
    scores = draw(st.lists(st.floats(FLOOR, 1.0), min_size=len(places), max_size=len(places)))
    types = st.sampled_from(("PATIENT", "DOCTOR", "DATE", "HOSPITAL"))
    unsure = []
    marked: list[Span] = []
    for (start, end), score in zip(places, scores, strict=True):
        type, joins = draw(types), draw(st.booleans())
        unsure.append(UncertainWord(start, end, score, ((type, score),)))
        if score > 0.6:
            if marked and joins:
                start = marked.pop().start
            marked.append(Span.of(text, start, end, type, score=score, source="model"))
    return text, Detection(tuple(marked), len(text), tuple(unsure))


@settings(max_examples=60)
@given(guesses(), st.lists(st.sampled_from(DECISIONS), min_size=4, max_size=4))
def test_a_lower_threshold_redacts_more_through_rules_decisions_vetoes_and_propagation(
    guess: tuple[str, Detection], decisions: list[str]
) -> None:
    text, found = guess
    types = ("PATIENT", "DOCTOR", "DATE", "HOSPITAL")
    hybrid = Hybrid(decisions=dict(zip(types, decisions, strict=True)), names={"DOCTOR": "model"})
    detector = Finder(Scripted(found), hybrid=hybrid)
    document = Document("", text)
    levels = [redacted(detector, document, level) for level in LEVELS]
    assert all(higher <= lower for higher, lower in pairwise(levels))
    at_default = detector.detect(document).spans
    assert levels[0] == {at for span in at_default for at in range(span.start, span.end)}
    for words_from in (0.4, 0.01):
        default = Finder(Scripted(found), hybrid=hybrid, words=words_from)
        again = [redacted(default, document, level) for level in LEVELS]
        assert all(higher <= lower for higher, lower in pairwise(again))
        assert again[0] == redacted(detector, document, words_from)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unsure_model(tmp_path_factory.mktemp("vetoes"))


def test_a_lower_threshold_redacts_more_with_a_real_model(model: Path) -> None:
    hybrid = Hybrid(decisions={"PATIENT": "both agree", "CITY": "model"}, names={"DATE": "rules"})
    detector = Finder(ModelDetector(model, uncertain=FLOOR), hybrid=hybrid)
    for note in toy(4):
        text = (
            f"{note.text} Foley catheter by Dr. Okafor, 50 mg daily. Okafor and Parkinson disease."
        )
        document = Document("", text)
        levels = [redacted(detector, document, level) for level in LEVELS]
        assert all(higher <= lower for higher, lower in pairwise(levels))
        assert len(levels[-1]) > len(levels[0])
        assert not levels[-1] & set(range(text.index("Foley"), text.index(" by Dr.")))
