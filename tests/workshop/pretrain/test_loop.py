"""A pretraining run: what it learns, leaves behind, and refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from safetensors.torch import load_file
from tiny_pretraining import (
    SIZES,
    TOKENIZER,
    quick,
    run,
    tiny_shards,
    tiny_tokenizer,
)

from incognote.base.errors import DivergedError, TrainError
from incognote.workshop.encoders.checkpoints import load, save
from incognote.workshop.encoders.families import PRESETS
from incognote.workshop.encoders.model import Model
from incognote.workshop.encoders.xlnet import XlnetConfig
from incognote.workshop.pretrain import train
from incognote.workshop.pretrain.figures import Log
from incognote.workshop.pretrain.objectives import make_objective
from incognote.workshop.pretrain.start import from_checkpoint, from_preset


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Any:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(autouse=True)
def _plots(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """They take longer than these runs: drawn in one test only."""
    if request.node.name != "test_a_run_leaves_its_story":
        monkeypatch.setattr(train, "draw_losses", lambda *of: None)


def test_the_loss_falls_on_held_out_text(tmp_path: Path) -> None:
    chosen = quick(
        objective="mlm", steps=90, batch_size=16, pack=512, lengths=((24, 1.0),), lr=3e-3, warmup=9
    )
    training = run(tmp_path, "out", chosen).training
    first, last = training["curve"][0], training["held_out"]
    assert last["mlm_loss"] < first["mlm_loss"] - 0.2
    assert last["mlm_perplexity"] < first["mlm_perplexity"]
    assert last["mlm_accuracy_low"] < last["mlm_accuracy"] < last["mlm_accuracy_high"]


def test_packs_make_no_difference(tmp_path: Path) -> None:
    one = run(tmp_path, "one", quick(pack=10_000, steps=4)).folder
    many = run(tmp_path, "many", quick(pack=24, steps=4)).folder
    first, second = (load_file(folder / "model.safetensors") for folder in (one, many))
    assert all(torch.allclose(first[name], second[name], atol=2e-4) for name in first)
    rows = [Log(folder / "log.csv").rows()[0] for folder in (one, many)]
    assert float(rows[0]["mlm_loss"]) == pytest.approx(float(rows[1]["mlm_loss"]), rel=1e-4)


def test_workers_make_no_difference(tmp_path: Path) -> None:
    alone = run(tmp_path, "alone", quick(steps=5)).folder
    helped = run(tmp_path, "helped", quick(steps=5, workers=1)).folder
    first, second = (load_file(folder / "model.safetensors") for folder in (alone, helped))
    assert all(first[name].equal(second[name]) for name in first)


def test_a_loss_that_is_no_number_ends_the_run(tmp_path: Path) -> None:
    with pytest.raises(DivergedError, match=r"became (NaN|infinite) at step .*lower learning rate"):
        run(tmp_path, "out", quick(lr=1e30, clip=None, steps=12, warmup=0))


def test_transformers_loads_what_a_run_leaves(tmp_path: Path) -> None:
    folder = run(tmp_path, "out", quick(steps=3)).folder
    loaded: Any = transformers.AlbertForPreTraining.from_pretrained(
        folder, output_loading_info=True
    )
    model, info = loaded
    assert not any(info[key] for key in ("missing_keys", "unexpected_keys", "mismatched_keys"))
    ours = load(folder)
    assert sorted(ours.heads) == ["mlm", "sop"]
    ids = torch.randint(5, 60, (2, 9))
    theirs = model.eval()(input_ids=ids)
    with torch.no_grad():
        logits = ours(ids)
    torch.testing.assert_close(logits["mlm"], theirs.prediction_logits, atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(logits["sop"], theirs.sop_logits, atol=1e-4, rtol=1e-4)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    assert tokenizer.mask_token == "[MASK]"
    assert len(tokenizer) == TOKENIZER.vocabulary_size


def test_a_run_leaves_its_story(tmp_path: Path) -> None:
    ended = run(tmp_path, "out", quick(steps=6), description={"preset": "albert-base"})
    training = json.loads((ended.folder / "training.json").read_text())
    assert training["objective"] == "mlm+sop"
    assert training["preset"] == "albert-base"
    assert training["settings"]["steps"] == training["steps"] == 6
    assert [row["step"] for row in training["curve"]] == [5, 6]
    assert training["text"]["held_out_documents"] > 0
    assert (ended.folder / "losses.png").stat().st_size > 1000
    assert not (ended.folder / ".training").exists()
    assert [int(row["step"]) for row in Log(ended.folder / "log.csv").rows()] == [3, 6]


def test_a_checkpoint_goes_on_with_new_heads(tmp_path: Path) -> None:
    folder = run(tmp_path, "first", quick(steps=3, objective="mlm")).folder
    shards = tiny_shards(tmp_path / "shards")
    objective = make_objective("mlm+sop", TOKENIZER, shards)
    start = from_checkpoint(folder, objective, TOKENIZER, 0)
    assert "has no head for sop: it starts from random weights" in start.notes[0]
    words = "encoder.embeddings.words.weight"
    assert start.module.state_dict()[words].equal(load(folder).state_dict()[words])
    run(
        tmp_path, "second", quick(steps=3), begin=lambda o: from_checkpoint(folder, o, TOKENIZER, 0)
    )
    assert sorted(load(tmp_path / "second").heads) == ["mlm", "sop"]


def test_a_checkpoint_without_its_tokenizer_is_refused(tmp_path: Path) -> None:
    config = from_preset(
        "albert-base-v2",
        make_objective("mlm", TOKENIZER, tiny_shards(tmp_path / "s")),
        TOKENIZER,
        SIZES,
        0,
    ).module.config
    save(Model(config, heads=("mlm",)), tmp_path / "model")
    other = tiny_tokenizer(200)
    objective = make_objective("mlm", other, tiny_shards(tmp_path / "t", tokenizer=other))
    with pytest.raises(TrainError, match="the encoder has 66 tokens but the tokenizer 206"):
        from_checkpoint(tmp_path / "model", objective, other, 0)
    with pytest.raises(TrainError, match="no such folder"):
        from_checkpoint(tmp_path / "nowhere", objective, other, 0)


def test_wrong_sizes_and_lengths_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TrainError, match="128 tokens are too long: the encoder takes 64"):
        run(tmp_path, "long", quick(lengths=((128, 1.0),)))
    objective = make_objective("mlm", TOKENIZER, tiny_shards(tmp_path / "s"))
    # XLNet drops attention weights as all others: two shares would be one in silence.
    with pytest.raises(TrainError, match=r"xlnet has no dropout of attention.*apart from --drop"):
        train._check_encoder(Model(XlnetConfig(layers=1)), quick(attention_dropout=0.0))
    with pytest.raises(TrainError, match="has no size depth"):
        from_preset("albert-base-v2", objective, TOKENIZER, {"depth": 4}, 0)
    assert PRESETS["albert-base-v2"].config.layers == 12
