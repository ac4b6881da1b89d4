"""Inline marks: what reads as a mark, and what cannot be written as one."""

from __future__ import annotations

from pathlib import Path

import pytest

from incognote.document import Document, Span
from incognote.formats import FORMATS, FormatError, read
from incognote.formats.inline import mark, parse, problem, read_marked_jsonl

CORPUS = Path(__file__).parents[2] / "corpus"


@pytest.mark.parametrize(
    ("marked", "text", "spans"),
    [
        ("by [[DOCTOR|Okafor]].", "by Okafor.", [(3, 9, "DOCTOR")]),
        ("[[PATIENT|[PATIENT]]]", "[PATIENT]", [(0, 9, "PATIENT")]),
        (
            "[[STREET|18 Quarry\nLn]][[CITY|X]]",
            "18 Quarry\nLnX",
            [(0, 12, "STREET"), (12, 13, "CITY")],
        ),
        ("[[[DATE|1]] a[[b|c]] [[ ]]", "[1 a[[b|c]] [[ ]]", [(1, 2, "DATE")]),
        ("[[ID|a|b]]", "a|b", [(0, 3, "ID")]),
    ],
)
def test_reads_marks(marked: str, text: str, spans: list[tuple[int, int, str]]) -> None:
    found, marks = parse(marked)
    assert found == text
    assert [(s.start, s.end, s.type) for s in marks] == spans
    assert mark(Document("n", found, marks)) == marked


@pytest.mark.parametrize(
    ("marked", "reason"),
    [
        ("a\nb [[DATE|1", "line 2: a mark is not closed"),
        ("[[DATE|1 [[AGE|2]]", "line 1: a mark opens inside a mark"),
        ("[[DATE|]]", "line 1: a mark is empty"),
    ],
)
def test_broken_marks_are_named(marked: str, reason: str) -> None:
    with pytest.raises(FormatError, match=reason.replace("[", r"\[")):
        parse(marked)


@pytest.mark.parametrize(
    ("text", "places", "reason"),
    [
        ("see [[X|y", [], "U+005B at position 4 begins what would be read as a mark"),
        ("a]]b", [(0, 4, "ID")], "U+005D at position 1 is doubled in span 0-4"),
        ("a[[b", [(0, 4, "ID")], "U+005B at position 1 is doubled in span 0-4"),
        ("ab]", [(0, 2, "ID")], "U+005D at position 2 follows span 0-2"),
        ("abc", [(0, 2, "ID"), (1, 3, "ID")], "span 1-3 overlaps"),
        ("abc", [(1, 1, "ID")], "span 1-1 has no characters"),
        ("abc", [(0, 1, "id")], "span 0-1 has a type"),
        ("ab\udc00", [], "U+DC00 at position 2"),
    ],
)
def test_refuses_what_would_not_read_back(
    text: str, places: list[tuple[int, int, str]], reason: str
) -> None:
    document = Document("n", text, tuple(Span.of(text, *place) for place in places))
    assert str(problem(document)).startswith(reason)
    assert FORMATS["inline"].problem(document) == problem(document)


@pytest.mark.parametrize("name", "ABCD")
def test_the_corpus_reads_and_writes_back(name: str) -> None:
    documents = list(read(CORPUS / name, "inline"))
    assert len(documents) == 60
    for document in documents:
        path = CORPUS / name / f"{document.id}.txt"
        assert problem(document) is None
        assert mark(document).encode() == path.read_bytes()


def test_the_traps_of_the_corpus() -> None:
    positive = list(read_marked_jsonl(CORPUS / "traps" / "positive.jsonl"))
    negative = list(read_marked_jsonl(CORPUS / "traps" / "negative.jsonl"))
    assert all(document.spans for document in positive)
    assert not any(document.spans for document in negative)
    assert all(document.metadata["why"] for document in positive + negative)


def test_bad_lines_of_marked_jsonl_are_named(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"text": "a"}\n{"txt": 1}\n')
    with pytest.raises(FormatError, match="line 2: not a JSON object with a text"):
        list(read_marked_jsonl(path))
