"""A plain classifier on vectors: what it learns, what it expects of itself, what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from incognote.base.errors import InputError
from incognote.workshop.feature_classifier import learn


def clouds(texts: int, apart: float, seed: int = 0) -> tuple[np.ndarray, list[str]]:
    draws = np.random.default_rng(seed)
    numbers = np.arange(texts) % 3
    centres = apart * np.eye(3, 8)
    vectors = (draws.normal(size=(texts, 8)) + centres[numbers]).astype(np.float32)
    return vectors, [("admission", "discharge", "letter")[number] for number in numbers]


def test_what_lies_apart_is_told_apart() -> None:
    vectors, labels = clouds(120, 6.0)
    learned = learn(vectors, labels)
    fresh, wanted = clouds(60, 6.0, seed=1)
    probabilities = learned.classifier.probabilities(fresh)
    names = [learned.classifier.labels[number] for number in probabilities.argmax(1)]
    assert np.mean([a == b for a, b in zip(names, wanted, strict=True)]) > 0.95
    assert learned.accuracy > 0.95
    assert learned.most_common == pytest.approx(1 / 3)
    assert np.allclose(probabilities.sum(1), 1)


def test_cross_validation_expects_nothing_of_noise() -> None:
    vectors, labels = clouds(300, 0.0)
    assert learn(vectors, labels).accuracy < 0.45


def test_the_scale_of_a_feature_does_not_matter() -> None:
    vectors, labels = clouds(90, 2.0)
    scaled = vectors * np.array([1, 1e3, 1e-3, 1, 1, 1, 1, 1], np.float32) + 7
    one, other = learn(vectors, labels), learn(scaled, labels)
    assert one.accuracy == pytest.approx(other.accuracy, abs=0.03)


def test_the_minimum_is_found() -> None:
    """At it, the mean probability of each label is its share: the constant is not penalised."""
    vectors, labels = clouds(91, 1.0)
    shares = learn(vectors, labels).classifier.probabilities(vectors).mean(0)
    assert shares == pytest.approx([31 / 91, 30 / 91, 30 / 91], abs=1e-3)


def test_a_feature_that_never_differs_is_no_fault() -> None:
    vectors, labels = clouds(60, 6.0)
    vectors[:, 5] = 3
    assert learn(vectors, labels).accuracy > 0.9


@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        (["a"] * 6, "one label only"),
        (["a"] * 5 + ["b"], "label 'b' has one text only"),
    ],
)
def test_too_few_texts_are_refused(labels: list[str], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        learn(np.eye(6), labels)


def test_a_text_the_encoder_does_not_see_is_refused() -> None:
    vectors, labels = clouds(30, 1.0)
    vectors[3] = np.nan
    with pytest.raises(InputError, match="sees nothing of a text"):
        learn(vectors, labels)
