"""Model spans end where the identifier does, not where the form's line does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.detect.trim import trimmed
from incognote.document import Span


@pytest.mark.parametrize(
    ("found", "kept"),
    [
        ("64-0797938\n------", "64-0797938"),
        ("☎ 910-944-6100", "910-944-6100"),
        ("___Okafor, N.", "Okafor, N."),
        ("(208) 600-3391", "(208) 600-3391"),
        ("------", None),
        ("...", None),
    ],
)
def test_edges(found: str, kept: str | None) -> None:
    text = f"x {found} y"
    spans = list(trimmed([Span.of(text, 2, 2 + len(found), "PHONE", score=0.5, source="model")]))
    assert [text[span.start : span.end] for span in spans] == ([kept] if kept else [])
    assert all((span.score, span.source) == (0.5, "model") for span in spans)


@given(st.text(st.sampled_from("a1é-_ \n.("), min_size=1))
def test_no_letter_or_digit_is_lost(text: str) -> None:
    spans = list(trimmed([Span.of(text, 0, len(text), "PHONE")]))
    kept = {at for span in spans for at in range(span.start, span.end)}
    assert kept >= {at for at, character in enumerate(text) if character.isalnum()}
