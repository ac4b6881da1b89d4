"""From evidence to a calibration: thresholds with a guarantee, or a refusal that says what is lacking.

The guarantee is over all identifiers of a note, or for each type, all types at once. A type's loss
counts only what its own threshold adds, so that it is right whatever the other thresholds are. The
types that are tested share the error that is allowed (Bonferroni). Which are tested depends on the
numbers of their notes alone, never on what leaks in them: the commonest types, as many as could all
be certified were nothing to leak.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from incognote.base.errors import CalibrationError
from incognote.base.files import write_private
from incognote.base.messages import quantity
from incognote.calibration import KIND, SCHEMA, Calibration, Curve, Method
from incognote.corpus.evidence import Evidence, Identifier, WordEvidence
from incognote.detect.thresholds import Thresholds
from incognote.detect.uncertain import FLOOR, Scales
from incognote.evaluate.guarantee import (
    DEFAULT,
    GRID,
    Bound,
    Losses,
    certified,
    curve_of,
    notes_needed,
)

Level = Callable[[Identifier], float]
Groups = dict[str, list[tuple[Identifier, ...]]]
"""By type, the identifiers of each note that has some."""

PRIOR = 5.0
"""How firmly a scale stays at 1 and 0 until words speak against it; types with few words do."""

_ROUNDS = 60
_SMALLEST_SLOPE = 0.05
_EDGE = 1e-6


@dataclass(frozen=True)
class Guarantee:
    """What the user asks for: at most `risk` of a note's identifiers leak in the mean.

    `ltt` guarantees it with `confidence`; `crc` in expectation over the notes that calibrate.
    """

    risk: float = 0.01
    confidence: float = 0.95
    method: Method = "ltt"
    bound: Literal["betting", "hoeffding-bentkus"] = "betting"
    per_type: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.risk < 1:
            raise CalibrationError(f"--risk {self.risk}: must lie between 0 and 1")
        if not 0.5 <= self.confidence < 1:
            raise CalibrationError(f"--confidence {self.confidence}: must be 0.5 or more, below 1")

    @property
    def effective_bound(self) -> Bound:
        """The bound in use: the conformal one for `crc`, the chosen one for `ltt`."""
        return "conformal" if self.method == "crc" else self.bound

    def in_words(self) -> str:
        """The guarantee in the words of a message."""
        confidence = f" with {self.confidence:.6g} confidence" if self.method == "ltt" else ""
        return f"a risk of {self.risk:.6g}{confidence}"


@dataclass(frozen=True)
class CalibrationResult:
    """The calibration, and what its thresholds do on the notes it was made from."""

    calibration: Calibration
    thresholds: Thresholds
    """The highest that keep the guarantee."""
    default_loss: float
    chosen_loss: float
    default_over_redaction: float
    chosen_over_redaction: float
    notes_lacking: Mapping[str, int | None] = field(default_factory=dict)
    """By type without a guarantee: how many notes it would take; None if notes do not help."""


def calibrate(
    notes: Sequence[Evidence], detector: Mapping[str, Any], guarantee: Guarantee
) -> CalibrationResult:
    """Thresholds for the guarantee, or an error that says how many more notes they need."""
    order = np.random.default_rng(0).permutation(len(notes)).tolist()
    annotated = [notes[place] for place in order if notes[place].identifiers]
    if not annotated:
        raise CalibrationError(
            "no note has an annotated identifier: calibrate needs annotated notes"
        )
    grid = GRID if detector["model"] is not None else (DEFAULT,)
    calibration = Calibration(
        method=guarantee.method,
        bound=guarantee.effective_bound,
        confidence=guarantee.confidence,
        risk=guarantee.risk,
        notes=len(annotated),
        notes_without_identifiers=len(notes) - len(annotated),
        identifiers=sum(len(note.identifiers) for note in annotated),
        detector=detector,
        curve=None,
        types={},
        unsupported=(),
        scales=fit_scales(notes) if detector["model"] is not None else Scales(),
    )
    notes_lacking: dict[str, int | None] = {}
    if guarantee.per_type:
        types, notes_lacking = _curves_by_type(notes, grid, guarantee)
        calibration = replace(calibration, types=types, unsupported=tuple(notes_lacking))
    else:
        calibration = replace(calibration, curve=_overall_curve(annotated, notes, grid, guarantee))
    thresholds = calibration.thresholds(1 - guarantee.risk)
    return CalibrationResult(
        calibration,
        thresholds,
        _mean_loss(annotated, Thresholds()),
        _mean_loss(annotated, thresholds),
        over_redaction(notes, Thresholds()),
        over_redaction(notes, thresholds),
        notes_lacking,
    )


def over_redaction(notes: Sequence[Evidence], thresholds: Thresholds) -> float:
    """The share of the characters outside gold that these thresholds hide, blanks left out."""
    outside = sum(note.outside for note in notes)
    return sum(note.hidden_at(thresholds) for note in notes) / outside if outside else 0.0


def _overall_curve(
    annotated: Sequence[Evidence],
    notes: Sequence[Evidence],
    grid: Sequence[float],
    guarantee: Guarantee,
) -> Curve:
    losses = losses_of([note.identifiers for note in annotated], lambda each: each.covered_at, grid)
    doubtful = [(each.word.score, each) for each in unmarked_words(notes)]
    curve = measure_curve(losses, notes, doubtful, guarantee, guarantee.confidence)
    if certified(curve.points, guarantee.risk) is None:
        required = notes_needed(
            losses[0][1], guarantee.risk, guarantee.effective_bound, guarantee.confidence
        )
        raise CalibrationError(_refusal(curve, required, guarantee))
    return curve


def _mean_loss(notes: Sequence[Evidence], thresholds: Thresholds) -> float:
    """The mean share of a note's identifiers that leak, or a little more: of an identifier only
    the overall threshold and that of its own type are looked at.
    """
    return float(np.mean([_loss(note, thresholds) for note in notes]))


def _loss(note: Evidence, thresholds: Thresholds) -> float:
    leaked = sum(
        each.covered_at < thresholds.overall
        and each.covered_by_type_at < thresholds.by_type.get(each.type, DEFAULT)
        for each in note.identifiers
    )
    return leaked / len(note.identifiers)


def _refusal(curve: Curve, required: int | None, guarantee: Guarantee) -> str:
    safest = curve.points[0]
    only = len(curve.points) == 1
    where = "with rules alone" if only else "at the lowest threshold"
    if required is None:
        return (
            f"no guarantee: {where} {safest.loss:.2%} of a note's identifiers leak on average, and no "
            f"number of notes like these shows {guarantee.in_words()}; allow more (--risk), or use a better "
            "model (--model)"
        )
    return (
        f"no guarantee: {quantity(curve.notes, 'note')}, with leaks of {safest.loss:.2%} on average {where}, show a "
        f"risk of {safest.bound:.4f} at most; {guarantee.in_words()} takes about {required:,} notes like "
        f"these, {max(1, required - curve.notes):,} more"
    )


def _curves_by_type(
    notes: Sequence[Evidence], grid: Sequence[float], guarantee: Guarantee
) -> tuple[dict[str, Curve], dict[str, int | None]]:
    """A curve for each type with a guarantee; for each other type the notes it would take."""
    groups: Groups = {}
    for note in notes:
        for type in {each.type for each in note.identifiers}:
            group = tuple(each for each in note.identifiers if each.type == type)
            groups.setdefault(type, []).append(group)
    commonest = sorted(groups, key=lambda type: (-len(groups[type]), type))
    tested = commonest[: _testable_types([len(groups[type]) for type in commonest], guarantee)]
    confidence = _confidence_each(guarantee, len(tested))
    words = unmarked_words(notes)
    curves: dict[str, Curve] = {}
    notes_lacking: dict[str, int | None] = {}
    for type in sorted(groups):
        losses = losses_of(groups[type], lambda each: each.covered_by_type_at, grid)
        if type in tested:
            doubtful = [(dict(each.word.types).get(type, 0.0), each) for each in words]
            curve = measure_curve(losses, notes, doubtful, guarantee, confidence)
            if certified(curve.points, guarantee.risk) is not None:
                curves[type] = curve
                continue
        own_confidence = (
            confidence if type in tested else _confidence_each(guarantee, len(tested) + 1)
        )
        notes_lacking[type] = notes_needed(
            losses[0][1], guarantee.risk, guarantee.effective_bound, own_confidence
        )
    if not curves:
        least = notes_needed(
            np.zeros(0), guarantee.risk, guarantee.effective_bound, guarantee.confidence
        )
        raise CalibrationError(
            f"no guarantee for any type: {guarantee.in_words()} takes {least:,} notes with identifiers "
            f"of one type and no leak; the commonest type is in {quantity(len(groups[commonest[0]]), 'note')}"
        )
    return curves, notes_lacking


def _testable_types(counts: Sequence[int], guarantee: Guarantee) -> int:
    """How many of the types, the commonest first, could all be certified by their numbers."""
    for sharing in range(len(counts), 0, -1):
        confidence = _confidence_each(guarantee, sharing)
        least = notes_needed(np.zeros(0), guarantee.risk, guarantee.effective_bound, confidence)
        if least is not None and counts[sharing - 1] >= least:
            return sharing
    return 0


def _confidence_each(guarantee: Guarantee, types: int) -> float:
    """The confidence that each of several guarantees needs so that all hold with the one asked."""
    return 1 - (1 - guarantee.confidence) / max(types, 1)


def losses_of(
    groups: Sequence[Sequence[Identifier]], level: Level, grid: Sequence[float]
) -> list[tuple[float, Losses]]:
    """For each threshold the share of each note's identifiers that leak."""
    levels = [np.array([level(each) for each in group]) for group in groups]
    return [(t, np.array([float((each < t).mean()) for each in levels])) for t in grid]


