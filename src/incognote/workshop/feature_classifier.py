"""A plain classifier on the vectors of texts: logistic regression, in seconds and without torch.

Where texts are few or a network is too much: the encoder stays as it is, and only weights on its
vectors are learned. How strongly weights are held small is chosen by cross-validation, whose accuracy
is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from incognote.base.errors import InputError

Vectors = npt.NDArray[np.float64]

PENALTIES = (1e-3, 1e-2, 1e-1, 1.0)
"""Of the squared weights, per text; the middle of those that are as good is taken."""
FOLDS = 5
_STEPS = 1000
_SLOPE, _SLOPE_ON_TRIAL = 1e-5, 1e-3
"""Learning ends where no slope is steeper; to choose a penalty less will do."""


@dataclass(frozen=True, eq=False)
class FeatureClassifier:
    """weights: [size + 1, labels], the last row for the constant; mean, scale: [size], of the vectors."""

    labels: tuple[str, ...]
    weights: Vectors
    mean: Vectors
    scale: Vectors

    def probabilities(self, vectors: npt.NDArray[np.floating]) -> Vectors:
        """[texts, size] to [texts, labels]."""
        return _softmax(_rows(vectors, self.mean, self.scale) @ self.weights)


@dataclass(frozen=True, eq=False)
class LearnedClassifier:
    """A classifier, the accuracy that cross-validation expects of it, and of always saying the same."""

    classifier: FeatureClassifier
    accuracy: float
    most_common: float
    penalty: float


def learn(
    vectors: npt.NDArray[np.floating], labels: Sequence[str], *, seed: int = 0
) -> LearnedClassifier:
    """Learn from vectors [texts, size] and their labels; each label needs two texts or more."""
    names, numbers = np.unique(np.array(labels), return_inverse=True)
    counts = np.bincount(numbers, minlength=len(names))
    if len(names) < 2:
        raise InputError("there is one label only: a classifier needs texts of two or more")
    if counts.min() < 2:
        rare = str(names[counts.argmin()])
        raise InputError(f"label {rare!r} has one text only: give each label two or more")
    if not np.isfinite(vectors).all():
        raise InputError("the encoder sees nothing of a text: leave it out")
    folds = _folds(numbers, min(FOLDS, int(counts.min())), seed)
    right = [
        sum(_right(vectors, numbers, len(names), fold, penalty) for fold in folds)
        for penalty in PENALTIES
    ]
    best = np.flatnonzero(np.array(right) == max(right))
    penalty = PENALTIES[best[len(best) // 2]]
    return LearnedClassifier(
        _fit(vectors, numbers, tuple(map(str, names)), penalty),
        max(right) / len(numbers),
        float(counts.max() / len(numbers)),
        penalty,
    )


def _folds(numbers: npt.NDArray[np.int64], count: int, seed: int) -> list[npt.NDArray[np.bool_]]:
    """Which texts each fold leaves out; every label is spread over all folds."""
    order = np.random.default_rng(seed).permutation(len(numbers))
    order = order[np.argsort(numbers[order], kind="stable")]
    fold_of = np.empty(len(numbers), np.int64)
    fold_of[order] = np.arange(len(numbers)) % count
    return [fold_of == fold for fold in range(count)]


def _right(
    vectors: npt.NDArray[np.floating],
    numbers: npt.NDArray[np.int64],
    labels: int,
    left_out: npt.NDArray[np.bool_],
    penalty: float,
) -> int:
    """How many texts of a fold are told right by what the others teach."""
    names = tuple(map(str, range(labels)))
    learned = _fit(vectors[~left_out], numbers[~left_out], names, penalty, _SLOPE_ON_TRIAL)
    guesses = learned.probabilities(vectors[left_out]).argmax(1)
    return int((guesses == numbers[left_out]).sum())


def _fit(
    vectors: npt.NDArray[np.floating],
    numbers: npt.NDArray[np.int64],
    labels: tuple[str, ...],
    penalty: float,
    steepest: float = _SLOPE,
) -> FeatureClassifier:
    """The one minimum of the mean log loss with the penalty, by Nesterov's accelerated descent."""
    mean = vectors.mean(0, dtype=np.float64)
    spread = vectors.std(0, dtype=np.float64)
    scale = np.where(spread > 0, spread, 1.0)
    rows = _rows(vectors, mean, scale)
    wanted = np.eye(len(labels))[numbers]
    held = np.full((rows.shape[1], 1), penalty)
    held[-1] = 0  # the constant is free
    # The loss bends at most so much; half the largest eigenvalue bounds the softmax.
    bend = 0.5 * float(np.linalg.norm(rows, 2) ** 2) / len(rows) + penalty
    weights = ahead = np.zeros((rows.shape[1], len(labels)))
    speed = 0
    for _ in range(_STEPS):
        slope = rows.T @ (_softmax(rows @ ahead) - wanted) / len(rows) + held * ahead
        if np.abs(slope).max() < steepest:
            break
        before, weights = weights, ahead - slope / bend
        if (slope * (weights - before)).sum() > 0:  # uphill: the speed is lost
            speed = 0
        speed += 1
        ahead = weights + speed / (speed + 3) * (weights - before)
    return FeatureClassifier(labels, ahead, mean, scale)


def _rows(vectors: npt.NDArray[np.floating], mean: Vectors, scale: Vectors) -> Vectors:
    standard = (vectors - mean) / scale
    return np.concatenate([standard, np.ones((len(standard), 1))], axis=1)


def _softmax(logits: Vectors) -> Vectors:
    powers = np.exp(logits - logits.max(1, keepdims=True))
    return np.asarray(powers / powers.sum(1, keepdims=True))
