"""A note with bad spans: read as its first error, with all of them at hand."""

from __future__ import annotations

import pickle

import pytest

from incognote.document import Document, Span
from incognote.formats import BadSpansError, FormatError
from incognote.formats.format_error import with_spans

NOTE = Document("n", "May 2")
SPAN = Span.of(NOTE.text, 0, 5, "DATE")
SPANS_OR_ERRORS: list[Span | FormatError] = [
    FormatError("first", "line 1"),
    SPAN,
    FormatError("second", "line 3"),
]


def raised() -> BadSpansError:
    with pytest.raises(BadSpansError) as caught:
        with_spans(NOTE, SPANS_OR_ERRORS)
    return caught.value


def test_sound_spans_make_a_document() -> None:
    assert with_spans(NOTE, [SPAN]).spans == (SPAN,)


def test_it_reads_as_the_first_and_has_them_all() -> None:
    error = raised()
    assert str(error) == "line 1: first"
    assert [str(each) for each in error.errors] == ["line 1: first", "line 3: second"]
    assert error.document.spans == (SPAN,)


def test_a_place_further_out_goes_before_each() -> None:
    error = raised().within("n.xml")
    assert [str(each) for each in (error, *error.errors)] == [
        "n.xml, line 1: first",
        "n.xml, line 1: first",
        "n.xml, line 3: second",
    ]
    assert str(FormatError("why").within("row 2")) == "row 2: why"


def test_it_crosses_processes_as_a_plain_error() -> None:
    assert str(pickle.loads(pickle.dumps(raised()))) == "line 1: first"
