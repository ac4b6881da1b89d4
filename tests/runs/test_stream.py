"""The stream: order kept, errors contained, offsets in other units."""

from __future__ import annotations

import os
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.document import Document
from incognote.formats.container import Record
from incognote.runs.find import offset_table
from incognote.runs.pool import NoteError, Work
from incognote.runs.stream import Event, work_through


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
        results = list(work_through(stream, make_work, workers))
        assert [event for event, _ in results] == records(1500)
        for turn, (_, (outcome,)) in enumerate(results):
            if turn % 50 == 7:
                assert outcome == NoteError("could not be processed (ValueError)")
            else:
                assert outcome == f"NOTE {turn}"


def limits(documents: Sequence[Document]) -> list[str]:
    return [os.environ.get(document.text, "") for document in documents]


def make_limits() -> Work[str]:
    """What a worker builds."""
    return limits


def test_libraries_in_workers_keep_to_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless the user has said otherwise; the process that starts them keeps its own."""
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    asked = [Record((Document("", name),)) for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")]
    told = work_through((event for event in asked), make_limits, workers=2)
    assert [outcomes for _, outcomes in told] == [["1"], ["3"]]
    assert "OPENBLAS_NUM_THREADS" not in os.environ


@given(st.text(alphabet=st.characters(codec="utf-8")), st.data())
def test_offsets_in_bytes_and_utf16_units(text: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(text)))
    assert offset_table(text, "utf8")(place) == len(text[:place].encode())
    assert offset_table(text, "utf16")(place) == len(text[:place].encode("utf-16-le")) // 2
    assert offset_table(text, "codepoints")(place) == place
