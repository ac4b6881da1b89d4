"""A disk without room at the end of a long run is said in one line, with the file."""

from __future__ import annotations

import errno
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import tokenizers
import torch
from align.tiny_tokenizers import tiny_tokenizers

from incognote.cli.errors import EXPECTED, one_line
from incognote.workshop.encoders.tensor_files import write_tensors
from incognote.workshop.pretrain.figures import Log
from incognote.workshop.tokenization import Tokenizer
from incognote.workshop.tokenizer_training import Kind, train_tokenizer
from incognote.workshop.training.run_folder import write_tokenizer, write_training

ROOM = 500
TEXT = " ".join(f"{a}{b}{c}" for a in "bcdfg" for b in "aeiou" for c in "klmnprst") * 3


@contextmanager
def full_disk() -> Iterator[None]:
    """No file can become longer than `ROOM`; the system's error is told like that of a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def wordpieces() -> tokenizers.Tokenizer:
    return tiny_tokenizers()["wordpiece"]


def learn(folder: Path, kind: Kind) -> None:
    train_tokenizer(
        lambda: [TEXT], folder, kind, {"wordpiece": 150, "bpe": 300, "unigram": 120}[kind]
    )


def fill(log: Log) -> None:
    for step in range(100):
        log.add({"step": step, "loss": 1.0})


WRITERS: dict[str, Callable[[Path], None]] = {
    "model.safetensors": lambda folder: write_tensors(
        {"a": torch.zeros(1000)}, folder / "model.safetensors"
    ),
    "tokenizer.json": lambda folder: Tokenizer(wordpieces(), "bert").save(folder),
    "vocab.txt": lambda folder: learn(folder, "wordpiece"),
    "vocab.json": lambda folder: learn(folder, "bpe"),
    "spiece.model": lambda folder: learn(folder, "unigram"),
    "log.csv": lambda folder: fill(Log(folder / "log.csv")),
    "training.json": lambda folder: write_training(folder, {"name": TEXT}),
    "./tokenizer.json": lambda folder: write_tokenizer(folder, wordpieces(), 512),
}


@pytest.mark.parametrize("name", WRITERS)
def test_the_file_without_room_is_named(name: str, tmp_path: Path) -> None:
    with full_disk(), pytest.raises(EXPECTED) as refusal:
        WRITERS[name](tmp_path)
    assert isinstance(refusal.value, OSError)
    assert refusal.value.errno == errno.EFBIG
    assert one_line(refusal.value) == f"{tmp_path / name}: file too large"
    assert [path.name for path in tmp_path.iterdir() if "tensors" in path.name] == []


@pytest.mark.parametrize("name", WRITERS)
def test_with_room_they_are_written(name: str, tmp_path: Path) -> None:
    WRITERS[name](tmp_path)
    assert (tmp_path / name).stat().st_size > ROOM
