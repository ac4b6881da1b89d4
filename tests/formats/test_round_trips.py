"""Any text that a format can hold, any spans: it reads back, and only what is replaced changes."""

from __future__ import annotations

import pytest
from formats.note_strategies import (
    documents,
    folder,
    good,
    pass_through,
    replace_spans,
    replacements,
    target,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from incognote.document import Document
from incognote.formats import FORMATS, FormatError, read, write

ALL = sorted(FORMATS)
BYTES = [name for name in ALL if name != "parquet"]
quick = settings(max_examples=70, deadline=None, suppress_health_check=list(HealthCheck))
slow = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


def same_note(name: str, read_back: Document, written: Document) -> None:
    """Equal in text and, where the format holds spans, in place, type and attributes of each."""
    assert read_back.text == written.text
    if not FORMATS[name].holds_spans:
        assert read_back.spans == ()
        return
    assert [(s.start, s.end, s.type, s.text) for s in read_back.spans] == [
        (s.start, s.end, s.type, s.text) for s in written.spans
    ]
    for back, span in zip(read_back.spans, written.spans, strict=True):
        assert span.attributes.items() <= back.attributes.items()


def check_round_trip(name: str, document: Document) -> None:
    with folder() as parent:
        path = target(FORMATS[name], parent)
        problem = FORMATS[name].problem(document)
        if problem is None:
            write([document], path, name)
            (back,) = read(path, name)
            assert back.id == document.id
            same_note(name, back, document)
        else:
            assert problem.startswith(("U+", "span ", "in the id U+", "its id "))
            with pytest.raises(FormatError) as refused:
                write([document], path, name)
            assert problem in str(refused.value)
            assert not path.exists()


def check_replacement(name: str, document: Document, values: list[str]) -> None:
    format = FORMATS[name]
    new = replace_spans(document, values[: len(document.spans)])
    with folder() as parent:
        path, out = target(format, parent, "n1"), target(format, parent, "out")
        if format.problem(document):
            return
        write([document], path, name)
        shown = Document("n1", new.text, tuple(span for span in new.spans if span.text))
        try:
            pass_through(format, path, out, {"n1": new})
        except FormatError:
            assert format.problem(shown)
            return
        (back,) = read(out, name)
        same_note(name, back, shown)


@pytest.mark.parametrize("name", BYTES)
@given(document=documents())
@quick
def test_reads_back_what_it_can_hold_and_refuses_the_rest(name: str, document: Document) -> None:
    check_round_trip(name, document)


@given(document=documents())
@slow
def test_parquet_reads_back(document: Document) -> None:
    check_round_trip("parquet", document)


@pytest.mark.parametrize("name", BYTES)
@given(document=documents(disjoint=True), values=st.lists(replacements, min_size=6, max_size=6))
@quick
def test_replacing_changes_nothing_else(name: str, document: Document, values: list[str]) -> None:
    check_replacement(name, document, values)


@given(document=documents(disjoint=True), values=st.lists(replacements, min_size=6, max_size=6))
@slow
def test_parquet_replacing_changes_nothing_else(document: Document, values: list[str]) -> None:
    check_replacement("parquet", document, values)


@pytest.mark.parametrize("name", BYTES)
@given(document=documents())
@quick
def test_an_unchanged_note_is_the_same_bytes(name: str, document: Document) -> None:
    format = FORMATS[name]
    with folder() as parent:
        path, out = target(format, parent, "n1"), target(format, parent, "out")
        if format.problem(document):
            return
        write([document], path, name)
        pass_through(format, path, out)
        assert out.read_bytes() == path.read_bytes()
        for mine, other in zip(format.companions(path), format.companions(out), strict=True):
            assert other.read_bytes() == mine.read_bytes()


@pytest.mark.parametrize("name", ["text", "brat", "inline"])
@given(data=st.binary(max_size=40) | st.text(max_size=30).map(str.encode))
@quick
def test_any_bytes_come_out_the_same_or_are_refused(name: str, data: bytes) -> None:
    format = FORMATS[name]
    with folder() as parent:
        path, out = target(format, parent, "n1"), target(format, parent, "out")
        path.write_bytes(data)
        for companion in format.companions(path):
            companion.write_bytes(b"")
        try:
            good(format, path)
        except FormatError:
            return
        pass_through(format, path, out)
        assert out.read_bytes() == data
