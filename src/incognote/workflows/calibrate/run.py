"""From evidence to a calibration, or to a refusal that says what is lacking."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from incognote.detect.suspects import Scales
from incognote.detect.thresholds import Thresholds
from incognote.evaluate.guarantee import Bound, Losses, notes_needed
from incognote.evaluate.guarantee_sequence import DEFAULT, GRID, certified, curve_of
from incognote.workflows.calibrate.evidence import Evidence, Identifier, SeenWord
from incognote.workflows.calibrate.scales import fit_scales
from incognote.workflows.calibrate.site_file import CalibrationError, Curve, Method, Site


@dataclass(frozen=True)
class Promise:
    """What is asked for: at most `risk` of a note's identifiers leak in the mean.

    `ltt` promises it with `confidence`; `crc` in expectation over the notes that calibrate.
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
    def how(self) -> Bound:
        """The bound that the method stands on."""
        return "conformal" if self.method == "crc" else self.bound


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


Level = Callable[[Identifier], float]


def calibrate(
    notes: Sequence[Evidence], detector: Mapping[str, Any], promise: Promise
) -> Calibrated:
    """Thresholds for the promise, or an error that says how many more notes they need."""
    order = np.random.default_rng(0).permutation(len(notes)).tolist()
    with_some = [notes[place] for place in order if notes[place].identifiers]
    if not with_some:
        raise CalibrationError("no note has an annotated identifier: calibrate needs gold marks")
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
        types, lacking = _by_type(with_some, notes, grid, promise)
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
    losses = _losses([note.identifiers for note in with_some], lambda each: each.covered_at, grid)
    doubtful = [(word.suspect.score, word) for word in _unmarked(notes)]
    curve = _curve(losses, notes, doubtful, promise, promise.confidence)
    if certified(curve.points, promise.risk) is None:
        needed = notes_needed(losses[0][1], promise.risk, promise.how, promise.confidence)
        raise CalibrationError(_refusal(curve, needed, promise))
    return curve


def _by_type(
    with_some: Sequence[Evidence],
    notes: Sequence[Evidence],
    grid: Sequence[float],
    promise: Promise,
) -> tuple[dict[str, Curve], dict[str, int | None]]:
    """A curve for each type with a promise; together they hold with the confidence asked for.

    A type's loss counts only what its own threshold adds, so that it is right whatever the other
    thresholds are. Types share the error that is allowed; how many share is told by the numbers
    of notes alone, never by what leaks in them.
    """
    groups: dict[str, list[tuple[Identifier, ...]]] = {}
    for note in with_some:
        for type in {each.type for each in note.identifiers}:
            group = tuple(each for each in note.identifiers if each.type == type)
            groups.setdefault(type, []).append(group)
    sharing = _sharing([len(group) for group in groups.values()], promise)
    confidence = promise.confidence
    if promise.method == "ltt":
        confidence = 1 - (1 - promise.confidence) / max(sharing, 1)
    least = notes_needed(np.zeros(0), promise.risk, promise.how, confidence)
    words = _unmarked(notes)
    curves: dict[str, Curve] = {}
    lacking: dict[str, int | None] = {}
    for type in sorted(groups):
        losses = _losses(groups[type], lambda each: each.covered_by_type_at, grid)
        if least is not None and len(groups[type]) >= least:
            doubtful = [(dict(word.suspect.types).get(type, 0.0), word) for word in words]
            curve = _curve(losses, notes, doubtful, promise, confidence)
            if certified(curve.points, promise.risk) is not None:
                curves[type] = curve
                continue
        lacking[type] = notes_needed(losses[0][1], promise.risk, promise.how, confidence)
    if not curves:
        most = max(len(group) for group in groups.values())
        raise CalibrationError(
            f"no type has notes enough: {_in_words(promise)} takes {least:,} notes of a type without "
            f"a leak, and the commonest type is in {most:,}"
        )
    return curves, lacking


def _sharing(counts: Sequence[int], promise: Promise) -> int:
    """The most types that could all be certified, were none of their notes to leak."""
    for sharing in range(len(counts), 0, -1):
        confidence = 1 - (1 - promise.confidence) / sharing
        least = notes_needed(np.zeros(0), promise.risk, promise.how, confidence)
        if least is not None and sum(count >= least for count in counts) >= sharing:
            return sharing
    return 0


def _losses(
    groups: Sequence[Sequence[Identifier]], level: Level, grid: Sequence[float]
) -> list[tuple[float, Losses]]:
    """For each threshold the share of each note's identifiers that leak."""
    levels = [np.array([level(each) for each in group]) for group in groups]
    return [(t, np.array([float((each < t).mean()) for each in levels])) for t in grid]


def _unmarked(notes: Sequence[Evidence]) -> list[SeenWord]:
    return [word for note in notes for word in note.words if word.unmarked]


def _curve(
    losses: list[tuple[float, Losses]],
    notes: Sequence[Evidence],
    doubtful: Sequence[tuple[float, SeenWord]],
    promise: Promise,
    confidence: float,
) -> Curve:
    """`doubtful` has the words that thresholds may add, each with what is compared to them."""
    levels = np.array([level for level, _ in doubtful])
    sizes = np.array([word.outside for _, word in doubtful])
    hidden = sum(note.hidden for note in notes)
    outside = max(1, sum(note.outside for note in notes))
    points = tuple(
        replace(
            point, over_redaction=(hidden + int(sizes[levels >= point.threshold].sum())) / outside
        )
        for point in curve_of(losses, promise.how, confidence)
    )
    return Curve(len(losses[0][1]), confidence, points)


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


def _in_words(promise: Promise) -> str:
    confidence = f" with {promise.confidence:.6g} confidence" if promise.method == "ltt" else ""
    return f"a risk of {promise.risk:.6g}{confidence}"


def _refusal(curve: Curve, needed: int | None, promise: Promise) -> str:
    safest = curve.points[0]
    only = len(curve.points) == 1
    where = "at the only operating point of rules" if only else "at the lowest threshold"
    if needed is None:
        return (
            f"no promise: {where} {safest.loss:.2%} of a note's identifiers leak in the mean, and no "
            f"number of notes like these shows {_in_words(promise)}; promise less (--risk), or find "
            "more (--model)"
        )
    return (
        f"no promise: {curve.notes:,} notes, which leak {safest.loss:.2%} in the mean {where}, show a "
        f"risk of {safest.bound:.4f} at most; {_in_words(promise)} takes about {needed:,} notes like "
        f"these, {max(1, needed - curve.notes):,} more"
    )
