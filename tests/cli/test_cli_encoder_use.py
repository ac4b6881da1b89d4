"""`fill-mask` and `features` as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from commands import Command, without_torch
from text_models import write_encoder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_encoder(tmp_path_factory.mktemp("encoder") / "bert", "bert")


def test_fill_mask(incognote: Command, folder: Path) -> None:
    ran = incognote("fill-mask", "John [MASK] pain.", "--encoder", folder, "--top-k", 3)
    assert ran.status == 0
    assert len(ran.out.splitlines()) == 3
    ran = incognote("fill-mask", "[MASK] [MASK]", "--encoder", folder, "--json")
    fills = json.loads(ran.out)
    assert len(fills) == 2
    assert set(fills[0][0]) == {"sequence", "score", "token", "token_str"}


def test_features(incognote: Command, folder: Path, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_bytes(b"John denies\r\npain. ")
    ran = incognote("features", note, "--encoder", folder, "--layer", "-1", "--pooling", "first")
    row = json.loads(ran.out)
    assert row["id"] == "note"
    assert [(word["start"], word["end"]) for word in row["words"]] == [
        (0, 4),
        (5, 11),
        (13, 17),
        (17, 18),
    ]
    assert b"John" not in ran.out
    target = tmp_path / "out.npz"
    ran = incognote("features", note, note, "--encoder", folder, "-o", target)
    assert ran.status == 0
    with np.load(target) as file:
        assert file["vectors"].shape == (8, 24)


def test_features_replace_nothing_unasked(incognote: Command, folder: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    note, other = notes / "a.txt", tmp_path / "b.txt"
    for path in (note, other):
        path.write_text("John denies pain.")
    for output, more, reason in (
        (other, (), "exists; choose another output or use --overwrite"),
        (note, ("--overwrite",), "is also the input"),
        (notes, ("--overwrite",), "holds the input"),
        (folder, ("--overwrite",), "is a folder"),
    ):
        ran = incognote("features", note, "--encoder", folder, "-o", output, *more)
        assert ran.status == 2
        assert reason in ran.err
        assert len(ran.err.splitlines()) == 1
    assert note.read_text() == other.read_text() == "John denies pain."
    ran = incognote("features", note, "--encoder", folder, "-o", other, "--overwrite")
    assert ran.status == 0
    with np.load(other) as file:
        assert len(file["vectors"]) == 4


@pytest.mark.parametrize("layers", [(), ("--layer", 0, "--layer", -1)])
def test_a_word_the_encoder_does_not_see_is_null(
    incognote: Command, folder: Path, tmp_path: Path, layers: tuple[object, ...]
) -> None:
    note = tmp_path / "note.txt"
    note.write_text("pain \x01 \u200b pain", encoding="utf-8")
    ran = incognote("features", note, "--encoder", folder, *layers)
    assert ran.status == 0
    assert b"NaN" not in ran.out
    vectors = [word["vector"] for word in json.loads(ran.out)["words"]]
    assert [vector is None for vector in vectors] == [False, True, True, False]


def test_an_exported_encoder_needs_no_torch(
    incognote: Command, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    made = write_encoder(tmp_path_factory.mktemp("encoder") / "albert", "albert")
    ran = incognote("export", made, "-o", tmp_path / "small", "--to", "encoder", "--int8")
    assert ran.status == 0, ran.err
    note = tmp_path / "note.txt"
    note.write_text("John denies pain.")
    for arguments in (("fill-mask", "John [MASK] pain.", "--json"), ("features", str(note))):
        alone = without_torch(*arguments, "--encoder", str(tmp_path / "small"))
        assert alone.returncode == 0, alone.stderr
        if arguments[0] == "fill-mask":
            shares = [fill["score"] for fill in json.loads(alone.stdout)]
            with_torch = incognote(*arguments, "--encoder", made)
            wanted = [fill["score"] for fill in json.loads(with_torch.out)]
            assert shares == pytest.approx(wanted, abs=0.05)
    refused = without_torch("features", str(note), "--encoder", str(made))
    assert refused.returncode == 2
    assert b"this encoder needs torch" in refused.stderr


def test_training_begins_from_the_one_that_ships(
    incognote: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INCOGNOTE_ALLOCATOR", "system")
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(3):
        (notes / f"{number}.txt").write_text(
            "Seen by Dr. [[DOCTOR|Okafor]] on [[DATE|3/14/2019]].\n"
        )
    ran = incognote(
        *("train", notes, "-o", tmp_path / "out", "--encoder", "clinical-albert"),
        *("--format", "inline", "--epochs", "1", "--validation", notes),
    )
    assert ran.status == 0, ran.err


def test_mistakes_end_in_one_sentence(incognote: Command, folder: Path, tmp_path: Path) -> None:
    cases = [
        (("fill-mask", "x", "--encoder", folder), "no [MASK] to fill"),
        (("fill-mask", "x [MASK]", "--encoder", tmp_path), "config.json is missing"),
        (("features", tmp_path / "absent.txt", "--encoder", folder), "no such file"),
        (("features", folder / "model.safetensors", "--encoder", folder), "not UTF-8"),
    ]
    for arguments, said in cases:
        ran = incognote(*arguments)
        assert ran.status == 2
        assert said in ran.err
        assert len(ran.err.splitlines()) == 1


def test_texts_as_vectors(incognote: Command, folder: Path, tmp_path: Path) -> None:
    sentences = tmp_path / "sentences.txt"
    sentences.write_bytes(b"John denies pain.\nPain.\n")
    ran = incognote("features", sentences, "--encoder", folder, "--lines", "--pool", "cls")
    rows = [json.loads(line) for line in ran.out.splitlines()]
    assert [row["id"] for row in rows] == ["sentences:1", "sentences:2"]
    assert {len(row["vector"]) for row in rows} == {24}
    target = tmp_path / "out.npz"
    ran = incognote("features", sentences, "--encoder", folder, "--pool", "max", "-o", target)
    assert ran.status == 0
    with np.load(target) as file:
        assert file["vectors"].shape == (1, 24)


def test_similarity_of_a_word_in_context(incognote: Command, folder: Path) -> None:
    texts = ("John denies pain.", "Pain.")
    ran = incognote("similarity", *texts, "--word", "pain", "--encoder", folder, "--json")
    row = json.loads(ran.out)
    assert row["word"] == "pain"
    assert np.allclose(np.diag(row["cosines"]), 1, atol=1e-5)
    ran = incognote("similarity", *texts, "--encoder", folder)
    assert ran.status == 0
    assert b"John denies pain." in ran.out
    ran = incognote("similarity", *texts, "--word", "fever", "--encoder", folder)
    assert (ran.status, ran.err) == (2, "incognote: the word 'fever' is not in every text\n")
    ran = incognote("similarity", "alone", "--encoder", folder)
    assert ran.status == 2
    assert "give two texts or more" in ran.err


def test_pairs_are_scored_by_the_head_that_learned_them(incognote: Command, tmp_path: Path) -> None:
    first, second = "She was admitted on Monday.", "On Tuesday she went home."
    there, back = (
        float(incognote("sentence-order", *pair).out) for pair in ((first, second), (second, first))
    )
    assert 0 <= back < there <= 1
    ran = incognote("next-sentence", first, second)
    assert ran.status == 2
    assert "no next-sentence head" in ran.err
    bert = write_encoder(tmp_path / "bert", "bert", trained=("mlm", "nsp"))
    exported = tmp_path / "exported"
    assert incognote("export", bert, "-o", exported, "--to", "encoder").status == 0
    scores = [
        float(incognote("next-sentence", "John", "pain.", "--encoder", place).out)
        for place in (bert, exported)
    ]
    assert scores[0] == pytest.approx(scores[1], abs=1e-4)
    ran = incognote("next-sentence", "pain " * 600, second, "--encoder", bert)
    assert ran.status == 2
    assert "split it into windows" in ran.err
