"""A plain classifier on vectors: what it learns, what it expects of itself, what it refuses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from text_models import write_encoder

from incognote.base.errors import InputError, UserError
from incognote.workshop.encoders import TextModel, open_encoder
from incognote.workshop.feature_classifier import learn, learn_from, read_classifier
from incognote.workshop.tasks.columns import Columns


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


# Texts and files

ALLERGIES = ["Penicillin causes a rash.", "Allergic to sulfa drugs.", "Hives after shellfish."]
PLANS = ["Return to clinic in two weeks.", "Start metoprolol twice a day.", "Check the wound."]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Six sentences with their labels."""
    rows = [
        f"{text},{label}\n" for label, each in (("a", ALLERGIES), ("p", PLANS)) for text in each
    ]
    path = tmp_path / "labelled.csv"
    path.write_text("sentence,kind\n" + "".join(rows))
    return path


def test_a_classifier_of_texts_is_kept_for_its_encoder(table: Path, tmp_path: Path) -> None:
    encoder, columns = open_encoder(), Columns(text="sentence", label="kind")
    plain = learn_from(table, columns, encoder, "mean")
    shares = plain.probabilities([*ALLERGIES, *PLANS])
    assert shares.argmax(1).tolist() == [0, 0, 0, 1, 1, 1]
    plain.save(tmp_path / "plain.npz")
    again = read_classifier(tmp_path / "plain.npz", encoder)
    assert np.allclose(again.probabilities(ALLERGIES), plain.probabilities(ALLERGIES))
    other = TextModel.load(write_encoder(tmp_path / "bert", "bert"))
    with pytest.raises(InputError, match="another encoder"):
        read_classifier(tmp_path / "plain.npz", other)


@pytest.mark.parametrize("content", [b"", b"PK nonsense", b"text,label\na,b\n"])
def test_a_file_that_is_no_classifier_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "plain.npz"
    path.write_bytes(content)
    with pytest.raises(InputError, match="is no classifier"):
        read_classifier(path, open_encoder())


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("text,label\n", "no rows"),
        ("text,label\na,x\nb,\nc,y\n", "row 2 has no label|label"),
        ("text,label\na b,x\nb c,x\n", "one label only"),
        ("text,label\na b,x\n\x01,x\nb,y\nc,y\n", "text 2: the encoder sees nothing"),
        ("words,label\na,x\n", "text"),
    ],
)
def test_a_table_that_teaches_nothing_is_refused(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "labelled.csv"
    path.write_text(content)
    with pytest.raises(UserError, match=words):
        learn_from(path, Columns(), open_encoder(), "mean")
