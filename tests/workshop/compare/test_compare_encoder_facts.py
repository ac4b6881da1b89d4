"""What an encoder is, told before anything is trained."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tiny_checkpoints import CONFIGS, every_frame, tiny_checkpoint
from toy_corpus import LABELS, tiny_folder

from incognote.base.errors import RunError
from incognote.workshop.compare.encoder_facts import examine
from incognote.workshop.compare.grid import GridEncoder
from incognote.workshop.finetune.options import Options


def test_a_checkpoint_is_told_from_a_preset_and_from_our_own(tmp_path: Path) -> None:
    folder = tiny_checkpoint(tmp_path / "albert", CONFIGS["albert"])
    start = GridEncoder(name="mine", start=str(folder))
    theirs = examine(start, LABELS).facts
    assert (theirs.family, theirs.random, theirs.origin) == ("albert", False, "checkpoint")
    assert (theirs.layers, theirs.hidden_size, theirs.embedding_size) == (3, 32, 16)
    (folder / "training.json").write_text(json.dumps({"objective": "mlm+sop"}))
    assert examine(start, LABELS).facts.origin == "pretrained here"


def test_other_weights_are_another_encoder(tmp_path: Path) -> None:
    starts = [
        GridEncoder(name="mine", start=str(tiny_checkpoint(tmp_path / str(seed), seed=seed % 2)))
        for seed in range(3)
    ]
    first, second, same = (examine(start, LABELS).fingerprint for start in starts)
    assert first == same != second


def test_a_large_preset_is_described_without_its_weights(tmp_path: Path) -> None:
    place = tmp_path / "tokenizer"
    place.mkdir()
    every_frame().save(str(place / "tokenizer.json"))
    start = GridEncoder(name="xxl", start="albert-xxlarge-v2", tokenizer=place, random=True)
    found = examine(start, LABELS)
    assert (found.facts.random, found.facts.hidden_size, found.longest) == (True, 4096, 510)
    assert 200e6 < found.facts.parameters < 210e6


def test_a_tokenizer_of_another_family_is_refused(tmp_path: Path) -> None:
    start = GridEncoder(
        name="mine",
        start="albert-base-v2",
        tokenizer=tiny_folder(tmp_path / "bert"),
        random=True,
    )
    with pytest.raises(RunError, match="mine: this tokenizer is not for it: the vocabulary has no"):
        examine(start, LABELS)


def test_what_a_trained_model_would_lose_is_refused_before_the_first_cell(tmp_path: Path) -> None:
    start = GridEncoder(name="mine", start=str(tiny_checkpoint(tmp_path / "trained", crf=True)))
    with pytest.raises(RunError, match="has learned with crf, which would be lost"):
        examine(start, LABELS, [Options()])
    with pytest.raises(RunError, match="other labels, which would be lost"):
        examine(start, ("O", "B-COLOUR", "I-COLOUR"))
    anew = replace(start, encoder_only=True)
    assert examine(anew, ("O", "B-COLOUR", "I-COLOUR"), [Options()]).facts.layers == 3
