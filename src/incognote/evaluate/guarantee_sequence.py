"""Which threshold the notes support: Learn-then-Test in a fixed sequence.

Thresholds are tested from the lowest, where most is redacted and least leaks, upwards; the first
that fails ends the sequence, and the last that passed is taken. Let r be the risk promised, and t
the first threshold in the sequence whose true risk exceeds r. To choose t or a later one, the test
at t must have passed, and that has a probability of at most 1 - confidence. So there is nothing to
correct for the number of thresholds. The sequence is fixed before a note is looked at.

This holds for one r, chosen beforehand. A curve answers other r too, each with the same confidence
by itself, not all at once: whoever tries several and keeps the one they like has no guarantee.
Conformal risk control takes the same walk; its promise needs losses that never fall as the
threshold rises, which is so by construction (`detect.thresholds`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from incognote.evaluate.guarantee import Bound, Losses, risk_bound

DEFAULT = math.inf
"""The threshold of the default operating point: no word is redacted for its score alone."""

GRID = (
    *(0.001, 0.0015, 0.002, 0.003, 0.005, 0.007, 0.01, 0.015, 0.02, 0.03, 0.05, 0.07),
    *(0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, DEFAULT),
)
"""The thresholds, in the order in which they are tested."""

_ROUNDING = 1e-9


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
