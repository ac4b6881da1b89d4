"""Notes, spans and tokens for property tests, and what every alignment must keep."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from incognote import phi
from incognote.align.tags import Labels, TaggedSpan, Tagging
from incognote.align.tokens import TokenOffsets, spaces, within
from incognote.document import Span

FULL = Labels(phi.LABEL_SETS["full"])

AWKWARD = (
    "abJn019 \t\r\n--/_.'"
    "\u00a0\u0085\u2028\u0301\u0308\u200b\u200d\u200e\u00ad\ufeff\ufe0f\x00\x1f\ufffd"
    "éñİßﬁ½²李हिन्दीเ𝔘😀👩"
)

texts = st.text(st.sampled_from(AWKWARD), max_size=40) | st.text(max_size=30)


@st.composite
def spans_in(draw: st.DrawFn, text: str) -> list[Span]:
    """Any spans of a note: nested, overlapping, adjacent, empty, cutting words."""
    places = st.integers(0, len(text))
    found = []
    for _ in range(draw(st.integers(0, 6))):
        start, end = sorted((draw(places), draw(places)))
        found.append(Span.of(text, start, end, draw(st.sampled_from(["DATE", "PATIENT", "ZIP"]))))
    return found


@st.composite
def any_tokens(draw: st.DrawFn) -> TokenOffsets:
    """Tokens with gaps, shared characters and empty ones."""
    starts = np.array(sorted(draw(st.lists(st.integers(0, 30), max_size=20))), np.int64)
    sizes = [draw(st.integers(0, 4)) for _ in starts]
    ends = np.maximum.accumulate(starts + np.array(sizes, np.int64)) if sizes else starts
    return TokenOffsets(starts, np.where(np.array(sizes, bool), ends, starts) if sizes else ends)


def names(tagging: Tagging, labels: Labels = FULL) -> list[str]:
    """The tags in words."""
    return [labels.names[tag] for tag in tagging.tags]


def marks(spans: list[TaggedSpan]) -> list[tuple[int, int, str]]:
    """Start, end and type."""
    return [(span.start, span.end, span.type) for span in spans]


def check_disjoint(spans: list[TaggedSpan]) -> None:
    """In order, none empty, none overlapping."""
    assert all(span.start < span.end for span in spans)
    assert all(a.end <= b.start for a, b in pairwise(spans))


def check_smallest_cover(given: list[Span], tagging: Tagging, offsets: TokenOffsets) -> None:
    """Exactly the tokens that share a character with a span are tagged; counts add up."""
    for start, end, tag in zip(offsets.starts, offsets.ends, tagging.tags, strict=True):
        if start < end:
            touched = any(max(start, s.start) < min(end, s.end) for s in given)
            assert touched == (tag != FULL.outside)
    begun = int(FULL.begins[tagging.tags].sum())
    assert begun + tagging.empty + tagging.untouched + tagging.absorbed == len(given)


def check_nothing_lost(
    text: str, given: list[Span], found: list[TaggedSpan], offsets: TokenOffsets
) -> None:
    """Every non-space character of a span that lies in a token is in a span that came back."""
    found_flags = np.zeros(len(text), bool)
    for span in found:
        found_flags[span.start : span.end] = True
    must = np.zeros(len(text), bool)
    for mark in given:
        must[mark.start : mark.end] = True
    must &= within(offsets, len(text)) & ~spaces(text)
    assert not (must & ~found_flags).any()
