"""A plain classifier on the vectors of texts: logistic regression, in seconds and without torch.

Where texts are few or a network is too much: the encoder stays as it is, and only weights on its
vectors are learned. How strongly weights are held small is chosen by cross-validation, whose accuracy
is told. `learn_from` learns from a table of texts and labels; a file keeps what was learned, for the
encoder that it was learned with.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from incognote.base.errors import InputError
from incognote.base.files import write_whole
from incognote.workshop.encoders.text_encoder import TextEncoder
from incognote.workshop.features import Pool, text_features
from incognote.workshop.tasks.columns import Columns, read_columns
from incognote.workshop.tasks.task import SentenceExample, task_named

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


# Texts and files

SCHEMA = 1
_PROBE = "The patient denies chest pain; follow up in two weeks with Dr. Okafor."
_NEAR = 0.999
"""The cosine from which on two vectors of the probe are of one encoder, on whatever machine."""


@dataclass(frozen=True, eq=False)
class TextClassifier:
    """A classifier with the encoder whose vectors it reads."""

    learned: LearnedClassifier
    encoder: TextEncoder
    pool: Pool

    def probabilities(self, texts: Sequence[str]) -> Vectors:
        """[texts, labels]; a text of which the encoder sees nothing is refused."""
        return self.learned.classifier.probabilities(_vectors(texts, self.encoder, self.pool))

    def save(self, path: Path) -> None:
        """One file: weights, and how the encoder reads a sentence, so that no other is used."""
        classifier = self.learned.classifier
        about = {
            "schema": SCHEMA,
            "pool": self.pool,
            "accuracy": self.learned.accuracy,
            "most_common": self.learned.most_common,
            "penalty": self.learned.penalty,
        }
        stream = io.BytesIO()
        np.savez_compressed(
            stream,
            about=np.array(json.dumps(about)),
            labels=np.array(classifier.labels),
            weights=classifier.weights,
            mean=classifier.mean,
            scale=classifier.scale,
            probe=_vectors([_PROBE], self.encoder, self.pool)[0],
        )
        write_whole(path, stream.getvalue())


def learn_from(
    path: Path, columns: Columns, encoder: TextEncoder, pool: Pool, *, seed: int = 0
) -> TextClassifier:
    """Learn from the rows of a CSV, TSV or JSONL file."""
    rows = [
        example
        for example in read_columns(task_named("sentence"), path, columns).examples
        if isinstance(example, SentenceExample)
    ]
    if not rows:
        raise InputError(f"{path}: has no rows to learn from")
    unlabelled = [number for number, row in enumerate(rows, 1) if row.label is None]
    if unlabelled:
        raise InputError(f"{path}: row {unlabelled[0]} has no {columns.label}")
    vectors = _vectors([row.first for row in rows], encoder, pool)
    learned = learn(vectors, [str(row.label) for row in rows], seed=seed)
    return TextClassifier(learned, encoder, pool)


def read_classifier(path: Path, encoder: TextEncoder) -> TextClassifier:
    """What `save` wrote, for the encoder that it was learned with."""
    try:
        with np.load(path, allow_pickle=False) as file:
            about = json.loads(str(file["about"]))
            if about["schema"] != SCHEMA:
                raise InputError(f"{path}: schema {about['schema']} is not {SCHEMA}")
            labels = tuple(map(str, file["labels"]))
            classifier = FeatureClassifier(labels, file["weights"], file["mean"], file["scale"])
            probe = file["probe"]
        learned = LearnedClassifier(
            classifier, about["accuracy"], about["most_common"], about["penalty"]
        )
    except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile) as error:
        if isinstance(error, InputError | FileNotFoundError):
            raise
        raise InputError(f"{path}: is no classifier that `incognote classify` wrote") from None
    own = _vectors([_PROBE], encoder, about["pool"])[0]
    if len(own) != len(probe) or _cosine(own, probe) < _NEAR:
        raise InputError(f"{path}: was learned with another encoder: name that one with --encoder")
    return TextClassifier(learned, encoder, about["pool"])


def _vectors(texts: Sequence[str], encoder: TextEncoder, pool: Pool) -> Vectors:
    rows = np.stack(list(text_features(texts, encoder, pool=pool))).astype(np.float64)
    unseen = np.flatnonzero(np.isnan(rows).any(1))
    if len(unseen):
        raise InputError(f"text {unseen[0] + 1}: the encoder sees nothing of it: leave it out")
    return np.asarray(rows)


def _cosine(first: Vectors, second: Vectors) -> float:
    return float(first @ second / (np.linalg.norm(first) * np.linalg.norm(second)))


# Learning


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
