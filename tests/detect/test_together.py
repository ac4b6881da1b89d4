"""Many notes at once: the same findings, each note read by the model once."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from pathlib import Path

import pytest
from toy_corpus import toy
from unsure_model import unsure_model

from incognote.detect.choice import choose
from incognote.detect.detector import Detection, Detector, RuleDetector
from incognote.detect.joined import JoinedDetector
from incognote.detect.together import TogetherDetector, detect_many
from incognote.document import Document, Span

NOTES = [
    *(Document(note.id, note.text) for note in toy(9)),
    Document("empty", ""),
    Document("known", "Zorb came.", known=(("PATIENT", "Zorb"),)),
    Document("again", toy(1)[0].text),
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unsure_model(tmp_path_factory.mktemp("together"))


@pytest.mark.parametrize("name", ["model", "both"])
@pytest.mark.parametrize("threads", [1, 2])
def test_company_changes_nothing(name: str, threads: int, model: Path) -> None:
    detector = choose(name, model).detector(threads=threads, suspects=True)
    alone = [detector.detect(note) for note in NOTES]
    assert list(detect_many(detector, NOTES)) == alone
    assert list(detect_many(detector, NOTES[::-1])) == alone[::-1]
    assert list(detect_many(detector, [])) == []
    assert any(found.spans for found in alone)


def test_a_detector_that_gains_nothing_is_asked_one_by_one() -> None:
    rules = RuleDetector()
    assert list(detect_many(rules, NOTES)) == list(map(rules.detect, NOTES))


class Counting:
    """A model that finds the first letter, cannot read some notes, and counts what it reads."""

    def __init__(self, unreadable: str = "") -> None:
        self.read = 0
        self.unreadable = unreadable

    def detect(self, document: Document) -> Detection:
        self.read += 1
        if self.unreadable and self.unreadable in document.text:
            raise ValueError("no")
        spans = (Span.of(document.text, 0, 1, "PATIENT"),) if document.text else ()
        return Detection(spans, len(document.text))

    def detect_many(self, documents: Iterable[Document]) -> Generator[Detection]:
        yield from map(self.detect, documents)


def joined(model: Detector) -> Detector:
    return JoinedDetector(RuleDetector(), model)


@pytest.mark.parametrize("overlapped", [False, True])
def test_the_model_reads_each_note_once(overlapped: bool) -> None:
    model = Counting()
    detector = TogetherDetector(model, joined, overlapped=overlapped)
    found = list(detector.detect_many(NOTES))
    assert model.read == len(NOTES)
    assert found == [joined(Counting()).detect(note) for note in NOTES]


@pytest.mark.parametrize("overlapped", [False, True])
def test_only_the_note_at_fault_fails(overlapped: bool) -> None:
    detector = TogetherDetector(Counting("Zorb"), joined, overlapped=overlapped)
    found = detector.detect_many(NOTES)
    for _ in NOTES[:10]:
        next(found)
    with pytest.raises(ValueError, match="no"):
        next(found)


def test_whoever_stops_early_leaves_nothing_running() -> None:
    model = Counting()
    detector = TogetherDetector(model, joined, overlapped=True)
    many: Sequence[Document] = [Document("", f"note {number}") for number in range(1000)]
    found = detector.detect_many(many)
    next(found)
    found.close()
    assert model.read < len(many)
