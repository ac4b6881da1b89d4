"""Detectors of a user's own join the rules and the model, and whatever is wrong with one closes."""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from plugin_packages import install

from incognote import Deidentifier, Document, Span
from incognote.base.errors import CalibrationError
from incognote.base.registry import PluginError, RegistryError
from incognote.calibration import detector_settings
from incognote.detect.detector import Detection
from incognote.detect.finder import Finder, choose
from incognote.detect.plugins import DETECTOR_PLUGINS, own_detectors
from incognote.detect.rules import FAMILIES
from incognote.onnx.model_folder import Hybrid
from incognote.phi import KnownTypes
from incognote.runs.plan import plan
from incognote.runs.settings import Settings

NOTE = "Bed 4 of Heron Bay. Heron Bay again. Seen by Dr. Okafor."
HERON = "Heron Bay"


def herons(text: str) -> Iterator[tuple[int, int, str, float]]:
    for match in re.finditer("Heron Bay", text):
        yield match.start(), match.end(), "LOCATION-OTHER", 0.9


class FirstHeron:
    """Finds the first of them only."""

    def detect(self, document: Document) -> Detection:
        at = document.text.find(HERON)
        spans = (Span.of(document.text, at, at + len(HERON), "HOSPITAL"),) if at >= 0 else ()
        return Detection(spans, len(document.text))


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(DETECTOR_PLUGINS, "_registered", {})
    DETECTOR_PLUGINS.register("herons")(herons)
    return "herons"


def found(*detectors: Any, text: str = NOTE) -> list[tuple[str, str, str]]:
    spans = Deidentifier(detector="rules", detectors=detectors)(text).spans
    return [(span.text, span.type, span.source) for span in spans]


def test_a_function_joins_the_rules_by_itself_or_by_its_name(registered: str) -> None:
    expected = [
        (HERON, "LOCATION-OTHER", "plugin.herons"),
        (HERON, "LOCATION-OTHER", "plugin.herons"),
        ("Okafor", "DOCTOR", "rules.names"),
    ]
    assert found(herons) == found(registered) == expected
    one = Deidentifier(detector="rules", detectors=registered)
    assert one(NOTE).text.count("[LOCATION-OTHER]") == 2
    assert "herons" in repr(one)


@pytest.mark.parametrize("given", [FirstHeron, FirstHeron(), lambda: FirstHeron()])
def test_a_detector_of_one_mention_propagates_to_the_others(given: object) -> None:
    ours = [each for each in found(given) if each[0] == HERON]
    assert [type for _, type, _ in ours] == ["HOSPITAL", "HOSPITAL"]
    assert ours[0][2] in ("plugin.FirstHeron", "plugin.lambda")


class ModelOf:
    """Stands for a model that marks the first of some words."""

    def __init__(self, word: str, type: str) -> None:
        self.word, self.type = word, type

    def detect(self, document: Document) -> Detection:
        at = document.text.find(self.word)
        span = Span.of(document.text, at, at + len(self.word), self.type, source="model")
        return Detection((span,), len(document.text))


def test_what_it_finds_counts_whatever_the_decisions_say_and_beside_a_model_alone() -> None:
    others = [each.begin() for each in own_detectors([herons])]
    trusting = Hybrid(decisions={"LOCATION-OTHER": "model"})
    for families in (FAMILIES, None):
        finder = Finder(
            ModelOf("Okafor", "DOCTOR"), hybrid=trusting, others=others, families=families
        )
        spans = finder.detect(Document("", NOTE)).spans
        assert [span.text for span in spans] == [HERON, HERON, "Okafor"]


def test_its_type_goes_before_that_of_rules_and_model() -> None:
    named = own_detectors([lambda text: [(text.find("Okafor"), text.find("Okafor") + 6, "CITY")]])
    for finder in (Finder(others=named), Finder(ModelOf("Okafor", "PATIENT"), others=named)):
        (found,) = (s for s in finder.detect(Document("", "Okafor was seen.")).spans)
        assert found.type == "CITY"


