"""What a run says of its text, and refuses before the first step."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_pretraining import TOKENIZER, quick, text_file, tiny_start, tokenizer_folder, word

from incognote.base.errors import TrainError
from incognote.workshop.pretrain import train
from incognote.workshop.pretrain.corpus.prepare import ShardSettings, prepare
from incognote.workshop.pretrain.corpus.shards import Shards
from incognote.workshop.pretrain.loop import Tick
from incognote.workshop.pretrain.settings import Settings
from incognote.workshop.pretrain.train import pretrain
from incognote.workshop.training.run_folder import FinishedRun, prepare_folder


@pytest.fixture(autouse=True)
def _no_plots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train, "draw_losses", lambda *of: None)


def shards_of(place: Path, *more: str) -> Shards:
    """The counting text with some documents more."""
    path = text_file(place / "text.jsonl")
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps({"text": text}) + "\n" for text in more)
    return prepare([path], TOKENIZER, place / "shards", ShardSettings(held_out=0.15))


def run_on(shards: Shards, place: Path, settings: Settings, **more: Any) -> FinishedRun:
    folder = place / "out"
    prepare_folder(folder, resume=False, overwrite=True)
    tokenizer = tokenizer_folder(place / "tokenizer")
    return pretrain(tiny_start, shards, TOKENIZER, tokenizer, settings, folder, **more)


def no_step(tick: Tick) -> None:
    raise AssertionError("a step was trained")


def test_held_out_text_that_is_too_little_is_refused_before_the_first_step(tmp_path: Path) -> None:
    shards = shards_of(tmp_path, *(f"{word(n)} {word(n + 1)}." for n in range(30)))
    documents = shards.held_out
    shards.held_out = documents[:1]
    said = r"the held-out text \(1 of 70 documents\).*two documents.*--held-out"
    with pytest.raises(TrainError, match=said):
        run_on(shards, tmp_path, quick(objective="mlm+nsp"), watch=no_step)
    shards.held_out = documents[shards.sentence_counts[documents] == 1]
    assert len(shards.held_out)
    with pytest.raises(TrainError, match=r"the held-out text.*documents of two sentences"):
        run_on(shards, tmp_path, quick(objective="mlm+sop"), watch=no_step)


def test_text_that_is_all_held_out_is_told(tmp_path: Path) -> None:
    shards = shards_of(tmp_path)
    shards.held_out, shards.train = np.arange(shards.documents), np.arange(0)
    with pytest.raises(TrainError, match=r"all 40 documents are held out.*--held-out"):
        run_on(shards, tmp_path, quick(objective="mlm"), watch=no_step)


def test_words_too_long_to_be_masked_are_told_of_before_the_first_step(tmp_path: Path) -> None:
    shards = shards_of(tmp_path)
    for number, file in enumerate(shards._files):
        starts = np.zeros_like(file.word_starts)
        starts[file.sentences[:-1]] = True  # each sentence is one word
        shards._files[number] = replace(file, word_starts=starts)
    masking = {"whole_words": True, "share": 0.05}
    chosen = quick(objective="mlm", example_options={"masking": masking})
    with pytest.raises(TrainError, match=r"no token is masked.*--mask-share"):
        run_on(shards, tmp_path, chosen, watch=no_step)


def test_inputs_without_labels_are_not_blamed_on_the_held_out_text(tmp_path: Path) -> None:
    chosen = quick(example_options={"inputs": "full-sentences"})
    with pytest.raises(TrainError, match=r"^full-sentences inputs have no labels for"):
        run_on(shards_of(tmp_path), tmp_path, chosen, watch=no_step)


def test_what_is_left_out_or_unknown_is_told(tmp_path: Path) -> None:
    long = " ".join(word(number) for number in range(40)).capitalize() + "."
    unknown = "Xxx yyy zzz. Ba ca."
    shards = shards_of(tmp_path, "", "  ", f"{word(1)} {word(2)}.", f"{long} {long}", unknown)
    lines: list[str] = []
    text = run_on(shards, tmp_path, quick(steps=2), say=lines.append).training["text"]
    assert text["documents"] == 43
    assert (text["empty_documents"], text["one_sentence_documents"]) == (2, 1)
    assert text["unknown_pieces"] == 3
    assert text["sentences_alone"] > 0
    assert text["sentences_too_long"] > 0
    told = next(line for line in lines if "documents" in line)
    assert "1 of one sentence), 2 empty ones left out" in told
    assert "tokens, 3 unknown" in told
    assert f"{text['sentences_too_long']:,} too long for a pair" in told


def test_a_length_to_evaluate_at_must_fit_the_encoder(tmp_path: Path) -> None:
    with pytest.raises(TrainError, match="change --evaluate-length"):
        run_on(shards_of(tmp_path), tmp_path, quick(evaluate_length=128), watch=no_step)
