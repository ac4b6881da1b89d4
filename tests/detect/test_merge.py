"""Merging: disjoint, nothing lost, and the same whatever the order."""

from __future__ import annotations

import itertools
import random

from hypothesis import given
from hypothesis import strategies as st

from incognote.detect.merge import merge
from incognote.document import Span

TEXTS = st.text(alphabet="ab1 ,-é\n", min_size=1, max_size=60)


@st.composite
def findings(draw: st.DrawFn) -> tuple[str, list[Span]]:
    text = draw(TEXTS)
    place = st.integers(0, len(text))
    spans = []
    for _ in range(draw(st.integers(0, 12))):
        start, end = sorted((draw(place), draw(place)))
        type = draw(st.sampled_from(["DATE", "PHONE", "PATIENT"]))
        score = draw(st.sampled_from([0.5, 0.9]))
        spans.append(
            Span.of(text, start, end, type, score=score, source=draw(st.sampled_from("xy")))
        )
    return text, spans


def covered(spans: list[Span]) -> set[int]:
    return {place for span in spans for place in range(span.start, span.end)}


@given(findings())
def test_merged_spans_are_disjoint_and_cover_exactly_the_same(
    found: tuple[str, list[Span]],
) -> None:
    text, spans = found
    merged = merge(text, spans)
    assert all(a.end <= b.start for a, b in itertools.pairwise(merged))
    assert covered(merged) == covered(spans)
    assert all(span.text == text[span.start : span.end] for span in merged)


@given(findings(), st.randoms())
def test_order_changes_nothing(found: tuple[str, list[Span]], chance: random.Random) -> None:
    text, spans = found
    shuffled = chance.sample(spans, len(spans))
    assert merge(text, shuffled) == merge(text, spans)


def test_the_longer_wins_and_the_rest_stays_covered() -> None:
    text = "call 419-471-8026 x12 now"
    phone = Span.of(text, 5, 17, "PHONE", score=0.9)
    extension = Span.of(text, 14, 21, "IDNUM", score=0.9)
    merged = merge(text, [extension, phone])
    assert [(span.type, span.text) for span in merged] == [
        ("PHONE", "419-471-8026"),
        ("IDNUM", " x12"),
    ]


def test_a_remainder_without_letters_joins_its_neighbour() -> None:
    text = "Toledo, OH"
    merged = merge(text, [Span.of(text, 0, 6, "CITY"), Span.of(text, 3, 8, "STREET")])
    assert [(span.type, span.text) for span in merged] == [("CITY", "Toledo, ")]


def test_equal_extents_go_to_the_surer() -> None:
    text = "936-71-4408"
    merged = merge(
        text, [Span.of(text, 0, 11, "PHONE", score=0.6), Span.of(text, 0, 11, "SSN", score=0.9)]
    )
    assert [span.type for span in merged] == ["SSN"]


def test_many_overlapping_findings_take_no_longer_than_they_should() -> None:
    text = "a1" * 20_000
    spans = [Span.of(text, i, min(i + 3, len(text)), "IDNUM") for i in range(0, len(text), 2)]
    spans.append(Span.of(text, 0, len(text), "DATE"))
    assert [(span.start, span.end) for span in merge(text, spans)] == [(0, len(text))]