def test_a_sites_types_may_be_found_and_what_is_never_an_identifier_there_is_left(
    tmp_path: Path,
) -> None:
    site = tmp_path / "site.toml"
    site.write_text(
        '[types.STUDYID]\ncategory = "ID"\n[[never]]\nname = "bays"\nwords = ["Heron Bay"]\n'
    )
    beds = lambda text: [(0, 5, "STUDYID")]  # noqa: E731
    result = Deidentifier(detector="rules", detectors=[beds, herons], site=site)(NOTE)
    assert result.text == "[STUDYID] of Heron Bay. Heron Bay again. Seen by Dr. [DOCTOR]."
    assert result.remarks["LOCATION-OTHER", "never"] == 2


def test_it_is_asserted_so_that_no_veto_drops_what_the_model_marks_there() -> None:
    text = "A Foley catheter was placed."
    model = ModelOf("Foley", "DOCTOR")
    assert not Finder(model).detect(Document("", text)).spans
    sure = own_detectors([lambda text: [(text.find("Foley"), text.find("Foley") + 5, "DOCTOR")]])
    (span,) = Finder(model, others=sure).detect(Document("", text)).spans
    assert span.text == "Foley"


def test_what_it_was_not_shown_lowers_the_coverage() -> None:
    class Short:
        def detect(self, document: Document) -> Detection:
            return Detection((), 10)

    assert Deidentifier(detector="rules", detectors=[Short])(NOTE).seen == 10


@pytest.mark.parametrize(
    ("finding", "said"),
    [
        ((0, 99, "CITY"), "not within the note"),
        ((-3, 2, "CITY"), "not within the note"),
        ((3, 3, "CITY"), "not within the note"),
        ((0, 3, "TOWN"), "a type that is not known"),
        ((0, 3, "CITY", float("nan")), "a score"),
        ((0, 3, "CITY", 2), "a score"),
        ((0, "3", "CITY"), "no span"),
        ((0, 3), "no span"),
        ((0, 3, "CITY", "Okafor"), "no span"),
        (Span(0, 3, "CITY", "Bad"), "whose text is not the note's"),
        (7, "no span"),
    ],
)
def test_what_is_no_finding_in_the_note_fails_it(finding: Any, said: str) -> None:
    deidentify = Deidentifier(detector="rules", detectors=[lambda text: [finding]])
    with pytest.raises(PluginError, match=said) as raised:
        deidentify(NOTE)
    assert raised.value.__cause__ is raised.value.__context__ is None


def failing(text: str) -> list[Any]:
    raise KeyError(text)


def test_a_detector_that_raises_fails_the_note_and_quotes_nothing() -> None:
    with pytest.raises(PluginError) as raised:
        Deidentifier(detector="rules", detectors=[failing])(NOTE)
    assert str(raised.value) == "the detector failing failed (KeyError)"
    assert raised.value.__cause__ is raised.value.__context__ is None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["unheard-of"], "there is no detector 'unheard-of'"),
        (["rules"], "choose it with --detector"),
        ([herons, herons], "given twice"),
        ([7], "neither a function"),
        ([lambda: 1 / 0], "cannot be made"),
    ],
)
def test_what_is_no_detector_is_refused_before_a_note_is_read(given: Any, said: str) -> None:
    with pytest.raises(RegistryError, match=said):
        Deidentifier(detector="rules", detectors=given)


def test_a_deidentifier_shows_its_detectors_by_their_names(registered: str) -> None:
    joined = Deidentifier(detector="rules", detectors=[registered, wards, FirstHeron()])
    assert joined.to_dict()["detectors"] == ["herons", "wards", "FirstHeron"]
    assert " at 0x" not in repr(joined) + repr(Deidentifier(detector=FirstHeron()))
    assert json.dumps(joined.to_dict())


