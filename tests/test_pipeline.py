"""The pipeline as a user of the library sees it."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_corpus import toy
from unsure_model import unsure_model

import incognote
import incognote.pipeline as pipeline
from incognote import Deidentifier, Document
from incognote.evaluate import Resampling, score
from incognote.formats import read
from incognote.formats.inline import read_marked_jsonl

CORPUS = Path(__file__).parent.parent / "corpus"
DEIDENTIFY = Deidentifier()
BY_RULES = Deidentifier(detector="rules")
PLANTED = (
    "Dr. Okafor",
    "MRN: 307-74-18",
    "3/14/2019",
    "419-471-8026",
    "mai.yer@example.org",
    "SSN 936-71-4408",
)


def test_one_call() -> None:
    result = incognote.deidentify("Seen by Dr. Okafor on 3/14/2019.")
    assert result.text == "Seen by Dr. [DOCTOR] on [DATE]."
    assert [(span.type, span.text) for span in result.spans] == [
        ("DOCTOR", "Okafor"),
        ("DATE", "3/14/2019"),
    ]


def test_pipe_streams_in_order_and_takes_texts_and_documents() -> None:
    def notes() -> Iterator[str | Document]:
        yield "Dr. Okafor"
        yield Document("b", "Dr. Obi")
        raise AssertionError("read further than asked")

    stream = DEIDENTIFY.pipe(notes())
    assert next(stream).text == "Dr. [DOCTOR]"
    assert next(stream).output.id == "b"


def test_what_is_already_marked_is_replaced_too() -> None:
    text = "Zork came with Dr. Okafor."
    document = Document("1", text, (incognote.Span.of(text, 0, 4, "PATIENT"),))
    assert DEIDENTIFY(document).text == "[PATIENT] came with Dr. [DOCTOR]."


@pytest.mark.parametrize("identifier", PLANTED)
def test_an_identifier_planted_every_50_characters_is_found_everywhere(identifier: str) -> None:
    filler = "the lungs are clear and the abdomen is soft today. "
    note = ""
    places = []
    while len(note) < 20_000:
        note += (filler * 2)[: 49 - len(identifier)].rstrip() + " "
        places.append(len(note))
        note += identifier + "; "
    found = BY_RULES(note)
    hidden = bytearray(len(note))
    for span in found.spans:
        hidden[span.start : span.end] = b"\x01" * len(span)
    value = identifier.split(" ")[-1]
    for place in places:
        start = place + identifier.index(value)
        assert all(hidden[start : start + len(value)]), f"not found at {place}"


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=400))
def test_any_text_goes_through_and_only_spans_change(text: str) -> None:
    result = DEIDENTIFY(text)
    outside = list(text)
    for span in reversed(result.spans):
        assert span.text == text[span.start : span.end]
        outside[span.start : span.end] = f"[{span.type}]"
    assert result.text == "".join(outside)
    assert result.seen == BY_RULES(text).seen == len(text)


def corpus(part: str) -> list[Document]:
    return list(read(CORPUS / part, "inline"))


def test_notes_alone_or_in_any_order_give_the_same() -> None:
    notes = [Document(note.id, note.text) for note in corpus("A")[:20]]
    shuffled = random.Random(1).sample(notes, len(notes))
    in_order = {result.found.id: result.text for result in DEIDENTIFY.pipe(notes)}
    assert {result.found.id: result.text for result in DEIDENTIFY.pipe(shuffled)} == in_order


@pytest.mark.parametrize(
    ("part", "recall"), [("A", 0.945), ("B", 0.91), ("C", 0.915), ("D", 0.895)]
)
def test_rules_keep_their_recall_on_the_corpus_and_hide_little_else(
    part: str, recall: float
) -> None:
    gold = corpus(part)
    found = [result.found for result in BY_RULES.pipe(Document(g.id, g.text) for g in gold)]
    report = score(gold, found, blocks=["release"], resampling=Resampling(resamples=0))
    assert (report.value("release", "covered_recall") or 0) >= recall
    assert (report.value("release", "over_redaction") or 0) <= 0.002


@pytest.mark.parametrize(
    ("deidentify", "untouched"), [(DEIDENTIFY, 0.98), (BY_RULES, 0.98)], ids=["default", "rules"]
)
def test_look_alikes_are_left_alone(deidentify: Deidentifier, untouched: float) -> None:
    cases = list(read_marked_jsonl(CORPUS / "traps" / "negative.jsonl"))
    touched = [case.id for case in cases if deidentify(Document(case.id, case.text)).spans]
    print(f"look-alikes left untouched: {1 - len(touched) / len(cases):.1%} of {len(cases)}")
    assert len(touched) <= (1 - untouched) * len(cases)


def test_hard_cases_do_not_get_worse() -> None:
    gold = list(read_marked_jsonl(CORPUS / "traps" / "positive.jsonl"))
    found = [result.found for result in BY_RULES.pipe(Document(g.id, g.text) for g in gold)]
    report = score(gold, found, blocks=["release"], resampling=Resampling(resamples=0))
    assert (report.value("release", "covered_recall") or 0) >= 0.66


def test_a_stream_that_pauses_is_answered(tmp_path: Path) -> None:
    """Each note comes only once the one before it was answered."""
    deid = Deidentifier(model=unsure_model(tmp_path))
    texts = [note.text for note in toy(4)]
    answered = threading.Event()

    def asking() -> Iterator[str]:
        for text in texts:
            yield text
            assert answered.wait(60)
            answered.clear()

    stream = deid.pipe(asking())
    found = []
    for _ in texts:
        found.append(next(stream).text)
        answered.set()
    assert list(stream) == []
    assert found == [deid(text).text for text in texts]
    assert found == [result.text for result in deid.pipe(texts)]
    assert found == [result.text for result in deid.pipe(iter(texts))]


def test_what_is_in_flight_is_bounded_by_characters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Long notes are not read ahead by the hundred, and come out as ever."""
    deid = Deidentifier(model=unsure_model(tmp_path))
    texts = [note.text for note in toy(12)]
    longest = max(map(len, texts))
    monkeypatch.setattr(pipeline, "CHARACTERS_TOGETHER", 2 * longest)
    answered, ahead = 0, []

    def coming() -> Iterator[str]:
        for number, text in enumerate(texts):
            ahead.append(sum(map(len, texts[answered:number])))
            yield text

    found = []
    for result in deid.pipe(coming()):
        found.append(result.text)
        answered += 1
    assert max(ahead) <= 4 * longest  # in work, and waiting
    assert found == [deid(text).text for text in texts]
    assert found == [result.text for result in deid.pipe(texts)]
