"""Which notes people read, and what these say of all notes.

The statistical sample is drawn at random, so that it stands for all notes. Within it, and in the rest
behind it, the notes with the most expected misses come first: what was read of a sample that is not
finished is therefore worse than the whole, and says so.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np

from incognote.base.errors import RunError
from incognote.base.options import Option, at_least, between, check
from incognote.document import Document
from incognote.evaluate.guarantee import MOST_NOTES, Losses, notes_needed, risk_bound
from incognote.evaluate.resampling import Resampling, draw_resamples

_review = partial(Option, panel="Review")

DEFAULT_SAMPLE, DEFAULT_RISK = 200, 0.01
FEW = 20
"""Notes of which drawing again would make an interval that is too narrow."""


@dataclass(frozen=True, kw_only=True)
class SamplePlan:
    """How many notes people read."""

    sample: Annotated[
        int | None,
        _review(
            f"Number of notes to read, drawn at random: {DEFAULT_SAMPLE} by default, or all if there "
            "are fewer.",
            at_least(1),
        ),
    ] = None
    risk: Annotated[
        float | None,
        _review(
            "Share of a note's identifiers that may leak, on average over notes: 0.01 by default. If it "
            "is given without --sample, as many notes are drawn as show it if nothing was missed in "
            "them.",
            between(0, 1),
        ),
    ] = None
    all: Annotated[bool, _review("Read all notes.")] = False
    confidence: Annotated[
        float, _review("Confidence of the intervals and of the guarantee.", between(0.5, 0.9999))
    ] = 0.95
    double: Annotated[
        float,
        _review(
            "Share of the sample that two people read, each without seeing the other's marks, such as "
            "0.2. Where they differ, an adjudicator decides.",
            between(0, 1),
        ),
    ] = 0.0
    seed: Annotated[int, _review("Seed of the draw.", at_least(0))] = 0

    def __post_init__(self) -> None:
        check(self, RunError)
        if not 0 < self.allowed_risk < 1:
            raise RunError("--risk lies between 0 and 1")
        if self.all and self.sample is not None:
            raise RunError("--all reads all notes: leave --sample out")

    @property
    def allowed_risk(self) -> float:
        """The risk that the guarantee is about."""
        return DEFAULT_RISK if self.risk is None else self.risk

    def size(self, notes: int) -> int:
        """Of the sample, out of so many notes."""
        if self.all:
            return notes
        if self.sample is not None:
            return min(notes, self.sample)
        if self.risk is not None:
            clean = np.zeros(0)
            return min(notes, notes_needed(clean, self.risk, "betting", self.confidence) or notes)
        return min(notes, DEFAULT_SAMPLE)


@dataclass(frozen=True)
class Place:
    """Where a note stands in the queue."""

    index: int
    sampled: bool
    readers: int


def queue(expected_missed: Sequence[float], plan: SamplePlan) -> list[Place]:
    """The sample first, then the rest; in each the notes with the most expected misses first."""
    draw = random.Random(plan.seed)
    count = len(expected_missed)
    sampled = draw.sample(range(count), plan.size(count))
    doubled = set(draw.sample(sampled, round(plan.double * len(sampled))))
    chosen = set(sampled)
    order = sorted(range(count), key=lambda n: (n not in chosen, -expected_missed[n], n))
    return [Place(n, n in chosen, 2 if n in doubled else 1) for n in order]


@dataclass(frozen=True)
class Finding:
    """What people found of a note: its identifiers, those that detection had missed, and what it
    had marked without reason.
    """

    identifiers: int
    missed: int
    marked: int
    removed: int

    @property
    def loss(self) -> float:
        """The share of its identifiers that would have leaked."""
        return self.missed / self.identifiers if self.identifiers else 0.0


def finding(detected: Document, final: Document) -> Finding:
    """What the final marks say of the detected ones, over letters and digits as `score` does."""
    text = detected.text
    hidden = bytearray(len(text))
    for span in detected.spans:
        hidden[span.start : span.end] = b"\1" * (span.end - span.start)
    right = bytearray(len(text))
    for span in final.spans:
        right[span.start : span.end] = b"\1" * (span.end - span.start)
    missed = sum(
        any(text[n].isalnum() and not hidden[n] for n in range(span.start, span.end))
        for span in final.spans
    )
    removed = sum(not any(right[span.start : span.end]) for span in detected.spans)
    return Finding(len(final.spans), missed, len(detected.spans), removed)


@dataclass(frozen=True)
class Estimate:
    """A figure with its interval; None where nothing was read yet."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Statistics:
    """What the sample says of all notes as detection leaves them."""

    notes: int
    sample: int
    read: int
    identifiers: int
    missed: int
    removed: int
    recall: Estimate
    leaked_notes: Estimate
    risk: float
    risk_at_most: float | None
    """With the confidence, the mean share of a note's identifiers that leak is at most this."""
    notes_lacking: int | None
    """How many more notes without a miss the guarantee needs; None: more than there ever are."""
    complete: bool
    confidence: float

    def to_json(self) -> dict[str, Any]:
        """For the page and the report."""
        return {
            **{
                name: value for name, value in vars(self).items() if not isinstance(value, Estimate)
            },
            "recall": vars(self.recall),
            "leaked_notes": vars(self.leaked_notes),
        }


