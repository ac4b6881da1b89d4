"""Several models as one."""

from __future__ import annotations

from pathlib import Path

import pytest
from toy_corpus import LABELS, quick, tiny_start, toy

from incognote.base.errors import TrainError
from incognote.document import Document
from incognote.workshop.finetune.checkpoint import Checkpoint, load_checkpoint
from incognote.workshop.finetune.predict import Pooling, predict, predict_together, strict_figures
from incognote.workshop.finetune.train import train

NOTES = toy(24)


@pytest.fixture(scope="module")
def members(tmp_path_factory: pytest.TempPathFactory) -> list[Checkpoint]:
    """An uncased one with a CRF, a cased one with fewer pieces, and one that learned nothing.

    Their tokenizers cut differently.
    """
    folder = tmp_path_factory.mktemp("members")
    train(lambda: tiny_start(), NOTES[:18], [], quick(epochs=8, crf=True), folder / "a")
    train(
        lambda: tiny_start(lowercase=False, whole_words=False, seed=1),
        NOTES[:18],
        [],
        quick(epochs=8, window=40),
        folder / "b",
    )
    train(lambda: tiny_start(seed=2), NOTES[:2], [], quick(epochs=1, lr=1e-9), folder / "c")
    return [load_checkpoint(folder / name) for name in "abc"]


def places(documents: list[Document]) -> list[list[tuple[int, int, str]]]:
    return [[(s.start, s.end, s.type) for s in document.spans] for document in documents]


@pytest.mark.parametrize("pooling", ["mean", "vote"])
def test_models_of_different_tokenizers_meet(members: list[Checkpoint], pooling: Pooling) -> None:
    one, other = (m.reader.read_all([NOTES[20].text])[0].offsets for m in members[:2])
    assert len(one) != len(other)
    found = predict_together(members[:2], NOTES[18:], pooling=pooling)
    assert strict_figures(NOTES[18:], found)["f1"] > 0.95
    assert all(0 < span.score <= 1 for document in found for span in document.spans)


def test_a_majority_outvotes_a_fool(members: list[Checkpoint]) -> None:
    found = predict_together([*members], NOTES[18:], pooling="vote")
    assert strict_figures(NOTES[18:], found)["f1"] > 0.9


@pytest.mark.parametrize("pooling", ["mean", "vote"])
def test_a_model_with_itself_is_itself(members: list[Checkpoint], pooling: Pooling) -> None:
    plain = members[1]
    alone = predict(plain.tagger, plain.reader, NOTES[18:])
    assert places(predict_together([plain, plain], NOTES[18:], pooling=pooling)) == places(alone)


def test_members_must_have_the_same_labels(members: list[Checkpoint], tmp_path: Path) -> None:
    def other() -> object:
        return tiny_start(labels=(*LABELS, "B-AGE", "I-AGE"))

    train(other, NOTES[:1], [], quick(epochs=1), tmp_path / "out")  # type: ignore[arg-type]
    with pytest.raises(TrainError, match="same labels"):
        predict_together([members[0], load_checkpoint(tmp_path / "out")], NOTES[:1])
    with pytest.raises(TrainError, match="members"):
        predict_together([], NOTES[:1])


def test_an_empty_note_has_no_spans(members: list[Checkpoint]) -> None:
    empty = Document("empty", "")
    assert predict_together(members, [empty])[0].spans == ()