def test_one_whose_constructor_fails_is_refused_before_a_run_reads_anything(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(DETECTOR_PLUGINS, "_registered", {})
    DETECTOR_PLUGINS.register("herons")(lambda: 1 / 0)
    with pytest.raises(RegistryError, match=r"the detector herons cannot be made"):
        Settings(find_by="rules", with_detectors=("herons",)).check()


def test_a_calibration_knows_who_took_part() -> None:
    plain, with_herons = choose("rules"), choose("rules", with_detectors=[herons])
    assert detector_settings(plain)["detectors"] == ["rules", "known", "propagated"]
    assert "plugin.herons (given in code)" in detector_settings(with_herons)["detectors"]
    from incognote.calibration import Calibration

    calibration = Calibration.__new__(Calibration)
    object.__setattr__(calibration, "detector", detector_settings(plain))
    with pytest.raises(CalibrationError, match="other detectors"):
        calibration.refuse_other(detector_settings(with_herons))


def test_a_deidentifier_with_a_function_of_a_module_can_be_pickled_and_with_another_not() -> None:
    again = pickle.loads(pickle.dumps(Deidentifier(detector="rules", detectors=[herons])))
    assert HERON not in again(NOTE).text
    local: Callable[[str], None] = lambda text: None  # noqa: E731
    with pytest.raises(TypeError, match="the detector lambda cannot be pickled"):
        pickle.dumps(Deidentifier(detector="rules", detectors=[local]))


def test_a_detector_of_ones_own_instead_of_ours_takes_no_others() -> None:
    with pytest.raises(TypeError, match="detectors="):
        Deidentifier(detector=FirstHeron(), detectors=[herons])


PACKAGE = """
import re

def wards(text):
    if "break" in text:
        raise ValueError(text)
    for match in re.finditer("Heron Bay", text):
        yield match.start(), match.end(), "LOCATION-OTHER"
"""


@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_with_a_package_counts_by_its_name_and_only_notes_at_fault_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    packages = tmp_path / "site-packages"
    packages.mkdir()
    (packages / "odile_wards.py").write_text(PACKAGE)
    offered = {"incognote.detectors": {"wards": "odile_wards:wards"}}
    install(packages, monkeypatch, "odile-wards", "1.2", offered)
    (tmp_path / "notes").mkdir()
    for name, text in (("a", NOTE), ("b", f"{NOTE} break"), ("c", NOTE)):
        (tmp_path / "notes" / f"{name}.txt").write_text(text)
    settings = Settings(find_by="rules", with_detectors=("wards",), workers=workers)
    audit = plan([str(tmp_path / "notes")], tmp_path / "clean", settings).run()
    (failure,) = audit.failures
    assert (failure.input, failure.reason) == (2, "the detector wards failed (ValueError)")
    report = json.loads((tmp_path / "clean.audit.json").read_text())
    assert "plugin.wards (odile-wards 1.2)" in report["settings"]["detectors"]
    assert report["findings"]["by_detector"]["plugin.wards"] == {"LOCATION-OTHER": 4}
    written = sorted((tmp_path / "clean").glob("*.txt"))
    assert len(written) == 2
    assert all(HERON not in path.read_text() for path in written)


def wards(text: str) -> Iterator[tuple[int, int, str]]:
    for match in re.finditer("Ward [0-9]", text):
        yield match.start(), match.end(), "WARD"


def test_types_of_ones_own_are_known_to_the_detectors_that_join() -> None:
    types = KnownTypes({"WARD": "LOCATION"})
    deidentifier = Deidentifier(detector="rules", detectors=[wards], types=types)
    assert deidentifier("Moved to Ward 4.").text == "Moved to [WARD]."
    with pytest.raises(PluginError, match="a type that is not known"):
        Deidentifier(detector="rules", detectors=[wards])("Moved to Ward 4.")