def statistics(
    findings: Sequence[Finding], *, notes: int, sample: int, risk: float, confidence: float
) -> Statistics:
    """From the notes of the sample that were read."""
    identifiers = sum(each.identifiers for each in findings)
    missed = sum(each.missed for each in findings)
    losses = np.array([each.loss for each in findings if each.identifiers], np.float64)
    leaking = sum(each.missed > 0 for each in findings)
    bound = risk_bound(losses, "betting", confidence) if len(losses) else None
    return Statistics(
        notes=notes,
        sample=sample,
        read=len(findings),
        identifiers=identifiers,
        missed=missed,
        removed=sum(each.removed for each in findings),
        recall=_recall(findings, confidence),
        leaked_notes=_share(leaking, len(findings), confidence),
        risk=risk,
        risk_at_most=bound,
        notes_lacking=_lacking(losses, risk, confidence),
        complete=len(findings) >= sample,
        confidence=confidence,
    )


def _lacking(losses: Losses, risk: float, confidence: float) -> int | None:
    """How many clean notes after these would show the risk."""
    most = notes_needed(np.zeros(0), risk, "betting", confidence)
    if most is None:
        return None

    def is_enough(more: int) -> bool:
        return risk_bound(np.concatenate([losses, np.zeros(more)]), "betting", confidence) <= risk

    if len(losses) and is_enough(0):
        return 0
    low, high = 0, most
    while not is_enough(high):
        low, high = high, high * 2
        if high > MOST_NOTES:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def _recall(findings: Sequence[Finding], confidence: float) -> Estimate:
    """Of identifiers, with an interval from drawing the notes again.

    Where there are few notes, or no miss, drawing again shows too little: the interval is then the
    bound on the share of a note's identifiers that leaks, up to no leak at all.
    """
    wanted = np.array([each.identifiers for each in findings], np.float64)
    missed = np.array([each.missed for each in findings], np.float64)
    if not wanted.sum():
        return Estimate(None, None, None)
    value = float(1 - missed.sum() / wanted.sum())
    with_some = wanted > 0
    if not missed.any() or np.count_nonzero(with_some) < FEW:
        losses = missed[with_some] / wanted[with_some]
        low = min(value, 1 - risk_bound(losses, "betting", confidence))
        return Estimate(value, low, 1.0)
    draws: list[float] = []
    for counts in draw_resamples(len(findings), Resampling()):
        totals = counts @ wanted
        shares = (counts @ missed)[totals > 0] / totals[totals > 0]
        draws += (1 - shares).tolist()
    tail = (1 - confidence) / 2
    low, high = np.quantile(draws, [tail, 1 - tail])
    return Estimate(value, float(low), float(high))


def _share(hits: int, count: int, confidence: float) -> Estimate:
    """A share with the exact interval of Clopper and Pearson."""
    if not count:
        return Estimate(None, None, None)
    tail = (1 - confidence) / 2
    low = 0.0 if not hits else _root(lambda p: 1 - _binomial(hits - 1, count, p), tail)
    high = 1.0 if hits == count else _root(lambda p: 1 - _binomial(hits, count, p), 1 - tail)
    return Estimate(hits / count, low, high)


def _root(rising: Callable[[float], float], wanted: float) -> float:
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < wanted else (low, middle)
    return (low + high) / 2


def _binomial(most: int, count: int, share: float) -> float:
    """P(Binomial(count, share) <= most)."""
    if share <= 0:
        return 1.0
    if share >= 1:
        return float(most >= count)
    hits = np.arange(1, most + 1)
    steps = np.log((count - hits + 1) / hits) + np.log(share) - np.log1p(-share)
    terms = np.concatenate(([0.0], np.cumsum(steps))) + count * np.log1p(-share)
    return float(min(1.0, np.exp(terms).sum()))
