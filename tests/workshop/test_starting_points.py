"""Where a run begins by the name a user gives, and what it does where nothing is said."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import huggingface_hub
import pytest
import torch
from tiny_checkpoints import tiny_checkpoint, tiny_model
from toy_corpus import quick, random_start, tiny_folder, toy

from incognote.base.errors import RunError
from incognote.document import Document, Span
from incognote.formats import write
from incognote.models import shipped_model
from incognote.onnx.model_folder import read_model
from incognote.workshop import starting_points
from incognote.workshop.fine_tuning import Parts, checked, train_corpus
from incognote.workshop.finetune.checkpoint import load_checkpoint
from incognote.workshop.starting_points import Origin, learning_options

SIZES = {"layers": 1, "hidden_size": 16, "heads": 2, "feed_forward_size": 16, "positions": 64}


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def run(command: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "INCOGNOTE_ALLOCATOR": "system", "HF_HUB_OFFLINE": "1"}
    words = [sys.executable, "-W", "ignore", "-m", "incognote", command, *map(str, arguments)]
    return subprocess.run(words, env=env, capture_output=True, text=True, check=False)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    write(toy(8), tmp_path / "notes.jsonl", "jsonl")
    return tmp_path / "notes.jsonl"


def test_a_bare_preset_is_refused_and_says_how_to_get_a_checkpoint(
    notes: Path, tmp_path: Path
) -> None:
    told = ("-o", tmp_path / "out", "--encoder", "bert-base-uncased", "--tokenizer", tmp_path)
    ran = run("train", notes, *told)
    assert ran.returncode == 2
    assert ran.stderr.count("\n") == 1
    for way in ("the folder of its checkpoint", "--from-hub bert-base-uncased", "--random"):
        assert way in ran.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("command", ["train", "compare"])
def test_offline_the_hub_is_one_clear_error(command: str, notes: Path, tmp_path: Path) -> None:
    more = ("--grid", "study") if command == "compare" else ()
    ran = run(command, notes, "-o", tmp_path / "out", "--from-hub", "bert-base-uncased", *more)
    assert ran.returncode == 2
    assert ran.stderr.count("\n") == 1
    assert "--from-hub bert-base-uncased: the Hub could not be asked" in ran.stderr
    assert not (tmp_path / "out").exists()


def test_nothing_is_fetched_unless_it_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[list[str]] = []
    folder = tiny_checkpoint(tmp_path / "snapshot")

    def snapshot(name: str, *, allow_patterns: list[str]) -> str:
        asked.append(allow_patterns)
        return str(folder)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot)
    with pytest.raises(RunError, match="names sizes, not weights"), checked():
        Origin(encoder="roberta-base").start(("O",))
    assert not asked
    assert starting_points.fetched("roberta-base") == folder
    assert len(asked) == 1  # pickled weights are left where there are safe ones
    (folder / "model.safetensors").rename(folder / "other")
    starting_points.fetched("roberta-base")
    assert asked[2] == list(starting_points.OLDER_WEIGHTS)


def test_without_the_hubs_client_it_is_said_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(RunError, match=re.escape("pip install 'incognote[hub]'")):
        starting_points.fetched("roberta-base")


def test_default_goes_on_from_a_network_that_ships(tmp_path: Path) -> None:
    folder = shipped_model()
    assert folder is not None
    origin, labels = Origin(encoder="default:fast"), read_model(folder).labels
    options = learning_options({"epochs": 1, "lr": 1e-9, "head_lr": 1e-9}, origin, toy(2))
    assert (options.shape, options.crf, options.join, options.settle) == (True, True, True, 1)
    assert (options.window, options.overlap) == (254, 16)
    parts = Parts(train=[*toy(1)], validation=toy(2))
    result = train_corpus(parts, origin, tmp_path / "more", options)
    assert result.trained.training["labels"] == list(labels)
    assert result.trained.training["encoder"] == {"name": "default:fast", "random": False}
    assert result.trained.training["validation"]["recall"] > 0.5
    with pytest.raises(RunError, match="other labels, which would be lost"):
        train_corpus(parts, origin, tmp_path / "lost", options, labels="own")


@pytest.mark.parametrize(
    ("encoder", "says"),
    [("default:quick", "no network quick; there are bert"), ("defaults", "no such folder")],
)
def test_a_start_that_is_not_there_is_said(encoder: str, says: str) -> None:
    with pytest.raises(Exception, match=says) as refused, checked():
        learning_options({}, Origin(encoder=encoder), toy(1))
    assert type(refused.value).__name__ in ("RunError", "ModelError")


def test_an_exported_model_is_gone_on_with(tmp_path: Path) -> None:
    model = tiny_model(tmp_path / "model", [tiny_checkpoint(tmp_path / "first", crf=True)])
    origin = Origin(encoder=str(model))
    options = learning_options({"epochs": 1}, origin, toy(2))
    train_corpus(Parts(train=toy(2)), origin, tmp_path / "more", options)
    again, first = (load_checkpoint(tmp_path / name).tagger for name in ("more", "first"))
    assert again.labels.names == first.labels.names
    assert again.crf is not None


def test_of_an_exported_model_the_encoder_alone_can_be_taken(tmp_path: Path) -> None:
    model = tiny_model(tmp_path / "model", [tiny_checkpoint(tmp_path / "first", crf=True)])
    origin = Origin(encoder=str(model), encoder_only=True)
    options = learning_options({"window": 24, "overlap": 8}, origin, toy(2))
    assert (options.shape, options.crf, options.lr) == (True, False, 1e-4)
    begun = origin.start(("O", "B-COLOUR", "I-COLOUR"))
    own: Any = begun.model.encoder
    its: Any = load_checkpoint(tmp_path / "first").tagger.model.encoder
    assert torch.equal(own.words, its.words)
    assert (begun.structure, begun.model.labels[1]) == (None, "B-COLOUR")


def notes_of(characters: int) -> list[Document]:
    return [Document("a", "x" * characters)]


@pytest.mark.parametrize(
    ("characters", "batch", "epochs"),
    [
        (20_000, 512, 20),  # ten notes
        (140_000, 512, 7),  # fifty
        (1_000_000, 3571, 7),  # hundreds
        (100_000_000, 4096, 4),
    ],
)
def test_few_notes_are_read_more_often_and_in_smaller_batches(
    characters: int, batch: int, epochs: int, tmp_path: Path
) -> None:
    origin = random_start(tmp_path, SIZES)
    options = learning_options({}, origin, notes_of(characters))
    assert (options.batch_tokens, options.epochs) == (batch, epochs)
    assert learning_options({"epochs": 3}, origin, notes_of(characters)).epochs == 3


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ({}, {"lr": 1e-4, "head_lr": 1e-3, "shape": True, "attention_dropout": 0.0}),
        ({"lr": 2e-5, "shape": False}, {"lr": 2e-5, "head_lr": 2e-4, "shape": False}),
        ({"batch_size": 4}, {"batch_size": 4, "batch_tokens": None, "epochs": 20}),
        ({"batch_size": "auto"}, {"batch_size": "auto", "epochs": 4}),
    ],
)
def test_what_is_said_counts(
    chosen: dict[str, Any], expected: dict[str, Any], tmp_path: Path
) -> None:
    """A narrow encoder, whose tokenizer drops capitals."""
    options = learning_options(chosen, random_start(tmp_path, SIZES), toy(1))
    assert {name: pytest.approx(getattr(options, name)) for name in expected} == expected


def test_a_wide_encoder_learns_by_smaller_steps(tmp_path: Path) -> None:
    tokenizer = tiny_folder(tmp_path)
    for preset, rate in (("bert-base-uncased", 5e-5), ("roberta-large", 2e-5)):
        origin = Origin(encoder=preset, tokenizer=tokenizer, random=True)
        assert learning_options({}, origin, toy(1)).lr == rate


def test_a_run_that_ends_with_nothing_says_so_and_what_to_try(tmp_path: Path) -> None:
    text = "Call 555."
    unlike = Document("phone", text, (Span.of(text, 5, 8, "PHONE"),))
    parts, origin = Parts(train=toy(3), validation=[unlike]), random_start(tmp_path / "own", SIZES)
    result = train_corpus(parts, origin, tmp_path / "out", quick(epochs=1), labels="own")
    assert result.trained.training["validation"]["f1"] == 0
    assert result.advice is not None
    assert result.advice.startswith("strict F1 is 0: the model finds nothing right")
    for way in (
        "not with random weights",
        "more --epochs",
        "--batch-tokens 512",
        "--encoder default",
    ):
        assert way in result.advice


def test_a_run_that_found_something_says_nothing(tmp_path: Path) -> None:
    parts, origin = Parts(train=toy(8)), random_start(tmp_path / "tokenizer", SIZES)
    assert train_corpus(parts, origin, tmp_path / "blind", quick(epochs=1)).advice is None
    seen = Parts(train=toy(12), validation=toy(3))
    assert train_corpus(seen, origin, tmp_path / "out", quick(epochs=12)).advice is None
