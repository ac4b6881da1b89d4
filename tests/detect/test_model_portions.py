"""A long note is decided in portions: the same findings, in memory that does not grow with it."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from detect.test_not_finite import settling
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tiny_checkpoints import CONFIGS, tiny_checkpoint, tiny_model
from toy_corpus import toy

import incognote.detect.model as model_module
from incognote.align import long_notes, note_reader, tokens
from incognote.align.decode import Transitions
from incognote.base.errors import NotFiniteError
from incognote.detect.detector import Detection
from incognote.detect.model import ModelDetector
from incognote.document import Document
from incognote.onnx.sessions import Network
from incognote.phi import LABEL_SETS

KINDS: dict[str, list[dict[str, Any]]] = {
    "plain": [{}],
    "crf": [{"crf": True}],
    "shape-crf": [{"config": CONFIGS["albert"], "shape": True, "crf": True}],
    "study41": [{"labels": LABEL_SETS["study41"]}],
    "study41-crf": [{"labels": LABEL_SETS["study41"], "crf": True}],
    "full-crf": [{"labels": LABEL_SETS["full"], "crf": True}],
    "together": [
        {"crf": True, "shape": True},
        {"config": CONFIGS["albert"], "seed": 1, "lowercase": False, "crf": True},
        {"config": CONFIGS["roberta"], "seed": 2, "window": 30, "overlap": 4},
    ],
}
Open = Callable[[str], ModelDetector]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    home = tmp_path_factory.mktemp("models")
    made = {
        kind: tiny_model(
            home / kind,
            [tiny_checkpoint(home / f"{kind}-{n}", **how) for n, how in enumerate(members)],
        )
        for kind, members in KINDS.items()
    }
    made["early-exit"] = tiny_model(home / "early-exit", [settling(home / "settling")])
    return made


@pytest.fixture
def opened(folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> Open:
    """Networks that hold most pieces to be outside, by far, as trained ones do."""
    run = Network.run

    def mostly_outside(network: Network, **inputs: Any) -> Any:
        scores = run(network, **inputs)
        scores[..., 0] += np.where(inputs["ids"] % 4 > 0, 40, 0)
        return scores

    monkeypatch.setattr(Network, "run", mostly_outside)
    return lambda kind: ModelDetector(folders[kind], uncertain=0.001)


def by_word(model: ModelDetector) -> ModelDetector:
    model._members[0]._by_word = True
    return model


def in_any_order(model: ModelDetector) -> ModelDetector:
    model._members[0].transitions = Transitions.any_order(model._labels)
    return model


CHANGES: dict[str, tuple[str, Callable[[ModelDetector], ModelDetector]]] = {
    **{kind: (kind, lambda model: model) for kind in [*KINDS, "early-exit"]},
    "by word": ("crf", by_word),
    "any order": ("plain", in_any_order),
}
SENTENCES = [
    *(note.text for note in toy(12)),
    "Ana\u200b Ru\u0301iz \x00 \ud800 🧑‍⚕️ ﬁ",
    "\f\n",
    "x" * 90,
]
notes = st.lists(
    st.tuples(st.sampled_from(SENTENCES), st.sampled_from([" ", "\n", "\n\n", "\f", ""])),
    max_size=8,
).map(lambda parts: "".join(map("".join, parts)))


def found(model: ModelDetector, text: str, ahead: int | None) -> Detection:
    """In portions with so many tokens ahead, or at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(note_reader, "LONGEST", 300)
        patch.setattr(tokens, "LONGEST_PART", 400)
        patch.setattr(long_notes, "PORTION", 20)
        patch.setattr(model_module, "LONG", 0 if ahead else 10**9)
        patch.setattr(model_module, "AHEAD", ahead or 0)
        return model.detect(Document("note", text))


@pytest.mark.parametrize("kind", CHANGES)
def test_portions_are_the_whole(kind: str, opened: Open) -> None:
    name, change = CHANGES[kind]
    model = change(opened(name))

    @settings(deadline=None, max_examples=25, suppress_health_check=list(HealthCheck))
    @given(notes, st.sampled_from([3, 12, 60]))
    def same(text: str, ahead: int) -> None:
        one, other = found(model, text, ahead), found(model, text, None)
        assert one.seen == other.seen == len(text)
        for ours, whole in ((one.spans, other.spans), (one.uncertain, other.uncertain)):
            places = [
                [(each.start, each.end, each.type) for each in some] for some in (ours, whole)
            ]
            assert places[0] == places[1]
            scores = [np.array([each.score for each in some]) for some in (ours, whole)]
            assert np.abs(scores[0] - scores[1]).max(initial=0) < 1e-12

    same()


def test_a_long_note_in_company_is_where_it_was(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = opened("crf")
    texts = [SENTENCES[0], " ".join(SENTENCES), SENTENCES[1], " ".join(SENTENCES[::-1]), ""]
    alone = [model.detect(Document("note", text)) for text in texts]
    monkeypatch.setattr(model_module, "LONG", 300)
    together = list(model.detect_many([Document("note", text) for text in texts]))
    assert [each.spans for each in together] == [each.spans for each in alone]


@pytest.mark.parametrize("kind", ["plain", "crf", "together"])
def test_numbers_that_are_none_are_an_error_of_a_long_note(
    kind: str, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = opened(kind)
    width = len(model._labels.names)
    monkeypatch.setattr(
        Network, "run", lambda _, **given: np.full((*given["ids"].shape, width), np.nan)
    )
    with pytest.raises(NotFiniteError):
        found(model, " ".join(SENTENCES), 60)


@pytest.mark.parametrize("kind", ["plain", "crf", "together"])
def test_memory_does_not_grow_with_the_note(
    kind: str, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = opened(kind)
    monkeypatch.setattr(model_module, "AHEAD", 200)
    monkeypatch.setattr(long_notes, "PORTION", 100)
    monkeypatch.setattr(tokens, "LONGEST_PART", 1_000)
    monkeypatch.setattr(model_module, "spans_of", lambda *_: [])  # what is found takes its room
    monkeypatch.setattr(model_module, "uncertain_words", lambda *_, **__: ())
    text = " ".join(note.text for note in toy(40))

    def growth(long: int) -> float:
        """Bytes for each further character."""
        monkeypatch.setattr(model_module, "LONG", long)
        short, long = (_peak(model, Document("note", text * times)) for times in (3, 7))
        return (long - short) / (4 * len(text))

    growth(0)  # words are remembered
    assert growth(0) < 6 < 30 < growth(10**9)


def _peak(model: ModelDetector, note: Document) -> int:
    tracemalloc.start()
    try:
        model.detect(note)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
