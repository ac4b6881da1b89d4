"""Folders that hold no usable tokenizer are refused in one sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from workshop.tokenization.vocabulary_files import write_vocabulary

from incognote.workshop.tokenization import TokenizerError, load


def test_an_empty_folder_and_none(tmp_path: Path) -> None:
    with pytest.raises(TokenizerError, match="no tokenizer here"):
        load(tmp_path)
    with pytest.raises(TokenizerError, match="no such folder"):
        load(tmp_path / "absent")


def test_a_vocabulary_that_lacks_special_tokens(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text("a\nb\n")
    with pytest.raises(TokenizerError, match=r"lacks \[PAD\], \[UNK\]"):
        load(tmp_path)
    special = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n"
    (tmp_path / "vocab.txt").write_text(special + "a\na\n")
    with pytest.raises(TokenizerError, match="a token twice"):
        load(tmp_path)
    (tmp_path / "vocab.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(TokenizerError, match="UTF-8"):
        load(tmp_path)


def test_capitals_tell_whether_a_vocabulary_is_cased(tmp_path: Path) -> None:
    special = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n"
    (tmp_path / "vocab.txt").write_text(special + "pain\n")
    assert load(tmp_path).read("Pain").ids.tolist() == [5]
    (tmp_path / "vocab.txt").write_text(special + "pain\nPain\n")
    assert load(tmp_path).read("Pain").ids.tolist() == [6]
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"do_lower_case": True}))
    assert load(tmp_path).read("Pain").ids.tolist() == [5]


@pytest.mark.parametrize("family", ["albert", "roberta"])
def test_damaged_files(family: str, tmp_path: Path) -> None:
    write_vocabulary(tmp_path, family)
    for path in tmp_path.iterdir():
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2 + 1])
    with pytest.raises(TokenizerError):
        load(tmp_path)


def test_a_damaged_tokenizer_json(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(TokenizerError, match=r"tokenizer\.json: not read"):
        load(tmp_path)


def test_another_familys_vocabulary(tmp_path: Path) -> None:
    write_vocabulary(tmp_path, "bert")
    with pytest.raises(TokenizerError, match="no <cls>, which xlnet needs"):
        load(tmp_path, family="xlnet")
    with pytest.raises(TokenizerError, match="no family 'gpt'"):
        load(tmp_path, family="gpt")


def test_config_json_tells_the_family(tmp_path: Path) -> None:
    write_vocabulary(tmp_path, "bert")
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "electra"}))
    assert load(tmp_path).family == "electra"
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(TokenizerError, match="not readable as JSON"):
        load(tmp_path)
