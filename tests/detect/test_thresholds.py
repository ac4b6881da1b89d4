"""What a lower threshold redacts contains what a higher one redacts, whatever the scores."""

from __future__ import annotations

import json
import math
import shutil
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_checkpoints import unsure_model
from toy_corpus import LABELS, toy

from incognote.align.tags import Labels
from incognote.align.tokens import TokenOffsets
from incognote.align.words import words
from incognote.base.errors import ModelError
from incognote.detect.detector import Detection, Detector
from incognote.detect.finder import Finder
from incognote.detect.merge import merge
from incognote.detect.model import ModelDetector
from incognote.detect.thresholds import SOURCE, Thresholds
from incognote.detect.uncertain import FLOOR, Scales, UncertainWord, uncertain_words
from incognote.document import Document, Span

TYPES = ("CITY", "DATE", "PATIENT")
LEVELS = (math.inf, 0.9, 0.78, 0.7, 0.5, 0.2, 0.05, 0.01, FLOOR)
TEXT = st.text(st.sampled_from("Ana-Ruiz 12/7 é\n.,\u0301\u200b"), max_size=40)


class Fixed:
    """A detector that always finds the same."""

    def __init__(self, found: Detection) -> None:
        self.found = found

    def detect(self, document: Document) -> Detection:
        return self.found


def at(thresholds: Thresholds, detector: Detector) -> Detector:
    return Finder(detector, families=None, thresholds=thresholds)


def redacted(detector: Detector, document: Document, thresholds: Thresholds) -> set[int]:
    spans = at(thresholds, detector).detect(document).spans
    assert all(one.end <= other.start for one, other in pairwise(spans))
    return {place for span in spans for place in range(span.start, span.end)}


@st.composite
def notes_with_scores(draw: st.DrawFn) -> tuple[str, Detection]:
    text = draw(TEXT)
    suspects = []
    for start, end in words(text):
        shares = draw(st.lists(st.floats(FLOOR, 0.5), min_size=1, max_size=3))
        types = draw(st.permutations(TYPES))[: len(shares)]
        pairs = sorted(zip(types, shares, strict=True), key=lambda pair: -pair[1])
        if draw(st.booleans()):
            suspects.append(UncertainWord(start, end, min(1.0, sum(shares)), tuple(pairs)))
    marked = draw(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=3))
    spans = [
        Span.of(text, min(pair), min(max(pair), len(text)), draw(st.sampled_from(TYPES)))
        for pair in marked
        if min(pair) < min(max(pair), len(text))
    ]
    return text, Detection(tuple(merge(text, spans)), len(text), tuple(suspects))


@settings(max_examples=120)
@given(notes_with_scores(), st.lists(st.sampled_from(LEVELS), min_size=8, max_size=8))
def test_nested_for_random_scores(note: tuple[str, Detection], levels: list[float]) -> None:
    text, found = note
    document, detector = Document("", text), Fixed(found)
    by_level = [redacted(detector, document, Thresholds(level)) for level in LEVELS]
    assert all(higher <= lower for higher, lower in pairwise(by_level))
    assert by_level[0] == {p for span in found.spans for p in range(span.start, span.end)}

    high = dict(zip(TYPES, levels[:3], strict=True))
    low = {type: min(level, high[type]) for type, level in zip(TYPES, levels[3:6], strict=True)}
    some = redacted(detector, document, Thresholds(levels[6], high))
    assert some <= redacted(detector, document, Thresholds(min(levels[6:]), low))
    for suspect in found.uncertain:
        if suspect.score >= levels[6]:
            assert some >= set(range(suspect.start, suspect.end))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unsure_model(tmp_path_factory.mktemp("thresholds"))


def test_nested_through_rules_model_and_propagation(model: Path) -> None:
    detector = Finder(ModelDetector(model, uncertain=FLOOR))
    texts = [note.text for note in toy(6)]
    texts += [
        "Dr. Okafor saw Ana Ruiz. OKAFOR called; Ruiz, Ana left for Oslo.\n" * 3,
        "Ana\u200b Ru\u0301iz \x00 🧑‍⚕️ \u202emoB\u202c Ωmega ﬁ 3/4/2011",
        "",
    ]
    grown = 0
    for text in texts:
        document = Document("", text)
        levels = [redacted(detector, document, Thresholds(level)) for level in LEVELS]
        assert all(higher <= lower for higher, lower in pairwise(levels))
        grown += len(levels[-1]) > len(levels[0])
    assert grown >= len(texts) - 1


def test_suspects_change_nothing_by_default(model: Path) -> None:
    for note in toy(3):
        plain = ModelDetector(model).detect(note)
        asked = ModelDetector(model, uncertain=FLOOR).detect(note)
        assert (plain.spans, plain.uncertain) == (asked.spans, ())
        assert asked.uncertain
        at_default = at(Thresholds(), ModelDetector(model, uncertain=FLOOR))
        assert at_default.detect(note).spans == plain.spans


