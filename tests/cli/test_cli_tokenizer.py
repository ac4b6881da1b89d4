"""`incognote tokenizer` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from align.tiny_tokenizers import SENTENCES
from commands import Command

from incognote.workshop.pretrain.corpus import text_files
from incognote.workshop.tokenization import load


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    path = tmp_path / "notes.jsonl"
    path.write_text("".join(json.dumps({"note": {"plan": text}}) + "\n" for text in SENTENCES))
    return path


def test_the_three_kinds(incognote: Command, notes: Path, tmp_path: Path) -> None:
    for kind, size, family in (
        ("unigram", 90, "albert"),
        ("wordpiece", 120, "bert"),
        ("bpe", 300, "roberta"),
    ):
        folder = tmp_path / kind
        ran = incognote(
            *("tokenizer", notes, "-o", folder, "--kind", kind, "--vocab-size", size),
            *("--text-field", "note"),
        )
        assert (ran.status, ran.out) == (0, b"")
        assert f"{size} tokens ({kind}) are in {folder}" in ran.err
        made = load(folder)
        assert (made.family, made.vocabulary_size) == (family, size)
    assert [path for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_cased_keeps_capitals(incognote: Command, notes: Path, tmp_path: Path) -> None:
    arguments = ("tokenizer", notes, "--vocab-size", 90, "--text-field", "note")
    for folder, more in (("plain", ()), ("cased", ("--cased",))):
        assert incognote(*arguments, "-o", tmp_path / folder, *more).status == 0
        read = load(tmp_path / folder).read("John john").ids.tolist()
        assert (read[: len(read) // 2] == read[len(read) // 2 :]) == (folder == "plain")


def test_xlnets_own(incognote: Command, notes: Path, tmp_path: Path) -> None:
    arguments = ("tokenizer", notes, "--vocab-size", 90, "--text-field", "note")
    for folder, more, cased in (("plain", (), True), ("small", ("--uncased",), False)):
        ran = incognote(*arguments, "-o", tmp_path / folder, "--family", "xlnet", *more)
        assert ran.status == 0
        made = load(tmp_path / folder)
        assert (made.family, made.vocabulary_size) == ("xlnet", 90)
        assert any(piece != piece.lower() for piece in made.tokens(range(90))) == cased
    refused = incognote(*arguments, "-o", tmp_path / "no", "--family", "xlnet", "--kind", "bpe")
    assert refused.status == 2
    assert "xlnet does not have a bpe vocabulary: that is for roberta" in refused.err


@pytest.mark.parametrize("kind", ["unigram", "wordpiece", "bpe"])
def test_plain_text_may_be_longer_than_any_document(
    incognote: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    path = tmp_path / "text.txt"
    path.write_text("\n".join(SENTENCES * 20))
    arguments = ("tokenizer", path, "--kind", kind, "--vocab-size", 300 if kind == "bpe" else 90)
    assert incognote(*arguments, "-o", tmp_path / "whole").status == 0
    monkeypatch.setattr(text_files, "LONGEST", 2**10)
    assert path.stat().st_size > text_files.LONGEST
    assert incognote(*arguments, "-o", tmp_path / "parted").status == 0
    found = [load(tmp_path / folder).fingerprint for folder in ("whole", "parted")]
    assert found[0] == found[1]


def test_a_folder_is_replaced_only_when_asked(
    incognote: Command, notes: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "made"
    first = ("tokenizer", notes, "-o", folder, "--text-field", "note", "--vocab-size")
    assert incognote(*first, 90).status == 0
    refused = incognote(*first, 80)
    assert (refused.status, load(folder).vocabulary_size) == (2, 90)
    assert "exists; choose another output or use --overwrite" in refused.err
    assert incognote(*first, 120, "--kind", "wordpiece", "--overwrite").status == 0
    assert sorted(path.name for path in folder.iterdir()) == [
        "tokenizer.json",
        "tokenizer_config.json",
        "vocab.txt",
    ]


@pytest.mark.parametrize(
    ("content", "arguments", "message"),
    [
        (b"", (), "no text to learn a vocabulary from"),
        (b"Jane Roe \xff", (), "not UTF-8 at byte 9"),
        (b"\x00\x01", (), "binary file"),
        (b"Jane Roe was seen.", ("--vocab-size", "500"), "more than this text supports"),
        (b"Jane Roe was seen.", ("--vocab-size", "6"), "too small"),
        (b"Jane Roe was seen.", ("--kind", "words"), "'words' is not one of"),
        (b"Jane Roe was seen.", ("--vocab-size", "0"), "vocab-size"),
    ],
)
def test_mistakes_end_in_one_line_and_leave_nothing(
    incognote: Command, tmp_path: Path, content: bytes, arguments: tuple[str, ...], message: str
) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(content)
    ran = incognote("tokenizer", path, "-o", tmp_path / "made", *arguments)
    assert ran.status == 2
    assert ran.err.startswith("incognote: ")
    assert message in ran.err
    assert ran.err.count("\n") == 1
    assert "Jane" not in ran.err
    assert [each.name for each in tmp_path.iterdir()] == ["text.txt"]
