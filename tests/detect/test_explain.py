"""Explanations: of the very findings that the finder has, complete, and without text of the note."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from golden.joining import THRESHOLDS, _known_of, _mixed, _stored
from golden.notes import sets
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_cases import CASES

from incognote import Deidentifier
from incognote.detect.detector import Detection
from incognote.detect.explain import explain
from incognote.detect.explanation import DECIDED, Explanation, Reason
from incognote.detect.finder import Finder, choose
from incognote.detect.row_names import name_of
from incognote.detect.rules import FAMILIES
from incognote.detect.site import read_site
from incognote.detect.thresholds import Thresholds
from incognote.detect.uncertain import UncertainWord
from incognote.document import Document, Span
from incognote.onnx.model_folder import Hybrid

CASE_ROWS = [
    json.loads(line)
    for line in (CASES / "explain" / "notes.jsonl").read_text(encoding="utf-8").splitlines()
]


@dataclass(frozen=True)
class Stored:
    """Stands where the model would, and always finds the same."""

    found: Detection

    def detect(self, document: Document) -> Detection:
        return self.found


def place_of(text: str, words: str) -> tuple[int, int]:
    """Where words stand; `words@2` is their second mention."""
    words, _, count = words.partition("@")
    start = -1
    for _ in range(int(count or 1)):
        start = text.index(words, start + 1)
    return start, start + len(words)


def finder_of(case: dict[str, Any]) -> Finder:
    text = case["text"]
    if "model" not in case:
        return Finder()
    spans = (
        Span.of(text, *place_of(text, words), type, score=score, source="model")
        for words, type, score in case["model"]
    )
    uncertain = (
        UncertainWord(*place_of(text, words), sum(types.values()), tuple(types.items()))
        for words, types in case.get("words", ())
    )
    return Finder(
        Stored(Detection(tuple(spans), len(text), tuple(uncertain))),
        hybrid=Hybrid(**case.get("hybrid", {})),
        words=case.get("words_from"),
        thresholds=Thresholds(case["calibrated"]) if "calibrated" in case else None,
    )


def detail_of(text: str, reason: Reason) -> str:
    if reason.origin:
        return text[slice(*reason.origin)]
    if reason.values:
        return " ".join(map(str, reason.values))
    return reason.set_by or "; ".join(row.name for row in reason.rows)


@pytest.mark.parametrize("case", CASE_ROWS, ids=lambda case: case["why"])
def test_case(case: dict[str, Any]) -> None:
    text = case["text"]
    document = Document("", text, known=tuple(map(tuple, case.get("known", ()))))
    explanation = explain(finder_of(case), document)
    found = [
        [
            (each.span.start, each.span.end),
            each.span.type,
            [
                [reason.source, detail_of(text, reason), " ".join(reason.decides)]
                for reason in each.reasons
            ],
        ]
        for each in explanation.spans
    ]
    assert found == [[place_of(text, span[0]), *span[1:3]] for span in case["spans"]]
    for each, span in zip(explanation.spans, case["spans"], strict=True):
        for name, value in (span[3] if len(span) > 3 else {}).items():
            assert getattr(each, name) == value
    dropped = [
        [
            (reason.start, reason.end),
            reason.type,
            reason.source,
            reason.cause,
            reason.decision or " ".join(reason.vetoes),
        ]
        for reason in explanation.dropped
    ]
    assert dropped == [[place_of(text, drop[0]), *drop[1:]] for drop in case.get("dropped", ())]
    left = [
        [(word.start, word.end), pytest.approx(word.score), word.cause, " ".join(word.vetoes)]
        for word in explanation.left
    ]
    assert left == [[place_of(text, word[0]), *word[1:]] for word in case.get("left", ())]


# The same findings as without an explanation, each with all that decided it


def check(finder: Finder, document: Document, explanation: Explanation) -> None:
    found = finder.detect(document)
    assert tuple(each.span for each in explanation.spans) == found.spans
    for each in explanation.spans:
        assert {part for reason in each.reasons for part in reason.decides} == set(DECIDED)
        for reason in each.reasons:
            assert reason.start < each.span.end
            assert reason.end > each.span.start
            assert reason.rows or not reason.source.startswith("rules.")
            assert reason.values or reason.source != "known"
            assert reason.origin or reason.source != "propagated"
    for reason in explanation.dropped:
        assert reason.cause not in (None, "overruled")
        assert bool(reason.vetoes) == (reason.cause == "veto")
    covered = {place for span in found.spans for place in range(span.start, span.end)}
    for word in explanation.left:
        assert not covered.issuperset(range(word.start, word.end))


@cache
def notes_of_sets() -> dict[str, Document]:
    return {note.id: note for note in sets()}


def finders() -> Iterator[tuple[Finder, Document]]:
    """Every fourth note with stored findings of the shipped model, by several decisions."""
    stored = _stored()
    for turn, few in enumerate(stored.values()):
        for number, (note, model) in enumerate(list(few.notes())[turn::4]):
            joining = few.joining if number % 2 else _mixed(few.joining)
            known = _known_of(notes_of_sets()[note.id]) if number % 3 == 0 else ()
            finder = Finder(
                Stored(model),
                hybrid=joining.hybrid,
                words=joining.words,
                thresholds=THRESHOLDS["both"] if number % 5 == 0 else None,
            )
            yield finder, replace(note, known=known)


def test_of_rules_and_a_model() -> None:
    causes: set[str | None] = set()
    sources: set[str] = set()
    for finder, note in finders():
        explanation = explain(finder, note)
        check(finder, note, explanation)
        causes |= {reason.cause for reason in explanation.dropped}
        sources |= {
            reason.source.partition(".")[0] for each in explanation.spans for reason in each.reasons
        }
    assert causes >= {"veto", "decision"}
    assert sources == {"rules", "known", "model", "propagated", "threshold"}


def test_of_rules_alone_and_of_a_model_alone() -> None:
    for note in list(notes_of_sets().values())[::9]:
        bare = replace(note, spans=())
        check(Finder(), bare, explain(Finder(), bare))
        model = Finder(Stored(Detection(note.spans[::2], len(note.text))), families=None)
        assert [each.span for each in explain(model, bare).spans] == list(note.spans[::2])


WORDS = st.lists(
    st.sampled_from(
        [
            "Dr. Okafor",
            "Okafor",
            "Foley catheter",
            "at Mercy Hospital",
            "on Friday 2/15/2019",
            "MRN 8812734",
            "８８１２７３４",
            "Zo\u00adrb",
            "Zorb, 61,",
            "\u200b",
            "12 Harbor Street, Duluth, MN 55802",
            "____",
            "\n",
            "é",
            "o.k@example.org",
        ]
    ),
    max_size=12,
)


@settings(max_examples=120, deadline=None)
@given(data=st.data(), words=WORDS)
def test_whatever_the_note_and_the_model(data: st.DataObject, words: list[str]) -> None:
    text = " ".join(words)
    types = st.sampled_from(["DOCTOR", "PATIENT", "DATE", "CITY", "EMAIL"])
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=8)))
    spans = [
        Span.of(
            text, start, end, data.draw(types), score=data.draw(st.floats(0, 1)), source="model"
        )
        for start, end in zip(cuts[::2], cuts[1::2], strict=False)
    ]
    doubts = [
        UncertainWord(*match.span(), score, ((data.draw(types), score),))
        for match in re.finditer(r"\w+", text)
        if (score := data.draw(st.floats(0.001, 1)))
    ]
    decisions = st.sampled_from(["union", "rules", "model", "both agree"])
    hybrid = Hybrid(
        decisions=data.draw(st.dictionaries(types, decisions)),
        names=data.draw(st.dictionaries(types, st.sampled_from(["rules", "model"]))),
    )
    finder = Finder(
        Stored(Detection(tuple(spans), len(text), tuple(doubts))),
        hybrid=hybrid,
        words=data.draw(st.none() | st.floats(0.1, 1)),
        thresholds=data.draw(st.none() | st.builds(Thresholds, st.floats(0.05, 1))),
    )
    known = (("PATIENT", "Zorb, Quill"), ("MEDICALRECORD", "8812734"))
    document = Document("", text, known=data.draw(st.sampled_from([(), known])))
    check(finder, document, explain(finder, document))


# The shipped model

NOTE = (
    "Seen by Dr. Ngozi Okafor on Friday 2/15/2019. Seen in clinic by Foley team. Okafor will see "
    "her at Harborview. E-mail q.zorb@example.org.\n"
)


@pytest.mark.parametrize("speed", ["careful", "fast"])
def test_the_shipped_model_is_explained_at_each_speed(speed: str) -> None:
    for name in ("both", "model"):
        finder = choose(name, None, speed).detector()
        for text in (NOTE, NOTE.replace("Okafor", "Oka\u200bfor")):
            document = Document("", text)
            explanation = explain(finder, document, floor=0.001)
            check(finder, document, explanation)
            assert explanation.settings["speed"] == speed
            assert all(word.score >= 0.001 for word in explanation.left)
    catheter = NOTE.index("Foley")
    both = explain(choose("both", None, speed).detector(), Document("", NOTE), floor=0.001)
    (word,) = both.between(catheter, catheter + 5).left
    assert (word.cause, word.vetoes[0]) == ("veto", "eponyms")


def test_a_long_note_is_explained_in_portions() -> None:
    text = NOTE + "Resting well, no complaints.\n" * 1800 + NOTE
    assert len(text) > 50_000
    finder = choose("both", None, "fast").detector()
    document = Document("", text)
    explanation = explain(finder, document)
    check(finder, document, explanation)
    assert any(each.span.start > 50_000 for each in explanation.spans)


def test_a_span_below_the_threshold_of_its_type_is_named() -> None:
    from incognote.detect.model import ModelDetector
    from incognote.models import shipped_model

    folder = shipped_model()
    assert folder is not None
    model = ModelDetector(folder, speed="fast")
    plain = model.detect(Document("", NOTE))
    model._thresholds = {"DOCTOR": 1.5}
    finder = Finder(model)
    explanation = explain(finder, Document("", NOTE))
    check(finder, Document("", NOTE), explanation)
    short = [reason for reason in explanation.dropped if reason.cause == "threshold"]
    doctors = [span for span in plain.spans if span.type == "DOCTOR"]
    assert doctors
    assert [(each.start, each.end) for each in short] == [
        (each.start, each.end) for each in doctors
    ]
    assert {each.threshold for each in short} == {1.5}


# What is shown


def test_no_text_unless_it_is_asked_for() -> None:
    explanation = Deidentifier().explain(NOTE)
    shown = [
        repr(explanation),
        str(explanation),
        json.dumps(explanation.to_dict()),
        explanation._repr_html_(),
        *map(str, explanation.rows()),
    ]
    for page in shown:
        assert not re.search(r"okafor|foley|zorb|2019", page, re.I)
    dict_with_text = explanation.to_dict(with_text=True)
    assert dict_with_text["spans"][0]["text"] == "Ngozi Okafor"
    assert dict_with_text["spans"][0]["before"] == "Seen by Dr. "
    assert any("Okafor" in row[3] for row in explanation.rows(with_text=True))


def test_marks_that_came_with_the_note_are_explained() -> None:
    text = "The plumber of Tessaly."
    note = Document("", text, (Span.of(text, 15, 22, "CITY"),))
    deidentifier = Deidentifier(detector="rules")
    explanation = deidentifier.explain(note)
    assert tuple(each.span for each in explanation.spans) == deidentifier(note).spans
    (mark,) = explanation.between(15, 22).spans
    assert [(each.source, each.decides) for each in mark.reasons] == [("gold", DECIDED)]


@pytest.mark.parametrize(("text", "places"), [(" Dr. Okafor ", [(1, 11)]), ("  ", [])])
def test_a_value_by_itself_is_explained_by_its_column(
    text: str, places: list[tuple[int, int]]
) -> None:
    value = Document("", text, value_type="PROFESSION")
    deidentifier = Deidentifier(detector="rules")
    explanation = deidentifier.explain(value)
    assert tuple(each.span for each in explanation.spans) == deidentifier(value).spans
    assert [(each.span.start, each.span.end) for each in explanation.spans] == places
    reasons = [reason for each in explanation.spans for reason in each.reasons]
    assert [(each.source, each.decides) for each in reasons] == [("column", DECIDED)] * len(places)
    assert explanation.dropped == ()


def test_a_detector_of_ones_own_cannot_be_explained() -> None:
    own = Deidentifier(detector=Stored(Detection((), 0)))
    with pytest.raises(TypeError, match="only what incognote's own detectors find"):
        own.explain("Dr. Okafor")


def test_every_row_has_a_name_of_its_own_code() -> None:
    for family in FAMILIES:
        parts = [part for some in family.parts.values() for part in some]
        for rule in (*family.rules, *parts):
            name = name_of(family, rule)
            assert re.fullmatch(r"(\w+\.)?\w+|begins with [\w, …]+", name), (family.name, name)
            assert "lambda" not in name


def test_a_site_is_named_by_its_lists_patterns_and_never_entries(tmp_path: Path) -> None:
    path = tmp_path / "site.toml"
    path.write_text(
        '[types.STUDYID]\ncategory = "ID"\n'
        '[[lists]]\nname = "staff"\ntype = "DOCTOR"\nwords = ["Ngozi Okafor"]\nmode = "name"\n'
        '[[patterns]]\nname = "study"\ntype = "STUDYID"\npattern = \'ODL-\\d{4}\'\n'
        '[[never]]\nname = "trials"\nwords = ["Harborview"]\n'
    )
    text = "ODL-1234: seen by Okafor, attends Harborview. Also Har\u200bborview clinic."
    model = Stored(
        Detection(
            (
                Span.of(text, 0, 8, "IDNUM", score=0.9, source="model"),
                Span.of(text, 34, 44, "HOSPITAL", score=0.9, source="model"),
            ),
            len(text),
            (UncertainWord(34, 44, 0.9, (("HOSPITAL", 0.9),)),),
        )
    )
    for families in (FAMILIES, None):
        finder = Finder(model, families=families, site=read_site(path))
        explanation = explain(finder, Document("", text))
        assert (
            tuple(each.span for each in explanation.spans)
            == finder.detect(Document("", text)).spans
        )
        sources = [(each.span.type, each.reasons[0].source) for each in explanation.spans]
        assert sources == [("STUDYID", "site.study"), ("DOCTOR", "site.staff")]
        assert explanation.dropped
        assert {(each.cause, each.vetoes) for each in explanation.dropped} == {
            ("never", ("trials",))
        }
        assert [(each.cause, each.vetoes) for each in explanation.left] == [("never", ("trials",))]
