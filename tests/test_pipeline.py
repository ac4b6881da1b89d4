"""The pipeline as a user of the library sees it."""

from __future__ import annotations

import json
import pickle
import random
import re
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from html import unescape
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_checkpoints import unsure_model
from toy_corpus import toy
from vaults import open_vault

import incognote
import incognote.pipeline as pipeline
from incognote import Deidentifier, Document
from incognote.document import Span
from incognote.evaluate import Resampling, score
from incognote.formats import read
from incognote.formats.inline import read_marked_jsonl
from incognote.phi import KnownTypes

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


KEY = b"sixteen bytes of a secret key."


def test_one_that_was_pickled_finds_and_replaces_the_same(tmp_path: Path) -> None:
    note = "Seen by Dr. Okafor on 3/14/2019, MRN: 307-74-18."
    first = Deidentifier("hash,DATE=mask", key=KEY, model=unsure_model(tmp_path))
    again = pickle.loads(pickle.dumps(first))
    assert again(note).text == first(note).text
    assert again.to_dict() == first.to_dict()


def test_a_pickle_is_small_for_the_model_is_loaded_on_the_other_side() -> None:
    assert len(pickle.dumps(DEIDENTIFY)) < 1_000
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(_texts, DEIDENTIFY, ["Dr. Okafor"]).result() == ["Dr. [DOCTOR]"]


def _texts(deidentifier: Deidentifier, notes: list[str]) -> list[str]:
    return [result.text for result in deidentifier.pipe(notes)]


def test_one_with_a_vault_cannot_be_pickled_and_says_what_to_do(tmp_path: Path) -> None:
    with open_vault(tmp_path / "v") as vault, pytest.raises(TypeError, match="vault"):
        pickle.dumps(Deidentifier(vault=vault))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, r"missing value \(NoneType\)"),
        (float("nan"), r"missing value \(float\)"),
        (b"Dr. Okafor", "of the type bytes"),
        (7.25, "of the type float"),
    ],
    ids=["None", "NaN", "bytes", "number"],
)
def test_what_is_no_text_is_refused_by_its_place_and_never_quoted(value: Any, message: str) -> None:
    notes = ["Dr. Obi", value]
    for deid in (DEIDENTIFY, BY_RULES):
        for stream in (notes, iter(notes)):
            with pytest.raises(TypeError, match=f"note 2 is .*{message}") as error:
                list(deid.pipe(stream))
            assert "Okafor" not in str(error.value)
            assert "7.25" not in str(error.value)
    with pytest.raises(TypeError, match=f"the note is .*{message}"):
        DEIDENTIFY(value)


def test_settings_as_a_dict_have_no_key() -> None:
    deid = Deidentifier("surrogate", key=KEY, detector="rules")
    assert deid.to_dict()["replace"] == "surrogate"
    for shown in (repr(deid), json.dumps(deid.to_dict())):
        assert KEY.decode() not in shown


def test_a_result_as_a_dict_has_places_and_no_original_text() -> None:
    result = BY_RULES(Document("n", "Seen by Dr. Okafor on 3/14/2019."))
    row = json.loads(json.dumps(result.to_dict()))
    assert (row["id"], row["text"], row["seen"]) == ("n", "Seen by Dr. [DOCTOR] on [DATE].", 32)
    assert [(span["start"], span["end"], span["type"]) for span in row["spans"]] == [
        (12, 18, "DOCTOR"),
        (22, 31, "DATE"),
    ]
    assert "Okafor" not in json.dumps(row)


@given(st.lists(st.sampled_from(["<b>", "&", "Dr. Okafor ", "3/14/2019 ", "\n", '"']), max_size=12))
@settings(max_examples=30, deadline=None)
def test_a_notebook_shows_the_safe_text_and_nothing_else(pieces: list[str]) -> None:
    result = BY_RULES("".join(pieces))
    page = result._repr_html_()
    shown = page.partition("</pre>")[0].partition(">")[2]
    assert unescape(re.sub("<[^>]*>", "", shown)) == result.text
    assert "Okafor" not in page or "Okafor" in result.text


def test_threads_that_share_one_get_what_each_would_get_alone() -> None:
    notes = [note.text for note in corpus("B")[:12]]
    alone = [DEIDENTIFY(note).text for note in notes]
    orders = [random.Random(seed).sample(range(len(notes)), len(notes)) for seed in range(4)]

    def work(order: list[int]) -> bool:
        piped = [result.text for result in DEIDENTIFY.pipe([notes[i] for i in order])]
        return piped == [alone[i] for i in order] == [DEIDENTIFY(notes[i]).text for i in order]

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, orders))


def test_the_types_and_sources_of_marks_that_came_with_a_note_are_not_taken_on_trust() -> None:
    text = "Seen by him there"
    given = (
        Span.of(text, 8, 11, "NGOZI OKAFOR", source="Dr. Okafor", label="Okafor"),
        Span.of(text, 12, 17, "NOMBRE_SUJETO_ASISTENCIA"),
    )
    result = Deidentifier(detector="rules")(Document("n", text, given))
    assert result.text == "Seen by [PHI] [NOMBRE_SUJETO_ASISTENCIA]"
    assert {span.source for span in result.output.spans} == {"gold"}
    assert "kafor" not in repr(result.to_dict()).lower()


SITE = r"""
[types.STUDYID]
category = "ID"
operator = "surrogate"

[[lists]]
name = "staff"
type = "DOCTOR"
words = ["Ngozi Okafor"]

[[patterns]]
name = "study"
type = "STUDYID"
pattern = 'ODL-\d{4}'

[[never]]
name = "trials"
words = ["3/14/2019"]
"""


def test_a_site_file_of_a_hospital(tmp_path: Path) -> None:
    path = tmp_path / "site.toml"
    path.write_text(SITE)
    note = "Ngozi Okafor, ODL-1234, 3/14/2019"
    first = Deidentifier(key=KEY, detector="rules", site=path)
    result = first(note)
    assert re.fullmatch(r"\[DOCTOR\], [A-Z]{3}-\d{4}, 3/14/2019", result.text)
    assert "ODL-1234" not in result.text
    assert result.remarks == {("DATE", "never"): 1}
    assert {"type": "DATE", "remark": "never", "count": 1} in result.to_dict()["remarks"]
    assert "#fbd9e8" in result._repr_html_()
    assert "Okafor" not in repr(first) + str(first.to_dict())
    path.unlink()
    again = pickle.loads(pickle.dumps(first))
    assert again(note).text == result.text
    assert [each.text for each in again.pipe([note, note])] == [result.text] * 2


def test_a_detector_of_ones_own_takes_no_site(tmp_path: Path) -> None:
    (tmp_path / "site.toml").write_text(SITE)
    with pytest.raises(TypeError, match=r"takes no model, .* site"):
        Deidentifier(key=KEY, detector=BY_RULES.detector, site=tmp_path / "site.toml")


def test_a_site_file_and_types_are_refused_together(tmp_path: Path) -> None:
    site = tmp_path / "site.toml"
    site.write_text('[types.WARD]\ncategory = "LOCATION"\n')
    with pytest.raises(TypeError, match="leave types out"):
        Deidentifier(detector="rules", site=site, types=KnownTypes({"BED": "LOCATION"}))
