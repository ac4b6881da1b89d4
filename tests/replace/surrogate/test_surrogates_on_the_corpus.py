"""What the issue of surrogates asks of them, on every third note of the project's own sets A to D."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection

import pytest
from places import ROOT

from incognote.document import Document
from incognote.formats.inline import parse
from incognote.phi import TYPES
from incognote.pipeline import Deidentifier, Result
from incognote.replace import parse_operators, rewrite
from incognote.replace.surrogate.number_shapes import compact
from incognote.replace.surrogate.operator import NUMBERS, PEOPLE
from incognote.replace.surrogate.settings import Avoided
from incognote.runs.scan import originals

CORPUS = ROOT / "corpus"
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


def originals_in(result: Result, types: Collection[str]) -> list[str]:
    """Originals of three characters or more that stand in the output, though not for themselves."""
    kept = outside(result)
    values = {span.text for span in result.spans if span.type in types}
    return [
        value
        for value in values
        if len(value) >= 3 and stands_in(value, result.text) and not stands_in(value, kept)
    ]


def test_no_original_stands_in_its_own_place(results: list[Result]) -> None:
    for result in results:
        for span, new in zip(result.spans, result.output.spans, strict=True):
            if span.type not in MOVED:
                assert compact(span.text) != compact(new.text)


def test_a_fake_is_another_original_of_the_note_by_chance_only(results: list[Result]) -> None:
    types = set(TYPES) - set(MOVED)
    left = sum(len(originals_in(result, types)) for result in results)
    assert left < 0.01 * sum(span.type in types for result in results for span in result.spans)


def test_with_a_scan_no_original_comes_out_but_states_and_countries() -> None:
    """Of those there are too few to leave out all that a corpus names."""
    types = set(TYPES) - {*MOVED, "STATE", "COUNTRY", "PROFESSION"}
    found = [Deidentifier("tag", detector="rules")(note).found for note in notes()[::4]]
    seen = {pair for note in found for pair in originals(note)}
    words = frozenset(text for what, text in seen if what == "word")
    values = frozenset(text for what, text in seen if what == "value")
    operators = parse_operators("surrogate", key=KEY, avoided=Avoided(words, values))
    for note in found:
        result = Result(note, rewrite(note, operators).document, len(note.text))
        assert not originals_in(result, types), note.id


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
