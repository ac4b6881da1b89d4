"""What is computed once for all thresholds is what a run at each threshold does."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tiny_checkpoints import unsure_model
from toy_corpus import toy

from incognote.corpus.calibrate import fit_scales, over_redaction
from incognote.corpus.evidence import Evidence, WordEvidence, evidence
from incognote.detect.detector import Detector
from incognote.detect.finder import Finder
from incognote.detect.model import ModelDetector
from incognote.detect.thresholds import Thresholds
from incognote.detect.uncertain import FLOOR, UncertainWord
from incognote.document import Document, Span
from incognote.evaluate.guarantee import GRID
from incognote.evaluate.pairing import Pair
from incognote.evaluate.release import measures

NOTES = toy(5)


@pytest.fixture(scope="module")
def detector(tmp_path_factory: pytest.TempPathFactory) -> Finder:
    model = unsure_model(tmp_path_factory.mktemp("evidence"))
    return Finder(ModelDetector(model, uncertain=FLOOR))


def test_losses_and_cost_are_those_of_runs(detector: Finder) -> None:
    all_evidence = list(evidence(NOTES, detector))
    identifiers = [each for note in all_evidence for each in note.identifiers]
    assert len({each.covered_at for each in identifiers}) > 3
    for threshold in GRID[-9:]:
        overall = Thresholds(threshold)
        covered, over = run_at(detector, overall, "covered_recall")
        assert covered == sum(each.covered_at >= threshold for each in identifiers)
        assert over == over_redaction(all_evidence, overall)
        for type in ("PATIENT", "CITY"):
            alone = Thresholds(by_type={type: threshold})
            covered, over = run_at(detector, alone, "covered_recall_by_type", type)
            own = [each for each in identifiers if each.type == type]
            assert covered == sum(each.covered_by_type_at >= threshold for each in own)
            assert over == over_redaction(all_evidence, alone)


def run_at(detector: Detector, thresholds: Thresholds, *figure: str) -> tuple[float, float]:
    """Covered identifiers and over-redaction, as `score` counts them after a run."""
    run = Finder(detector, families=None, thresholds=thresholds)
    figures: Any = measures([Pair(note, note.with_spans(run.detect(note).spans)) for note in NOTES])
    over = figures["over_redaction"]
    for name in figure:
        figures = figures[name]
    return float(figures.part.sum()), float(over.part.sum() / over.whole.sum())


def test_marks_are_not_shown_and_repeats_count_once() -> None:
    note = Document("", "zorb glim", (Span.of("zorb glim", 0, 4, "PATIENT"),) * 2)
    (note_evidence,) = evidence([note], Finder())
    assert [(each.type, each.covered_at) for each in note_evidence.identifiers] == [
        ("PATIENT", 0.0)
    ]
    assert (note_evidence.outside, note_evidence.hidden, note_evidence.words) == (4, 0, ())
    dots = Document("", "...", (Span.of("...", 0, 3, "PATIENT"),))
    (note_evidence,) = evidence([dots], Finder())
    assert note_evidence.identifiers[0].covered_at == math.inf


def test_scales_make_probabilities_true() -> None:
    """A model that says p where sigmoid(0.5 logit(p) - 1) is true is corrected to it."""
    draws = np.random.default_rng(5)
    probabilities = draws.uniform(0.01, 0.99, 4000)
    true = 1 / (1 + np.exp(-(0.5 * np.log(probabilities / (1 - probabilities)) - 1)))
    right = draws.random(4000) < true
    words = tuple(
        WordEvidence(
            UncertainWord(0, 1, float(p), (("DATE", float(p)),)),
            1,
            frozenset(["DATE"] * int(hit)),
            True,
        )
        for p, hit in zip(probabilities, right, strict=True)
    )
    rare = WordEvidence(UncertainWord(0, 1, 0.5, (("CITY", 0.5),)), 1, frozenset(), True)
    scales = fit_scales([Evidence((), 0, 0, (*words, rare))])
    assert scales.by_type["DATE"] == pytest.approx((0.5, -1.0), abs=0.12)
    assert scales.of("CITY", 0.5) == pytest.approx(0.5, abs=0.06)
    corrected = scales.of_all(("DATE",), probabilities[:, None])[:, 0]
    for low, high in ((0.0, 0.1), (0.1, 0.3), (0.3, 0.9)):
        inside = (corrected >= low) & (corrected < high)
        assert right[inside].mean() == pytest.approx(corrected[inside].mean(), abs=0.04)
