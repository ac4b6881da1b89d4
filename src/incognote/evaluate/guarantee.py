"""How much may leak in notes not seen yet, judged by notes that were: bounds for finitely many.

The unit is the note, because identifiers of one note leak together. A note's *loss* is the share of
its identifiers that leak, from 0 to 1; the *risk* is the mean loss over all notes of the same kind.
Nothing is assumed of the losses but that notes are independent draws.

- **Hoeffding-Bentkus**: p = min(exp(-n h(m, r)), e P(Binomial(n, r) <= ceil(n m))) for the mean loss
  m and the hypothesis that the risk exceeds r, where h is the relative entropy of two coins.
- **Betting** (Waudby-Smith and Ramdas): a gambler who bets against a risk of r multiplies their
  stake by 1 - b (loss - r) with each note. If the risk is r or more this is a fair game or worse,
  so the stake ever grows 1/delta-fold with probability delta at most (Ville). The bets b depend on
  earlier notes only, never on r, so p falls as r grows, and a bound follows by inversion. It uses
  the spread of the losses, and is much tighter where notes leak one identifier of many.
- **Conformal** (conformal risk control): (n m + 1) / (n + 1). It bounds the risk on average over
  draws of the notes, without any confidence.

Which threshold the notes support is decided by Learn-then-Test in a fixed sequence: thresholds are
tested from the lowest, where most is redacted and least leaks, upwards; the first that fails ends
the sequence, and the last that passed is taken. Let r be the risk guaranteed, and t the first
threshold in the sequence whose true risk exceeds r. To choose t or a later one, the test at t must
have passed, and that has a probability of at most 1 - confidence. So there is nothing to correct
for the number of thresholds. The sequence is fixed before a note is looked at.

This holds for one r, chosen beforehand. A curve answers other r too, each with the same confidence
by itself, not all at once: whoever tries several and keeps the one they like has no guarantee.
Conformal risk control takes the same walk; its guarantee needs losses that never fall as the
threshold rises, which is so by construction (`detect.thresholds`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

Bound = Literal["betting", "hoeffding-bentkus", "conformal"]
Losses = npt.NDArray[np.float64]

DEFAULT = math.inf
"""The threshold of the default operating point: no word is redacted for its score alone."""

GRID = (
    *(0.001, 0.0015, 0.002, 0.003, 0.005, 0.007, 0.01, 0.015, 0.02, 0.03, 0.05, 0.07),
    *(0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, DEFAULT),
)
"""The thresholds, in the order in which they are tested."""

MOST_NOTES = 2_000_000
"""More than anybody annotates: beyond this the answer is that notes do not help."""

_LARGEST_BET = 0.95
_PRIOR_VARIANCE = 1 / 400
_ROUNDING = 1e-9
_STEPS = 50


def p_value(losses: Losses, risk: float, bound: Bound, confidence: float) -> float:
    """Small if the losses contradict a risk above `risk`. The bets are made for `confidence`."""
    if bound == "conformal":
        raise ValueError("conformal risk control has no p-value")
    if not 0 < risk < 1:
        raise ValueError(f"a risk must lie between 0 and 1, not {risk}")
    if not len(losses):
        return 1.0
    if bound == "betting":
        return _betting_p_value(losses, _bets(losses, confidence), risk)
    return hoeffding_bentkus(float(losses.mean()), len(losses), risk)


def risk_bound(losses: Losses, bound: Bound, confidence: float) -> float:
    """What the risk is at most: with this confidence, or for `conformal` in expectation."""
    count = len(losses)
    if not count:
        return 1.0
    if bound == "conformal":
        return min(1.0, (float(losses.sum()) + 1) / (count + 1))
    bets = _bets(losses, confidence)
    mean = float(losses.mean())

    def is_refuted(risk: float) -> bool:
        if bound == "betting":
            return _betting_p_value(losses, bets, risk) <= 1 - confidence
        return hoeffding_bentkus(mean, count, risk) <= 1 - confidence

    low, high = mean, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if is_refuted(middle) else (middle, high)
    return high


def notes_needed(losses: Losses, risk: float, bound: Bound, confidence: float) -> int | None:
    """How many notes would show a risk of at most `risk`, were further ones like these.

    None: no number would, since these leak as much or more. Without losses, clean ones are meant.
    """
    sample = losses if len(losses) else np.zeros(1)
    if float(sample.mean()) >= risk:
        return None

    def is_enough(count: int) -> bool:
        return risk_bound(np.resize(sample, count), bound, confidence) <= risk + _ROUNDING

    low, high = 0, max(1, int(0.5 / risk))
    while not is_enough(high):
        low, high = high, high * 2
        if high > MOST_NOTES:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def hoeffding_bentkus(mean: float, count: int, risk: float) -> float:
    """The p-value of a risk above `risk`, from a mean loss of `count` notes."""
    if mean >= risk:
        return 1.0
    hoeffding = -count * _relative_entropy(mean, risk)
    bentkus = 1.0 + _log_binomial(math.ceil(count * mean - _ROUNDING), count, risk)
    return math.exp(min(0.0, hoeffding, bentkus))


def _relative_entropy(mean: float, risk: float) -> float:
    """Of a coin that falls on 1 with the probability `mean`, against one with `risk`."""
    rest = (1 - mean) * math.log((1 - mean) / (1 - risk))
    return rest if mean == 0 else mean * math.log(mean / risk) + rest


def _log_binomial(most: int, count: int, share: float) -> float:
    """The logarithm of P(Binomial(count, share) <= most)."""
    hits = np.arange(most + 1)
    steps = np.log((count - hits[1:] + 1) / hits[1:]) + math.log(share) - math.log1p(-share)
    terms = np.concatenate(([0.0], np.cumsum(steps))) + count * math.log1p(-share)
    peak = float(terms.max())
    return peak + math.log(float(np.exp(terms - peak).sum()))


def _bets(losses: Losses, confidence: float) -> Losses:
    """What is staked on each note, by the spread of the ones before it."""
    count = len(losses)
    before = np.arange(1, count + 1)
    means = np.cumsum(losses) / (before + 1)
    spread = np.concatenate(([0.0], np.cumsum((losses - means) ** 2)[:-1]))
    variance = (_PRIOR_VARIANCE + spread) / before
    bets: Losses = np.sqrt(2 * math.log(1 / (1 - confidence)) / (count * variance))
    return np.minimum(_LARGEST_BET, bets)


def _betting_p_value(losses: Losses, bets: Losses, risk: float) -> float:
    """The p-value of a risk above `risk`: one over the most that the stake ever grew."""
    growth = float(np.cumsum(np.log1p(-bets * (losses - risk))).max())
    return math.exp(min(0.0, -growth))


@dataclass(frozen=True)
class Point:
    """A threshold, the mean loss of the notes there, and what the risk is at most."""

    threshold: float
    loss: float
    bound: float
    over_redaction: float = 0.0


def curve_of(
    losses: Sequence[tuple[float, Losses]], bound: Bound, confidence: float
) -> tuple[Point, ...]:
    """The curve from (threshold, losses of the notes) in the order of the sequence."""
    return tuple(
        Point(
            threshold, float(each.mean()) if len(each) else 0.0, risk_bound(each, bound, confidence)
        )
        for threshold, each in losses
    )


def certified(curve: Sequence[Point], risk: float) -> Point | None:
    """The last point of the sequence before the first whose risk may exceed `risk`."""
    last = None
    for point in curve:
        if point.bound > risk + _ROUNDING:
            break
        last = point
    return last


@dataclass(frozen=True)
class Simulation:
    """How often a guarantee was true, over many samples from notes whose risk is known.

    valid: the draws whose guarantee held; a draw that gave none counts as valid too. refusals: the
    draws that gave none. mean_risk: the mean true risk of the others.
    """

    draws: int
    valid: int
    refusals: int
    mean_risk: float


def simulate(
    losses: Losses,
    risk: float,
    bound: Bound,
    confidence: float,
    *,
    size: int,
    draws: int = 500,
    seed: int = 0,
) -> Simulation:
    """Calibrate on `draws` samples of `size` notes, drawn independently from a pool.

    losses: [thresholds in the order of the sequence, notes of the pool]. A threshold's true risk is
    its mean loss over the pool.
    """
    true_risks = losses.mean(axis=1)
    chance = np.random.default_rng(seed)
    risks: list[float] = []
    for _ in range(draws):
        notes = chance.integers(0, losses.shape[1], size)
        last = -1
        while (
            last + 1 < len(losses)
            and p_value(losses[last + 1, notes], risk, bound, confidence) <= 1 - confidence
        ):
            last += 1
        if last >= 0:
            risks.append(float(true_risks[last]))
    breaches = sum(each > risk for each in risks)
    mean = float(np.mean(risks)) if risks else 0.0
    return Simulation(draws, draws - breaches, draws - len(risks), mean)
