"""Fitting scales: two numbers for each type, by which probabilities come to mean what they say."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from incognote.corpus.calibrate.evidence import Evidence
from incognote.detect.suspects import FLOOR, Scales

PRIOR = 5.0
"""How firmly a scale stays at 1 and 0 until words speak against it; types with few words do."""

_ROUNDS = 60
_SMALLEST_SLOPE = 0.05
_EDGE = 1e-6


def fit_scales(notes: Sequence[Evidence]) -> Scales:
    """Scales from notes that the model has not learned from (out-of-fold, or a site's own).

    Logistic regression of "the word is in an identifier of this type" on the log-odds that the
    model gave, for each type over all suspects that it was thought possible for.
    """
    shares: dict[str, list[float]] = {}
    right: dict[str, list[bool]] = {}
    for note in notes:
        for word in note.words:
            for type, share in word.suspect.types:
                if share >= FLOOR:
                    shares.setdefault(type, []).append(share)
                    right.setdefault(type, []).append(type in word.gold)
    return Scales({type: _fit(shares[type], right[type]) for type in sorted(shares)})


def _fit(shares: Sequence[float], right: Sequence[bool]) -> tuple[float, float]:
    """Newton's method on the penalised likelihood, which has one peak."""
    kept = np.clip(np.array(shares), _EDGE, 1 - _EDGE)
    odds = np.log(kept / (1 - kept))
    inputs = np.stack([odds, np.ones_like(odds)], axis=1)
    wanted = np.array(right, np.float64)
    found = np.array([1.0, 0.0])
    for _ in range(_ROUNDS):
        guess = 1 / (1 + np.exp(-inputs @ found))
        slope = inputs.T @ (guess - wanted) + PRIOR * (found - (1.0, 0.0))
        bend = (inputs * (guess * (1 - guess))[:, None]).T @ inputs + PRIOR * np.eye(2)
        step = np.linalg.solve(bend, slope)
        found = found - step * min(1.0, 2.0 / float(np.abs(step).max() + 1e-12))
        if np.abs(step).max() < 1e-9:
            break
    return max(_SMALLEST_SLOPE, float(found[0])), float(found[1])
