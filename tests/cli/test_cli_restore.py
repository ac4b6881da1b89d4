"""`restore` and `train-restore` as a user runs them, with bad input too."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from commands import Command, Ran
from tiny_transformers import NOTES, tiny_restorer

TINY = ("hidden_size=16", "layers=1", "decoder_layers=1", "heads=2", "feed_forward_size=16")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_restorer(tmp_path_factory.mktemp("restorer"))


@pytest.fixture(autouse=True)
def _no_restart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INCOGNOTE_ALLOCATOR", "system")


def test_a_note_comes_out_on_standard_output(incognote: Command, model: Path) -> None:
    ran = incognote("restore", "--model", model, stdin=b"no pain\r\n\ttoday \xf0\x9f\x91\x8d")
    assert ran.status == 0
    assert ran.out.split(b"\r\n\t")[0].lower().startswith(b"no")
    assert ran.out.lower().rstrip(b".,?:;!").endswith(b"\xf0\x9f\x91\x8d")


def test_a_file_and_a_folder(incognote: Command, model: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "a.txt", tmp_path / "b.txt"
    first.write_text("no pain")
    second.write_text("")
    target = tmp_path / "one.txt"
    assert incognote("restore", first, "--model", model, "-o", target).status == 0
    assert target.read_text().lower().startswith("no")
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    again = incognote("restore", first, "--model", model, "-o", target)
    assert again.status == 2
    assert "exists" in again.err
    assert incognote("restore", first, "--model", model, "-o", target, "--overwrite").status == 0
    folder = tmp_path / "out"
    ran = incognote("restore", first, second, "--model", model, "-o", folder)
    assert ran.status == 0
    assert sorted(path.name for path in folder.iterdir()) == ["a.txt", "b.txt"]
    assert (folder / "b.txt").read_bytes() == b""


def test_bad_input_is_told_in_one_line(incognote: Command, model: Path, tmp_path: Path) -> None:
    note, latin = tmp_path / "note.txt", tmp_path / "latin.txt"
    note.write_text("no pain")
    latin.write_bytes(b"caf\xe9")
    other = tmp_path / "other"
    other.mkdir()
    (other / "note.txt").write_text("fever")
    for arguments, words in (
        ((note,), "--model"),
        ((note, "--model", tmp_path), "sequence.json is missing"),
        ((latin, "--model", model), "latin.txt: not UTF-8 (byte 3)"),
        ((tmp_path / "none.txt", "--model", model), "none.txt: no such file"),
        ((tmp_path, "--model", model), "is a directory"),
        ((note, latin, "--model", model), "not UTF-8"),
        ((note, note, "--model", model), "several notes need a folder"),
        ((note, other / "note.txt", "--model", model, "-o", tmp_path / "x"), "two notes"),
        ((note, "--model", model, "-o", note, "--overwrite"), "also the input"),
        ((note, "--model", model, "--beams", 0), "--beams"),
    ):
        ran = incognote("restore", *arguments)
        assert ran.status == 2, arguments
        assert words in " ".join(ran.err.split()), ran.err
        assert not ran.out
    assert note.read_text() == "no pain"
    assert not (tmp_path / "x").exists()


def train(incognote: Command, *arguments: object) -> Ran:
    sizes = [word for size in TINY for word in ("--size", size)]
    return incognote(
        "train-restore", *arguments, *sizes, "--vocab-size", 320, "--batch-tokens", 256,
        "--threads", 1,
    )  # fmt: skip


def corpus(folder: Path) -> Path:
    """Notes enough for a vocabulary."""
    path = folder / "notes.jsonl"
    words = [f"Patient{n} took drug-{n}x, and {note}" for n in range(60) for note in NOTES]
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in words))
    return path


def test_train_restore_and_use_it(incognote: Command, tmp_path: Path) -> None:
    notes, output = corpus(tmp_path), tmp_path / "model"
    held_out = tmp_path / "held_out.txt"
    held_out.write_text(NOTES[0])
    ran = train(incognote, notes, "-o", output, "--held-out", held_out, "--steps", 3, "--int8")
    assert ran.status == 0, ran.err
    training = json.loads((output / "training.json").read_text())
    assert training["held_out"]["held_out"]["model"]["changed_words"] == 0
    assert training["steps"] == 3
    assert {path.name for path in output.iterdir()} >= {
        "config.json", "model.safetensors", "sequence.json", "encoder.onnx", "decoder.onnx",
        "tokenizer.json",
    }  # fmt: skip
    assert not (output / ".training").exists()
    assert incognote("restore", held_out, "--model", output).status == 0
    again = train(
        incognote, notes, "-o", output, "--held-out", held_out, "--steps", 3, "--int8", "--resume"
    )
    assert again.status == 0
    other = train(incognote, notes, "-o", output, "--steps", 4, "--int8", "--resume")
    assert "number of steps" in other.err


def test_bad_training_is_told_in_one_line(incognote: Command, tmp_path: Path) -> None:
    notes, empty, output = corpus(tmp_path), tmp_path / "empty.txt", tmp_path / "model"
    empty.write_text(" \n")
    full = tmp_path / "full"
    full.mkdir()
    (full / "mine.txt").write_text("keep")
    for arguments, words in (
        ((tmp_path / "none", "-o", output), "none"),
        ((empty, "-o", output), "no words"),
        ((notes, "-o", notes), "input"),
        ((notes, "-o", full), "is not empty"),
        ((notes, "-o", output, "--size", "wheels=4"), "--size takes"),
        ((notes, "-o", output, "--size", "heads=3"), "--size: hidden_size 256"),
        ((notes, "-o", output, "--size", "layers=many"), "layers must be a whole number"),
        ((notes, "-o", output, "--vocab-size", 100_000), "smaller --vocab-size"),
        ((notes, "-o", output, "--steps", 0), "--steps"),
        ((notes, "-o", output, "--label-smoothing", 1), "--label-smoothing must be"),
    ):
        ran = incognote("train-restore", *arguments, "--threads", 1)
        assert ran.status == 2, arguments
        assert words in " ".join(ran.err.split()), (arguments, ran.err)
    assert (full / "mine.txt").read_text() == "keep"
    assert not (output / "training.json").exists()
