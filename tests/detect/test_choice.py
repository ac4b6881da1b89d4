"""Which detector runs: the shipped model where there is one, rules where there is none."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from toy_corpus import toy
from unsure_model import unsure_model

import incognote.detect.choice as choice
from incognote import Deidentifier, Document
from incognote.base.errors import CalibrationError, ModelError
from incognote.calibration.detector import described
from incognote.corpus.calibrate.evidence import evidence
from incognote.corpus.calibrate.promise import Promise
from incognote.corpus.calibrate.run import calibrate
from incognote.corpus.calibrate.write import write_site
from incognote.detect.choice import Choice, choose, default_detector
from incognote.detect.detector import Detection, RuleDetector
from incognote.detect.model import ModelDetector
from incognote.detect.together import TogetherDetector
from incognote.models import DEFAULT, shipped_model

Ship = Callable[[Path | None], None]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unsure_model(tmp_path_factory.mktemp("choice"))


@pytest.fixture
def ship(monkeypatch: pytest.MonkeyPatch) -> Iterator[Ship]:
    """Ship a model, or none."""

    def shipping(folder: Path | None) -> None:
        monkeypatch.setattr(choice, "shipped_model", lambda: folder)
        default_detector.cache_clear()

    yield shipping
    default_detector.cache_clear()


def with_hybrid(model: Path, folder: Path, **hybrid: object) -> Path:
    shutil.copytree(model, folder)
    described = json.loads((model / "incognote.json").read_text())
    described["hybrid"] = {"version": 1, **hybrid}
    (folder / "incognote.json").write_text(json.dumps(described))
    return folder


def test_the_shipped_model_is_whole_where_it_is() -> None:
    assert shipped_model() in (None, DEFAULT)
    assert (shipped_model() is not None) == (DEFAULT / "incognote.json").is_file()


def test_without_a_shipped_model_rules_run(ship: Ship, model: Path) -> None:
    ship(None)
    assert choose() == choose("rules") == Choice("rules", None)
    assert isinstance(default_detector(), RuleDetector)
    assert choose(None, model) == choose("both", model) == Choice("both", model)
    assert choose("model", str(model)) == Choice("model", model)
    for name in ("model", "both"):
        with pytest.raises(ModelError, match=f"{name} needs a model"):
            choose(name)
    with pytest.raises(ModelError, match="uses no model"):
        choose("rules", model)
    with pytest.raises(ModelError, match="no detector 'regex': choose rules, model, both"):
        choose("regex")
    with pytest.raises(ModelError, match="the speed fast is of a model, and the rules use none"):
        choose(speed="fast")


def test_a_shipped_model_is_taken_up(ship: Ship, model: Path) -> None:
    ship(model)
    assert choose() == Choice("both", model)
    assert choose().is_shipped
    assert choose("rules") == Choice("rules", None)
    assert choose("model") == Choice("model", model)
    note = toy(1)[0]
    found = Deidentifier()(note.text)
    assert isinstance(default_detector(), TogetherDetector)
    assert {span.source for span in found.spans} >= {"model"}
    assert found.spans == Deidentifier(model=model)(note.text).spans
    by_rules = Deidentifier(detector="rules")(note.text)
    assert all(span.source != "model" for span in by_rules.spans)
    assert len(choose().fingerprint or "") == 16


def test_words_are_redacted_from_the_probability_that_the_folder_names(
    model: Path, tmp_path: Path
) -> None:
    eager = with_hybrid(model, tmp_path / "eager", words=0.01)
    note = Document("", toy(1)[0].text)
    few, many = (choose("both", each).detector().detect(note) for each in (model, eager))
    assert "threshold" in {span.source for span in many.spans}
    assert "threshold" not in {span.source for span in few.spans}
    assert isinstance(choose("model", eager).detector(), ModelDetector)


def test_a_variant_may_have_a_probability_of_its_own(model: Path, tmp_path: Path) -> None:
    folder = with_hybrid(model, tmp_path / "eager", words=0.9)
    told = json.loads((folder / "incognote.json").read_text())
    told["variants"]["fast"] = {**told["variants"]["careful"], "words": 0.01}
    (folder / "incognote.json").write_text(json.dumps(told))
    note = Document("", toy(1)[0].text)
    few, many = (
        choose("both", folder, speed).detector().detect(note) for speed in ("careful", "fast")
    )
    assert "threshold" in {span.source for span in many.spans}
    assert "threshold" not in {span.source for span in few.spans}


@pytest.mark.parametrize(
    ("hybrid", "says"),
    [
        ({"version": 2}, "decisions of version 2"),
        ({"decisions": {"DATE": "neither"}}, "decision of DATE must be one of union, rules"),
        ({"names": {"DATE": "both"}}, "name of DATE must be one of rules, model"),
        ({"words": 0}, "words must be above 0"),
        ({"later": 1}, "unknown key 'later'"),
        ({"decisions": []}, "decisions must be an object"),
    ],
)
def test_wrong_decisions_are_refused(
    model: Path, tmp_path: Path, hybrid: dict[str, object], says: str
) -> None:
    folder = with_hybrid(model, tmp_path / "wrong", **hybrid)
    with pytest.raises(ModelError, match=says):
        choose("both", folder).detector()


def test_a_recall_is_kept_as_the_calibration_certifies(model: Path, tmp_path: Path) -> None:
    asked = choose("model", model)
    detector = asked.detector(suspects=True)
    gathered = list(evidence(toy(60, sentences=1), detector))
    site = tmp_path / "site.json"
    write_site(calibrate(gathered, described(asked), Promise(risk=0.06)).site, site)
    careful = Deidentifier(detector="model", model=model, calibration=str(site), min_recall=0.94)
    plain = Deidentifier(detector="model", model=str(model))
    note = toy(3)[2]
    assert "threshold" in {span.source for span in careful(note.text).spans}
    assert len(careful(note.text).text) != len(plain(note.text).text)
    with pytest.raises(CalibrationError, match="made with other detectors"):
        Deidentifier(model=model, calibration=site, min_recall=0.94)
    with pytest.raises(CalibrationError, match="do not support a recall"):
        Deidentifier(detector="model", model=model, calibration=site, min_recall=0.999)


def test_a_recall_without_calibration_is_explained() -> None:
    with pytest.raises(CalibrationError, match="incognote calibrate"):
        Deidentifier(min_recall=0.99)
    with pytest.raises(CalibrationError, match="needs --min-recall"):
        Deidentifier(calibration="site.json")


def test_a_detector_of_ones_own() -> None:
    class Nothing:
        def detect(self, document: Document) -> Detection:
            return Detection((), len(document.text))

    assert Deidentifier(detector=Nothing())("Dr. Okafor").text == "Dr. Okafor"
    with pytest.raises(TypeError, match="takes no model"):
        Deidentifier(detector=Nothing(), model="model")


def test_a_speed_is_a_variant_of_the_model(model: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(model, tmp_path / "model")
    file = folder / "incognote.json"
    told = json.loads(file.read_text())
    told["variants"]["fast"] = {**told["variants"]["careful"], "thresholds": {"DATE": 1.0}}
    file.write_text(json.dumps(told))
    texts = [note.text for note in toy(6)]
    both = {
        speed: [
            result.spans
            for result in Deidentifier(detector="model", model=folder, speed=speed).pipe(texts)
        ]
        for speed in (None, "careful", "fast")
    }
    assert both[None] == both["careful"]
    assert both["fast"] == [
        tuple(span for span in spans if span.type != "DATE") for spans in both["careful"]
    ]
    assert both["fast"] != both["careful"]
    with pytest.raises(ModelError, match="no variant 'balanced', but careful, fast"):
        Deidentifier(model=folder, speed="balanced")
    careful, fast = (described(choose("both", folder, speed)) for speed in ("careful", "fast"))
    assert careful == described(choose("both", folder))
    assert fast == {**careful, "speed": "fast"}