def test_suspects_from_a_probability_on_are_those_of_all(model: Path) -> None:
    for note in toy(3):
        every = ModelDetector(model, uncertain=FLOOR).detect(note).uncertain
        for least in (0.01, 0.4, 0.9):
            some = ModelDetector(model, uncertain=least).detect(note).uncertain
            assert some == tuple(each for each in every if each.score >= least)
            document = Document("", note.text)
            levels = [
                redacted(Fixed(Detection((), 0, each)), document, Thresholds(least))
                for each in (every, some)
            ]
            assert levels[0] == levels[1]


def test_neighbours_of_one_type_become_one_span() -> None:
    text = "saw Ana  Ruiz, Oslo"
    places = {text[slice(*place)]: place for place in words(text)}
    found = Detection(
        (),
        len(text),
        tuple(
            UncertainWord(*places[word], score, ((type, score),))
            for word, score, type in (
                ("Ana", 0.3, "PATIENT"),
                ("Ruiz", 0.6, "PATIENT"),
                ("Oslo", 0.4, "CITY"),
            )
        ),
    )
    spans = at(Thresholds(0.3), Fixed(found)).detect(Document("", text)).spans
    assert [(span.text, span.type, span.score, span.source) for span in spans] == [
        ("Ana  Ruiz", "PATIENT", 0.6, SOURCE),
        ("Oslo", "CITY", 0.4, SOURCE),
    ]


def test_a_word_is_as_suspect_as_its_most_suspect_piece() -> None:
    text = "Ruiz ate ."
    units = TokenOffsets.of([(0, 2), (2, 4), (5, 8), (9, 10)])
    labels = Labels(LABELS)
    shares = np.full((4, len(LABELS)), 1e-6)
    names = list(LABELS)
    shares[0, names.index("B-PATIENT")] = 0.2
    shares[1, names.index("I-PATIENT")], shares[1, names.index("B-CITY")] = 0.5, 0.1
    shares[3, names.index("B-DATE")] = 0.9
    shares[:, names.index("O")] = 0
    shares[:, names.index("O")] = 1 - shares.sum(axis=1)
    (ruiz,) = uncertain_words(text, units, shares, labels, Scales())
    assert (ruiz.start, ruiz.end, ruiz.type) == (0, 4, "PATIENT")
    assert ruiz.score == pytest.approx(0.6, abs=1e-4)
    assert dict(ruiz.types) == pytest.approx({"PATIENT": 0.5, "CITY": 0.1}, abs=1e-4)

    scales = Scales({"PATIENT": (2.0, -1.0)})
    (scaled,) = uncertain_words(text, units, shares, labels, scales)
    assert dict(scaled.types)["PATIENT"] == pytest.approx(1 / (1 + math.e), abs=1e-4)
    assert scaled.score == pytest.approx(1 / (1 + math.e) + 0.1, abs=1e-3)
    assert scales.rescaled(ruiz).score == pytest.approx(scaled.score, abs=1e-3)


@pytest.mark.parametrize("least", [0.9, 0.25, FLOOR])
def test_below_the_lowest_probability_no_word_is_a_suspect(least: float) -> None:
    scales, types = Scales({"DATE": (0.5, 2.0), "CITY": (1.5, -1.0)}), ("DATE", "CITY", "ZIP")
    lowest = scales.lowest(types, least)
    assert lowest > 0
    assert scales.of_all(types, np.full((1, 3), lowest)).sum() <= least
    assert scales.of_all(types, np.full((1, 3), 0.01 * lowest)).sum() < least


def test_where_any_probability_may_reach_the_least_none_is_lowest() -> None:
    assert Scales({"DATE": (0.1, 2.0)}).lowest(("DATE",), FLOOR) == 0.0


def test_a_model_may_have_scales(model: Path, tmp_path: Path) -> None:
    scaled = tmp_path / "scaled"
    shutil.copytree(model, scaled)
    described = json.loads((model / "incognote.json").read_text())
    described["variants"]["careful"]["scales"] = {"DATE": [0.5, -2.0]}
    (scaled / "incognote.json").write_text(json.dumps(described))
    note = toy(1)[0]
    plain, changed = (ModelDetector(each, uncertain=FLOOR).detect(note) for each in (model, scaled))
    scales = Scales({"DATE": (0.5, -2.0)})
    assert [span.score for span in changed.spans] == pytest.approx(
        [scales.of(span.type, span.score) for span in plain.spans]
    )
    assert {span.type for span in plain.spans} > {"DATE"}
    dates = [dict(each.uncertain[0].types)["DATE"] for each in (plain, changed)]
    assert dates[1] == pytest.approx(scales.of("DATE", dates[0]))
    for bad, says in (([0, 1], "slope above 0"), ([1], "a slope and an offset"), (1, "a list")):
        described["variants"]["careful"]["scales"] = {"PATIENT": bad}
        (scaled / "incognote.json").write_text(json.dumps(described))
        with pytest.raises(ModelError, match=says):
            ModelDetector(scaled)
