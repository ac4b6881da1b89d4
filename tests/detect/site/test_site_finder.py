"""What a site says joins what rules and a model find: who names, what is never one, what is repeated."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incognote.detect.detector import Detection
from incognote.detect.finder import Finder
from incognote.detect.rules import FAMILIES
from incognote.detect.site import Site, read_site
from incognote.detect.thresholds import Thresholds
from incognote.detect.uncertain import UncertainWord
from incognote.document import Document, Span

FILE = r"""
[types.STUDYID]
category = "ID"

[[lists]]
name = "staff"
type = "DOCTOR"
words = ["Ngozi Okafor"]
mode = "name"

[[lists]]
name = "wards"
type = "HOSPITAL"
words = ["Rosewood"]

[[patterns]]
name = "study"
type = "STUDYID"
pattern = 'ODL-\d{4}'
before = ["study"]

[[patterns]]
name = "mrn"
type = "STUDYID"
pattern = '\d{3}-\d{2}-\d{2}\b'

[[never]]
name = "trials"
words = ["EMPA-REG OUTCOME", "Zyntrel"]
pattern = 'Mercy Hospital of \d{4}'

[[never]]
name = "units"
words = ["Mercy Hospital"]
types = ["HOSPITAL"]
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    path = tmp_path_factory.mktemp("site") / "site.toml"
    path.write_text(FILE)
    return read_site(path)


class Model:
    """Finds the words that it was told, each as a type, and is uncertain of others."""

    def __init__(self, uncertain: Mapping[str, float] | None = None, **types: str) -> None:
        self.types = {words.replace("_", " "): type for words, type in types.items()}
        self.uncertain = uncertain or {}

    def detect(self, document: Document) -> Detection:
        text = document.text
        spans = sorted(
            (
                Span.of(text, text.index(words), text.index(words) + len(words), type, source="m")
                for words, type in self.types.items()
                if words in text
            ),
            key=lambda span: span.start,
        )
        words = tuple(
            UncertainWord(text.index(word), text.index(word) + len(word), score, (("CITY", score),))
            for word, score in self.uncertain.items()
            if word in text
        )
        return Detection(tuple(spans), len(text), words)


def found(finder: Finder, text: str, **known: str) -> list[tuple[str, str, str]]:
    pairs = tuple((type, value) for type, value in known.items())
    detection = finder.detect(Document("", text, known=pairs))
    return [(span.text, span.type, span.source) for span in detection.spans]


def test_lists_and_patterns_find_beside_the_rules(site: Site) -> None:
    text = "OKAFOR, N. of Rosewood: study ODL-1234 on 3/14/2019."
    assert found(Finder(site=site), text) == [
        ("OKAFOR, N.", "DOCTOR", "site.staff"),
        ("Rosewood", "HOSPITAL", "site.wards"),
        ("ODL-1234", "STUDYID", "site.study"),
        ("3/14/2019", "DATE", "rules.dates"),
    ]


def test_the_site_names_what_a_rule_finds_at_the_same_place(site: Site) -> None:
    text = "MRN: 307-74-18."
    assert found(Finder(), text) == [("307-74-18", "MEDICALRECORD", "rules.records")]
    assert found(Finder(site=site), text) == [("307-74-18", "STUDYID", "site.mrn")]
    model = Model(Rosewood="CITY")
    assert found(Finder(model, site=site), "to Rosewood") == [
        ("Rosewood", "HOSPITAL", "site.wards")
    ]


def test_what_a_table_knows_goes_before_the_site(site: Site) -> None:
    ((_, type, _),) = found(Finder(site=site), "seen: Ngozi Okafor", PATIENT="Ngozi Okafor")
    assert type == "PATIENT"


def test_codes_of_an_own_type_are_found_again_without_their_context(site: Site) -> None:
    text = "Study ODL-1234.\n" + "x " * 60 + "ODL-1234; ODL-9999"
    assert [each[0] for each in found(Finder(site=site), text)] == ["ODL-1234", "ODL-1234"]
    assert found(Finder(site=site), text)[1][1:] == ("STUDYID", "propagated")


def test_a_model_alone_is_joined_too(site: Site) -> None:
    finder = Finder(Model(Boston="CITY", Zyntrel="DOCTOR"), families=None, site=site)
    assert found(finder, "Boston, Rosewood, Zyntrel, MRN: 307-74-18, 3/14/2019") == [
        ("Boston", "CITY", "m"),
        ("Rosewood", "HOSPITAL", "site.wards"),
        ("307-74-18", "STUDYID", "site.mrn"),
    ]


