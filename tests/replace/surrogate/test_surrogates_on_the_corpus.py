"""What the issue of surrogates asks of them, on every third note of the project's own sets A to D."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from incognote.document import Document
from incognote.formats.inline import parse
from incognote.pipeline import Deidentifier, Result
from incognote.replace.surrogate.note import NUMBERS, PEOPLE

CORPUS = Path(__file__).parents[3] / "corpus"
KEY = b"0123456789abcdef"
TAG = re.compile(r"\[[A-Z-]+\]")
MOVED = ("DATE", "AGE")


@pytest.fixture(scope="module")
def results() -> list[Result]:
    """Found by rules, replaced by surrogates."""
    deidentify = Deidentifier("surrogate", key=KEY, detector="rules")
    return list(deidentify.pipe(notes()))


def notes() -> list[Document]:
    paths = [path for name in "ABCD" for path in sorted((CORPUS / name).glob("*.txt"))[::3]]
    texts = [parse(path.read_text(encoding="utf-8"))[0] for path in paths]
    return [Document(path.stem, text) for path, text in zip(paths, texts, strict=True)]


def stands_in(value: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text) is not None


def outside(result: Result) -> str:
    pieces, read = [], 0
    for span in result.spans:
        pieces.append(result.found.text[read : span.start])
        read = span.end
    return "\n".join((*pieces, result.found.text[read:]))


def test_no_original_of_three_characters_comes_out(results: list[Result]) -> None:
    for result in results:
        kept = outside(result)
        values = {span.text for span in result.spans if span.type not in MOVED}
        left = [
            value
            for value in values
            if len(value) >= 3 and stands_in(value, result.text) and not stands_in(value, kept)
        ]
        assert not left, result.found.id


def test_few_become_tags(results: list[Result]) -> None:
    remarks = sum((result.remarks for result in results), Counter())
    found = Counter(span.type for result in results for span in result.spans)
    assert remarks["DATE", "tagged"] < 0.01 * found["DATE"]
    tagged = sum(count for (_, remark), count in remarks.items() if remark == "tagged")
    assert tagged < 0.005 * found.total()


def test_fakes_are_found_as_the_originals_were(results: list[Result]) -> None:
    """But for what rules tell by the value itself: the year 2000, initials that are a term."""
    detector = Deidentifier("tag", detector="rules").detector
    wanted: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    for result in results:
        spans = [span for span in result.output.spans if not TAG.fullmatch(span.text)]
        before = Counter(span.type for span in spans)
        after = Counter(span.type for span in detector.detect(Document("", result.text)).spans)
        wanted += before
        lost += before - after
    assert lost.total() < 0.0125 * wanted.total()
    assert sum(lost[type] for type in NUMBERS) < 0.01 * sum(wanted[type] for type in NUMBERS)
    assert sum(lost[type] for type in PEOPLE) < 0.01 * sum(wanted[type] for type in PEOPLE)


def test_the_order_of_notes_changes_nothing(results: list[Result]) -> None:
    some = notes()[:16]
    backwards = Deidentifier("surrogate", key=KEY, detector="rules").pipe(reversed(some))
    assert [result.text for result in backwards] == [result.text for result in results[15::-1]]


def test_only_the_spans_change(results: list[Result]) -> None:
    for result in results:
        pieces, read = [], 0
        for span in result.output.spans:
            pieces.append(result.text[read : span.start])
            read = span.end
        assert "\n".join((*pieces, result.text[read:])) == outside(result)