def unmarked_words(notes: Sequence[Evidence]) -> list[WordEvidence]:
    """The uncertain words that only a threshold would redact."""
    return [word for note in notes for word in note.words if word.unmarked]


def measure_curve(
    losses: list[tuple[float, Losses]],
    notes: Sequence[Evidence],
    doubtful: Sequence[tuple[float, WordEvidence]],
    guarantee: Guarantee,
    confidence: float,
) -> Curve:
    """What leaks, what that bounds and what it costs, at each threshold.

    `doubtful` has the words that thresholds may add, each with the score compared to them.
    """
    levels = np.array([level for level, _ in doubtful])
    sizes = np.array([word.outside for _, word in doubtful])
    hidden = sum(note.hidden for note in notes)
    outside = max(1, sum(note.outside for note in notes))
    points = tuple(
        replace(
            point, over_redaction=(hidden + int(sizes[levels >= point.threshold].sum())) / outside
        )
        for point in curve_of(losses, guarantee.effective_bound, confidence)
    )
    return Curve(len(losses[0][1]), confidence, points)


def fit_scales(notes: Sequence[Evidence]) -> Scales:
    """Scales from notes that the model has not learned from (out-of-fold, or a site's own).

    Logistic regression of "the word is in an identifier of this type" on the log-odds that the
    model gave, for each type over all uncertain words that it was thought possible for.
    """
    shares: dict[str, list[float]] = {}
    right: dict[str, list[bool]] = {}
    for note in notes:
        for each in note.words:
            for type, share in each.word.types:
                if share >= FLOOR:
                    shares.setdefault(type, []).append(share)
                    right.setdefault(type, []).append(type in each.gold)
    return Scales({type: _fit(shares[type], right[type]) for type in sorted(shares)})