@pytest.mark.parametrize("families", [FAMILIES, None])
def test_never_overrules_the_model(site: Site, families: tuple[object, ...] | None) -> None:
    model = Model(EMPA_REG="X")
    model.types = {"EMPA-REG": "PATIENT", "OUTCOME": "DOCTOR", "Dr. Zyntrel": "DOCTOR"}
    finder = Finder(model, families=families, site=site)  # type: ignore[arg-type]
    detection = finder.detect(Document("", "In EMPA-REG OUTCOME by Dr. Zyntrel"))
    assert [span.text for span in detection.spans if "Zyntrel" not in span.text] == []
    assert any("Zyntrel" in span.text for span in detection.spans)  # says more
    assert detection.never == {"PATIENT": 1, "DOCTOR": 1}


def test_never_overrules_rules_and_what_is_propagated(site: Site) -> None:
    text = "Seen at Mercy Hospital. Mercy Hospital of 2019. Zyntrel"
    plain, with_site = (
        Finder().detect(Document("", text)),
        Finder(site=site).detect(Document("", text)),
    )
    assert [span.text for span in plain.spans] == ["Mercy Hospital", "Mercy Hospital", "2019"]
    assert with_site.spans == ()
    assert with_site.never == {"HOSPITAL": 2, "DATE": 1}
    people = Finder(Model(Ione_Zyntrel="PATIENT"), site=site)
    assert [each[0] for each in found(people, "Ione Zyntrel. She, Zyntrel, is well.")] == [
        "Ione Zyntrel"
    ]


def test_never_may_be_for_some_types_only(site: Site) -> None:
    model = Model(Mercy_Hospital="ORGANIZATION")
    detection = Finder(model, families=(), site=site).detect(Document("", "at Mercy Hospital"))
    assert [span.type for span in detection.spans] == ["ORGANIZATION"]


def test_never_drops_nothing_that_a_table_or_the_site_knows(tmp_path: Path) -> None:
    path = tmp_path / "site.toml"
    path.write_text(
        FILE + '[[never]]\nname = "own"\nwords = ["Rosewood", "Rask", "Ngozi Okafor"]\n'
    )
    finder = Finder(site=read_site(path))
    texts = [each[0] for each in found(finder, "Ione Rask, Rosewood, Okafor", PATIENT="Rask, Ione")]
    assert texts == ["Ione Rask", "Rosewood", "Okafor"]


def test_never_overrules_thresholds_and_is_counted_where_they_are_reached(site: Site) -> None:
    model = Model({"Zyntrel": 0.4, "Boston": 0.4})
    document = Document("", "Zyntrel or Boston")
    for threshold, texts, left in ((0.3, ["Boston"], {"CITY": 1}), (0.5, [], {})):
        finder = Finder(model, families=(), thresholds=Thresholds(threshold), site=site)
        detection = finder.detect(document)
        assert [span.text for span in detection.spans] == texts
        assert detection.never == left


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_a_lower_threshold_hides_all_that_a_higher_one_does(
    site: Site, data: st.DataObject
) -> None:
    words = ["Zyntrel", "EMPA-REG", "OUTCOME", "Boston", "Rosewood", "Rask", "Mercy", "Hospital"]
    text = " ".join(data.draw(st.permutations(words)))
    scores = {word: data.draw(st.sampled_from([0.1, 0.3, 0.5, 0.7])) for word in words}
    low, high = sorted(data.draw(st.tuples(st.floats(0.05, 0.9), st.floats(0.05, 0.9))))
    hidden = []
    for threshold in (low, high):
        finder = Finder(Model(scores), families=(), thresholds=Thresholds(threshold), site=site)
        spans = finder.detect(Document("", text)).spans
        hidden.append({place for span in spans for place in range(span.start, span.end)})
    assert hidden[1] <= hidden[0]


def test_odd_characters_are_read_as_usual_ones(site: Site) -> None:
    text = "é Rose\u00adwood, study ODL-１２３４ in EMPA\u200b-REG OUTCOME"
    assert [each[:2] for each in found(Finder(site=site), text)] == [
        ("Rose\u00adwood", "HOSPITAL"),
        ("ODL-１２３４", "STUDYID"),
    ]
    model = Model()
    model.types = {"EMPA\u200b-REG OUTCOME": "HOSPITAL"}
    assert len(found(Finder(model, families=(), site=site), text)) == 2


def test_without_a_site_nothing_is_left(site: Site) -> None:
    assert Finder().detect(Document("", "In EMPA-REG OUTCOME")).never == {}


def test_company_changes_nothing(site: Site) -> None:
    finder = Finder(Model(Boston="CITY", Zyntrel="DOCTOR"), site=site)
    notes = [Document(str(at), f"Boston {at}, Rosewood, Zyntrel") for at in range(5)]
    assert list(finder.detect_many(notes)) == [finder.detect(note) for note in notes]
