"""Notes as dictated and restored keep their spans."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from incognote.document import Document, Span
from recipes.restore.dictate import versions


def note(text: str, *marked: str) -> Document:
    spans = [Span.of(text, text.index(each), text.index(each) + len(each), "X") for each in marked]
    return Document("1", text, tuple(spans))


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def loud(text: str) -> str:
    """A way of restoring: capitals, and a mark after each word that has none."""
    return " ".join(
        word.capitalize() + ("" if word.endswith((".", ",")) else ".") for word in text.split(" ")
    )


def test_spans_move_with_their_words() -> None:
    found = versions([note("Seen by Dr. Ann B. Lee, M.D. on 3/4/20.", "Ann B. Lee", "3/4/20")], {})
    (spoken,) = found["dictated"]
    assert spoken.text == "seen by dr ann b lee m.d on 3/4/20"
    assert [span.text for span in spoken.spans] == ["ann b lee", "3/4/20"]


def test_marks_within_a_span_are_the_span_s() -> None:
    found = versions([note("Seen by Ann Lee today.", "Ann Lee")], {"loud": loud})
    (restored,) = found["loud"]
    assert restored.text == "Seen. By. Ann. Lee. Today."
    assert [span.text for span in restored.spans] == ["Ann. Lee"]


def test_a_span_of_marks_only_is_lost_with_them() -> None:
    found = versions([note("It is so!?", "!?")], {})
    assert found["dictated"] == [Document("1", "it is so")]


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet='aB1İßΣ .,?\n"(-', max_size=40), st.data())
def test_every_text_keeps_what_is_marked(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    spans = (Span.of(text, start, end, "X"),) if start < end else ()
    found = versions([Document("1", text, spans)], {"same": str})
    (spoken,) = found["dictated"]
    kept = "".join(letters(span.text) for span in spoken.spans)
    assert kept == letters(text[start:end])
    assert found["same"] == found["dictated"]