def _fit(shares: Sequence[float], right: Sequence[bool]) -> tuple[float, float]:
    """Newton's method on the penalised likelihood, which has one peak."""
    shares_inside = np.clip(np.array(shares), _EDGE, 1 - _EDGE)
    odds = np.log(shares_inside / (1 - shares_inside))
    inputs = np.stack([odds, np.ones_like(odds)], axis=1)
    truth = np.array(right, np.float64)
    coefficients = np.array([1.0, 0.0])
    for _ in range(_ROUNDS):
        guess = 1 / (1 + np.exp(-inputs @ coefficients))
        slope = inputs.T @ (guess - truth) + PRIOR * (coefficients - (1.0, 0.0))
        bend = (inputs * (guess * (1 - guess))[:, None]).T @ inputs + PRIOR * np.eye(2)
        step = np.linalg.solve(bend, slope)
        coefficients = coefficients - step * min(1.0, 2.0 / float(np.abs(step).max() + 1e-12))
        if np.abs(step).max() < 1e-9:
            break
    return max(_SMALLEST_SLOPE, float(coefficients[0])), float(coefficients[1])


def write_calibration(calibration: Calibration, path: Path) -> None:
    """Write a calibration file, whole or not at all."""
    values = asdict(calibration)
    values["scales"] = calibration.scales.by_type
    for curve in filter(None, (values["curve"], *values["types"].values())):
        for point in curve["points"]:
            if math.isinf(point["threshold"]):
                point["threshold"] = None
    content = json.dumps({"kind": KIND, "schema": SCHEMA, **values}, indent=1)
    write_private(path, content.encode() + b"\n")
