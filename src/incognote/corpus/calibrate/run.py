"""From evidence to a calibration, or to a refusal that says what is lacking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from incognote.base.errors import CalibrationError
from incognote.base.messages import quantity
from incognote.calibration.site_file import Curve, Site
from incognote.corpus.calibrate.curves import losses_of, measured, unmarked_words
from incognote.corpus.calibrate.evidence import Evidence
from incognote.corpus.calibrate.per_type import by_type
from incognote.corpus.calibrate.promise import Promise
from incognote.corpus.calibrate.scales import fit_scales
from incognote.detect.suspects import Scales
from incognote.detect.thresholds import Thresholds
from incognote.evaluate.guarantee import DEFAULT, GRID, certified, notes_needed


@dataclass(frozen=True)
class Calibrated:
    """The calibration, and what its thresholds do on the notes it was made from."""

    site: Site
    chosen: Thresholds
    default_loss: float
    chosen_loss: float
    default_over_redaction: float
    chosen_over_redaction: float
    lacking: Mapping[str, int | None] = field(default_factory=dict)
    """By type without a promise: how many notes it would take; None if notes do not help."""


def calibrate(
    notes: Sequence[Evidence], detector: Mapping[str, Any], promise: Promise
) -> Calibrated:
    """Thresholds for the promise, or an error that says how many more notes they need."""
    order = np.random.default_rng(0).permutation(len(notes)).tolist()
    with_some = [notes[place] for place in order if notes[place].identifiers]
    if not with_some:
        raise CalibrationError(
            "no note has an annotated identifier: calibrate needs annotated notes"
        )
    grid = GRID if detector["model"] is not None else (DEFAULT,)
    site = Site(
        method=promise.method,
        bound=promise.how,
        confidence=promise.confidence,
        risk=promise.risk,
        notes=len(with_some),
        notes_without_identifiers=len(notes) - len(with_some),
        identifiers=sum(len(note.identifiers) for note in with_some),
        detector=detector,
        curve=None,
        types={},
        unsupported=(),
        scales=fit_scales(notes) if detector["model"] is not None else Scales(),
    )
    lacking: dict[str, int | None] = {}
    if promise.per_type:
        types, lacking = by_type(notes, grid, promise)
        site = replace(site, types=types, unsupported=tuple(lacking))
    else:
        site = replace(site, curve=_overall(with_some, notes, grid, promise))
    chosen = site.thresholds(1 - promise.risk)
    return Calibrated(
        site,
        chosen,
        _mean_loss(with_some, Thresholds()),
        _mean_loss(with_some, chosen),
        over_redaction(notes, Thresholds()),
        over_redaction(notes, chosen),
        lacking,
    )


def over_redaction(notes: Sequence[Evidence], thresholds: Thresholds) -> float:
    """The share of the characters outside gold that these thresholds hide, blanks left out."""
    outside = sum(note.outside for note in notes)
    return sum(note.hidden_at(thresholds) for note in notes) / outside if outside else 0.0


def _overall(
    with_some: Sequence[Evidence],
    notes: Sequence[Evidence],
    grid: Sequence[float],
    promise: Promise,
) -> Curve:
    losses = losses_of([note.identifiers for note in with_some], lambda each: each.covered_at, grid)
    doubtful = [(word.suspect.score, word) for word in unmarked_words(notes)]
    curve = measured(losses, notes, doubtful, promise, promise.confidence)
    if certified(curve.points, promise.risk) is None:
        needed = notes_needed(losses[0][1], promise.risk, promise.how, promise.confidence)
        raise CalibrationError(_refusal(curve, needed, promise))
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


def _refusal(curve: Curve, needed: int | None, promise: Promise) -> str:
    safest = curve.points[0]
    only = len(curve.points) == 1
    where = "with rules alone" if only else "at the lowest threshold"
    if needed is None:
        return (
            f"no guarantee: {where} {safest.loss:.2%} of a note's identifiers leak on average, and no "
            f"number of notes like these shows {promise.in_words()}; allow more (--risk), or use a better "
            "model (--model)"
        )
    return (
        f"no guarantee: {quantity(curve.notes, 'note')}, with leaks of {safest.loss:.2%} on average {where}, show a "
        f"risk of {safest.bound:.4f} at most; {promise.in_words()} takes about {needed:,} notes like "
        f"these, {max(1, needed - curve.notes):,} more"
    )
