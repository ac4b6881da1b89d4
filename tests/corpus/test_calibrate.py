"""Guarantees that notes support are given; others are refused with the number of notes they take."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from incognote.base.errors import CalibrationError
from incognote.calibration import read_calibration
from incognote.corpus.calibrate import Guarantee, calibrate, over_redaction, write_calibration
from incognote.corpus.evidence import Evidence, Identifier, WordEvidence
from incognote.detect.thresholds import Thresholds
from incognote.detect.uncertain import UncertainWord

MODEL: dict[str, Any] = {"detectors": ["model"], "model": "ab", "rules": "1-cd", "known": []}
RULES: dict[str, Any] = {"detectors": ["rules"], "model": None, "rules": "1-cd", "known": []}


def note(*levels: float, type: str = "PATIENT", score: float = 0.2) -> Evidence:
    """Identifiers covered at these thresholds, and a harmless word of 10 characters."""
    word = WordEvidence(UncertainWord(0, 10, score, (("DATE", score),)), 10, frozenset(), True)
    return Evidence(tuple(Identifier(type, each, each) for each in levels), 1000, 5, (word,))


CLEAN = note(math.inf, math.inf)
DOUBTFUL = note(math.inf, 0.35, score=0.3)


def test_the_threshold_is_the_highest_that_keeps_the_guarantee() -> None:
    result = calibrate([*[CLEAN] * 300, *[DOUBTFUL] * 100, note()], MODEL, Guarantee())
    assert result.thresholds == Thresholds(0.3)
    assert (result.calibration.notes, result.calibration.notes_without_identifiers) == (400, 1)
    assert result.calibration.identifiers == 800
    assert result.default_loss == pytest.approx(0.125)
    assert result.chosen_loss == 0
    assert result.default_over_redaction == pytest.approx(5 / 1000)
    assert result.chosen_over_redaction == pytest.approx((401 * 5 + 100 * 10) / 401_000)
    assert result.calibration.thresholds(0.8) == Thresholds()


def test_the_method_decides_how_many_notes_it_takes() -> None:
    for count, guarantee in (
        (299, Guarantee(bound="hoeffding-bentkus")),
        (99, Guarantee(method="crc")),
        (59, Guarantee(risk=0.05, bound="hoeffding-bentkus")),
    ):
        assert calibrate([CLEAN] * count, MODEL, guarantee).thresholds == Thresholds()
        with pytest.raises(CalibrationError, match=rf"about {count} notes like these, 1 more"):
            calibrate([CLEAN] * (count - 1), MODEL, guarantee)


def test_refusals_say_what_is_lacking() -> None:
    with pytest.raises(CalibrationError, match=r"50 notes.*takes about 317 .*, 267 more"):
        calibrate([CLEAN] * 50, MODEL, Guarantee())
    leaking = [*[CLEAN] * 900, *[note(0.0, math.inf)] * 100]
    with pytest.raises(CalibrationError, match=r"lowest threshold 5\.00% .* no number of notes"):
        calibrate(leaking, MODEL, Guarantee())
    with pytest.raises(CalibrationError, match="no note has an annotated identifier"):
        calibrate([note()] * 10, MODEL, Guarantee())
    with pytest.raises(CalibrationError, match="--risk 0"):
        Guarantee(risk=0)
    with pytest.raises(CalibrationError, match="--confidence 1"):
        Guarantee(confidence=1)


def test_rules_have_one_operating_point() -> None:
    assert calibrate([CLEAN] * 320, RULES, Guarantee()).thresholds == Thresholds()
    with pytest.raises(CalibrationError, match=r"with rules alone 12\.50%"):
        calibrate([*[CLEAN] * 300, *[DOUBTFUL] * 100], RULES, Guarantee())


def test_each_type_has_its_own_guarantee() -> None:
    dates = [note(math.inf, 0.45, type="DATE", score=0.4)] * 450
    cities = [note(math.inf, type="CITY")] * 40
    notes = [*[CLEAN] * 400, *dates, *cities]
    result = calibrate(notes, MODEL, Guarantee(per_type=True))
    assert result.thresholds == Thresholds(by_type={"DATE": 0.4, "PATIENT": math.inf})
    assert list(result.notes_lacking) == ["CITY"]
    assert (result.notes_lacking["CITY"] or 0) > 317
    assert result.calibration.unsupported == ("CITY",)
    assert {curve.confidence for curve in result.calibration.types.values()} == {0.975}
    assert result.chosen_over_redaction == over_redaction(notes, result.thresholds)
    at_chosen = [p for p in result.calibration.types["DATE"].points if p.threshold == 0.4]
    assert at_chosen[0].over_redaction == result.chosen_over_redaction
    with pytest.raises(CalibrationError, match="commonest type is in 100 notes"):
        calibrate(notes[:100], MODEL, Guarantee(per_type=True))
    with pytest.raises(CalibrationError, match=r"do not support a recall of \w+ of 0\.999"):
        result.calibration.thresholds(0.999)


def test_types_share_the_error_that_is_allowed() -> None:
    """350 notes do for one type alone; for two, each must be surer, which takes 391."""
    both = [replace(CLEAN, identifiers=(*CLEAN.identifiers, Identifier("DATE", 9, 9)))] * 350
    one = calibrate(both, MODEL, Guarantee(per_type=True))
    assert list(one.calibration.types) == ["DATE"]
    assert one.notes_lacking == {"PATIENT": 391}
    two = calibrate([*both, *both[:41]], MODEL, Guarantee(per_type=True))
    assert list(two.calibration.types) == ["DATE", "PATIENT"]


@pytest.mark.parametrize("per_type", [False, True])
def test_the_file_holds_it_all(tmp_path: Path, per_type: bool) -> None:
    notes = [*[CLEAN] * 400, *[DOUBTFUL] * 300]
    site = calibrate(notes, MODEL, Guarantee(per_type=per_type)).calibration
    write_calibration(site, tmp_path / "site.json")
    assert read_calibration(tmp_path / "site.json") == site
    assert (tmp_path / "site.json").stat().st_mode & 0o077 == 0


def test_other_recalls_are_answered_each_at_its_own_point() -> None:
    draws = np.random.default_rng(0)
    notes = [note(*np.where(draws.random(8) < 0.9, 9.0, draws.random(8))) for _ in range(900)]
    site = calibrate(notes, MODEL, Guarantee()).calibration
    thresholds = [site.thresholds(recall).overall for recall in (0.8, 0.95, 0.97, 0.99)]
    assert thresholds == sorted(thresholds, reverse=True)
    assert len(set(thresholds)) > 2
    for recall in (0.0, 1.0, 99.0):
        with pytest.raises(CalibrationError, match="between 0 and 1"):
            site.thresholds(recall)
    with pytest.raises(
        CalibrationError, match=r"900 notes .* recall of 0\.9999: at most 0\.99\d\d"
    ):
        site.thresholds(0.9999)


def test_another_detector_is_refused() -> None:
    site = calibrate([CLEAN] * 320, MODEL, Guarantee()).calibration
    site.refuse_other(dict(MODEL))
    for what, word in (("model", "model files"), ("rules", "rules"), ("known", "--known types")):
        with pytest.raises(CalibrationError, match=f"other {word}"):
            site.refuse_other({**MODEL, what: "x"})


def test_what_is_no_calibration_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "site.json"
    with pytest.raises(CalibrationError, match="no calibration here"):
        read_calibration(path)
    site = calibrate([CLEAN] * 320, MODEL, Guarantee()).calibration
    write_calibration(site, path)
    good = json.loads(path.read_text())
    points = good["curve"]["points"]
    for changes, says in (
        ({"kind": "x"}, "not a calibration"),
        ({"schema": 2}, "schema version 2"),
        ({"curve": {"notes": 3}}, "damaged"),
        ({"curve": {**good["curve"], "points": points[::-1]}}, "damaged"),
        ({"surprise": 1}, "damaged"),
    ):
        path.write_text(json.dumps({**good, **changes}))
        with pytest.raises(CalibrationError, match=says):
            read_calibration(path)
    path.write_text("[]")
    with pytest.raises(CalibrationError, match="not a calibration"):
        read_calibration(path)
    path.write_text("nothing")
    with pytest.raises(CalibrationError, match="not a calibration"):
        read_calibration(path)
    assert replace(site, risk=0.02) != site
