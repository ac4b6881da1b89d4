"""`fill-mask` and `features` as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from commands import Command
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


def test_mistakes_end_in_one_sentence(incognote: Command, folder: Path, tmp_path: Path) -> None:
    cases = [
        (("fill-mask", "x [MASK]"), "--encoder"),
        (("fill-mask", "x", "--encoder", folder), "no [MASK] to fill"),
        (("fill-mask", "x [MASK]", "--encoder", tmp_path), "no config.json"),
        (("features", tmp_path / "absent.txt", "--encoder", folder), "no such file"),
        (("features", folder / "model.safetensors", "--encoder", folder), "not UTF-8"),
    ]
    for arguments, said in cases:
        ran = incognote(*arguments)
        assert ran.status == 2
        assert said in ran.err
        assert len(ran.err.splitlines()) == 1
