"""What people decided of a note holds in every later run; other notes are as without it."""

from __future__ import annotations

import pickle

from hypothesis import given
from hypothesis import strategies as st

from incognote.detect.detector import Detection, detect_many
from incognote.document import Document, Span
from incognote.runs.decisions import DecidedDetector, Decisions, NoteDecision, fingerprint

TEXT = "Anna Lee saw Dr. Okafor in Springfield on 3/14/2019, code 4411."
KEY = b"k" * 32
SIZE = len(TEXT)

places = st.tuples(st.integers(0, SIZE - 1), st.integers(1, 20)).map(
    lambda each: (each[0], min(SIZE, each[0] + each[1]))
)
spans = st.lists(places, max_size=5).map(
    lambda found: tuple(Span.of(TEXT, *place, "CITY") for place in disjoint(found))
)


def disjoint(found: list[tuple[int, int]]) -> list[tuple[int, int]]:
    chosen: list[tuple[int, int]] = []
    for place in sorted(set(found)):
        if not chosen or chosen[-1][1] <= place[0]:
            chosen.append(place)
    return chosen


def covered(found: tuple[Span, ...]) -> set[int]:
    return {n for span in found for n in range(span.start, span.end)}


@given(spans, st.lists(places, max_size=4), st.lists(places, max_size=3))
def test_what_people_marked_is_replaced_and_what_they_rejected_stays(
    detected: tuple[Span, ...], marked: list[tuple[int, int]], rejected: list[tuple[int, int]]
) -> None:
    marks = disjoint(marked)
    decision = NoteDecision(tuple((*place, "DATE") for place in marks), tuple(rejected))
    found = decision.applied(Document("", TEXT), Detection(detected, SIZE)).spans
    hidden = covered(found)
    assert all(n in hidden for start, end in marks for n in range(start, end))
    inside = [s for s in detected if any(a <= s.start and s.end <= b for a, b in rejected)]
    kept = [s for s in detected if s not in inside]
    expected = {n for start, end in marks for n in range(start, end)} | covered(tuple(kept))
    solid = {n for n in hidden | expected if not TEXT[n].isspace()}
    assert {n for n in hidden if n in solid} == {n for n in expected if n in solid}


class Always:
    """Finds Springfield wherever it is."""

    def detect(self, document: Document) -> Detection:
        at = document.text.find("Springfield")
        found = () if at < 0 else (Span.of(document.text, at, at + 11, "CITY"),)
        return Detection(found, len(document.text))


def test_only_the_note_that_was_read_is_decided() -> None:
    at = TEXT.index("Springfield")
    decisions = Decisions(
        KEY, {fingerprint(TEXT, KEY): NoteDecision(((0, 8, "PATIENT"),), ((at, at + 11),))}
    )
    detector = pickle.loads(pickle.dumps(DecidedDetector(Always(), decisions)))
    notes = [Document("a", TEXT), Document("b", TEXT + " "), Document("c", TEXT)]
    found = [[span.text for span in each.spans] for each in detect_many(detector, notes)]
    assert found == [["Anna Lee"], ["Springfield"], ["Anna Lee"]]
    assert found == [[span.text for span in detector.detect(each).spans] for each in notes]


def test_decisions_hold_no_words() -> None:
    decisions = Decisions(KEY, {fingerprint(TEXT, KEY): NoteDecision(((0, 8, "PATIENT"),))})
    assert "Anna" not in repr(decisions)
    assert fingerprint(TEXT, KEY) != fingerprint(TEXT, b"j" * 32)
    other = Decisions(KEY, {fingerprint(TEXT, KEY): NoteDecision(((0, 8, "DOCTOR"),))})
    assert decisions.digest != other.digest
