"""The stream: order kept, errors contained, offsets in other units."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from incognote.document import Document
from incognote.formats.container import Record
from incognote.workflows.run.find import offset_table
from incognote.workflows.run.stream import Event, NoteError, Work, through


def fails_on_secrets(documents: Sequence[Document]) -> list[str]:
    for document in documents:
        if "secret" in document.text:
            raise ValueError(f"cannot read {document.text}")
    return [document.text.upper() for document in documents]


def make_work() -> Work[str]:
    """What a worker builds."""
    return fails_on_secrets


def records(count: int) -> list[Event]:
    texts = ["a secret" if turn % 50 == 7 else f"note {turn}" for turn in range(count)]
    return [Record((Document(str(turn), text),)) for turn, text in enumerate(texts)]


def test_order_is_kept_and_an_error_tells_nothing() -> None:
    for workers in (1, 2):
        stream = (event for event in records(1500))
        results = list(through(stream, make_work, workers))
        assert [event for event, _ in results] == records(1500)
        for turn, (_, (outcome,)) in enumerate(results):
            if turn % 50 == 7:
                assert outcome == NoteError("could not be processed (ValueError)")
            else:
                assert outcome == f"NOTE {turn}"


@given(st.text(alphabet=st.characters(codec="utf-8")), st.data())
def test_offsets_in_bytes_and_utf16_units(text: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(text)))
    assert offset_table(text, "utf8")(place) == len(text[:place].encode())
    assert offset_table(text, "utf16")(place) == len(text[:place].encode("utf-16-le")) // 2
    assert offset_table(text, "codepoints")(place) == place
