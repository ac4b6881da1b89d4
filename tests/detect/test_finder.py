"""The detector: which one is meant by its name, and many notes at once with the same findings."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tiny_checkpoints import unsure_model
from toy_corpus import toy

import incognote.detect.finder as finder
import incognote.detect.steps as steps
from incognote import Deidentifier
from incognote.base.errors import CalibrationError, ModelError
from incognote.calibration import detector_settings
from incognote.corpus.calibrate import Guarantee, calibrate, write_calibration
from incognote.corpus.evidence import evidence
from incognote.detect.detector import Detection, detect_many
from incognote.detect.finder import Choice, Finder, choose, default_detector
from incognote.detect.model import ModelDetector
from incognote.document import Document, Span
from incognote.models import DEFAULT, shipped_model
from incognote.onnx.model_folder import Hybrid

Ship = Callable[[Path | None], None]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unsure_model(tmp_path_factory.mktemp("choice"))


@pytest.fixture
def ship(monkeypatch: pytest.MonkeyPatch) -> Iterator[Ship]:
    """Ship a model, or none."""

    def shipping(folder: Path | None) -> None:
        monkeypatch.setattr(finder, "shipped_model", lambda: folder)
        default_detector.cache_clear()

    yield shipping
    default_detector.cache_clear()


def with_hybrid(model: Path, folder: Path, **hybrid: object) -> Path:
    shutil.copytree(model, folder)
    detector_settings = json.loads((model / "incognote.json").read_text())
    detector_settings["hybrid"] = {"version": 1, **hybrid}
    (folder / "incognote.json").write_text(json.dumps(detector_settings))
    return folder


def test_the_shipped_model_is_whole_where_it_is() -> None:
    assert shipped_model() in (None, DEFAULT)
    assert (shipped_model() is not None) == (DEFAULT / "incognote.json").is_file()


def test_without_a_shipped_model_rules_run(ship: Ship, model: Path) -> None:
    ship(None)
    assert choose() == choose("rules") == Choice("rules", None)
    assert not default_detector().gains_by_company
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
    assert default_detector().gains_by_company
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
    assert choose("model", eager).detector().detect(note) == ModelDetector(eager).detect(note)


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
    detector = asked.detector(uncertain=True)
    gathered = list(evidence(toy(60, sentences=1), detector))
    site = tmp_path / "site.json"
    write_calibration(
        calibrate(gathered, detector_settings(asked), Guarantee(risk=0.06)).calibration, site
    )
    careful = Deidentifier(detector="model", model=model, calibration=str(site), min_recall=0.94)
    plain = Deidentifier(detector="model", model=str(model))
    note = toy(3)[2]
    assert "threshold" in {span.source for span in careful(note.text).spans}
    assert len(careful(note.text).text) != len(plain(note.text).text)
    with pytest.raises(
        CalibrationError, match=r"made with other detectors.*run `incognote calibrate` again"
    ):
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
    careful, fast = (
        detector_settings(choose("both", folder, speed)) for speed in ("careful", "fast")
    )
    assert careful == detector_settings(choose("both", folder))
    assert fast == {**careful, "speed": "fast"}


NOTES = [
    *(Document(note.id, note.text) for note in toy(9)),
    Document("empty", ""),
    Document("known", "Zorb came.", known=(("PATIENT", "Zorb"),)),
    Document("again", toy(1)[0].text),
]


@pytest.mark.parametrize("name", ["model", "both"])
@pytest.mark.parametrize("threads", [1, 2])
def test_company_changes_nothing(name: str, threads: int, model: Path) -> None:
    detector = choose(name, model).detector(threads=threads, uncertain=True)
    alone = [detector.detect(note) for note in NOTES]
    assert list(detect_many(detector, NOTES)) == alone
    assert list(detect_many(detector, NOTES[::-1])) == alone[::-1]
    assert list(detect_many(detector, [])) == []
    assert any(found.spans for found in alone)


def test_a_detector_that_gains_nothing_is_asked_one_by_one() -> None:
    rules = Finder()
    assert list(detect_many(rules, NOTES)) == list(map(rules.detect, NOTES))


class Counting:
    """A model that finds the first letter, cannot read some notes, and counts what it reads."""

    def __init__(self, unreadable: str = "") -> None:
        self.read = 0
        self.unreadable = unreadable

    def detect(self, document: Document) -> Detection:
        self.read += 1
        if self.unreadable and self.unreadable in document.text:
            raise ValueError("no")
        spans = (Span.of(document.text, 0, 1, "PATIENT"),) if document.text else ()
        return Detection(spans, len(document.text))

    def detect_many(self, documents: Iterable[Document]) -> Generator[Detection]:
        yield from map(self.detect, documents)


@pytest.mark.parametrize("overlapped", [False, True])
def test_the_model_reads_each_note_once(overlapped: bool) -> None:
    model = Counting()
    detector = Finder(model, overlapped=overlapped)
    found = list(detector.detect_many(NOTES))
    assert model.read == len(NOTES)
    assert found == [Finder(Counting()).detect(note) for note in NOTES]


@pytest.mark.parametrize("overlapped", [False, True])
def test_only_the_note_at_fault_fails(overlapped: bool) -> None:
    detector = Finder(Counting("Zorb"), overlapped=overlapped)
    found = detector.detect_many(NOTES)
    for _ in NOTES[:10]:
        next(found)
    with pytest.raises(ValueError, match="no"):
        next(found)


def test_whoever_stops_early_leaves_nothing_running() -> None:
    model = Counting()
    detector = Finder(model, overlapped=True)
    many: Sequence[Document] = [Document("", f"note {number}") for number in range(1000)]
    found = detector.detect_many(many)
    next(found)
    found.close()
    assert model.read < len(many)


def test_every_pass_over_a_note_happens_once(monkeypatch: pytest.MonkeyPatch) -> None:
    passes: Counter[str] = Counter()

    def counted(name: str) -> None:
        module = steps if name == "propagate" else finder
        work = getattr(module, name)

        def run(*given: Any) -> Any:
            passes[name] += 1
            return work(*given)

        monkeypatch.setattr(module, name, run)

    names = ("normal_texts", "find_known", "propagate", "without_false_alarms")
    for name in names:
        counted(name)
    Finder(Counting()).detect(Document("", "Zorb came.", known=(("PATIENT", "Zorb"),)))
    assert passes == dict.fromkeys(names, 1)


def test_a_repetition_of_what_a_rule_found_confirms_the_model() -> None:
    text = "Seen by Dr. Okafor.\nOkafor to call tomorrow."
    place = text.rindex("Okafor")
    again = Span(place, place + 6, "DOCTOR", "Okafor", 0.9, "model")

    class Model:
        def detect(self, document: Document) -> Detection:
            return Detection((again,), len(document.text))

    both = Finder(Model(), hybrid=Hybrid(decisions={"DOCTOR": "both agree"}))
    spans = both.detect(Document("", text)).spans
    assert [span.start for span in spans] == [text.index("Okafor"), place]


def test_a_calibration_of_earlier_rules_says_what_to_do(model: Path, tmp_path: Path) -> None:
    asked = choose("model", model)
    gathered = list(evidence(toy(60, sentences=1), asked.detector(uncertain=True)))
    earlier = {**detector_settings(asked), "rules": "0.0.1-0123456789abcdef"}
    site = tmp_path / "site.json"
    write_calibration(calibrate(gathered, earlier, Guarantee(risk=0.06)).calibration, site)
    with pytest.raises(
        CalibrationError, match=r"incognote has changed since.*same annotated notes"
    ):
        Deidentifier(detector="model", model=model, calibration=site, min_recall=0.94)
