"""A vocabulary for XLNet: its symbols in its order, cased, and the same ids elsewhere."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import transformers
from places import ROOT
from sentencepiece import SentencePieceProcessor
from workshop.tokenization.sentencepiece_oracle import equally_good, papers_pieces
from workshop.tokenization.test_train_tokenizers import TEXT, TRICKY

from incognote.workshop.tokenization import Tokenizer, TokenizerError, load
from incognote.workshop.tokenizer_training import Kind, train_tokenizer

SIZE = 130
FIRST = [*"<unk> <s> </s> <cls> <sep> <pad> <mask> <eod> <eop>".split(), *'.()"-–£€']
"""As the published vocabulary of 32,000 begins."""

PUBLISHED = ROOT.parent / "shared/tokenizers/xlnet-cased"


@cache
def folder_of(cased: bool | None) -> tuple[TemporaryDirectory[str], Path]:
    """Kept while the tests run."""
    kept = TemporaryDirectory()
    path = Path(kept.name)
    train_tokenizer(lambda: TEXT, path, "unigram", SIZE, family="xlnet", cased=cased)
    return kept, path


@cache
def ours(cased: bool | None) -> Tokenizer:
    return load(folder_of(cased)[1])


def test_it_begins_as_the_published_one() -> None:
    made = ours(None)
    assert (made.family, made.vocabulary_size) == ("xlnet", SIZE)
    assert made.tokens(range(len(FIRST))) == FIRST
    if PUBLISHED.exists():
        assert load(PUBLISHED).tokens(range(len(FIRST))) == FIRST


def test_capitals_stay_unless_told() -> None:
    for cased, kept in ((None, True), (True, True), (False, False)):
        pieces = ours(cased).tokens(range(SIZE))
        assert any(piece != piece.lower() for piece in pieces) == kept
        settings = json.loads((folder_of(cased)[1] / "tokenizer_config.json").read_text())
        assert settings["do_lower_case"] == (not kept)


@pytest.mark.parametrize("cased", [None, False])
def test_transformers_gives_the_same_ids(cased: bool | None) -> None:
    theirs = transformers.AutoTokenizer.from_pretrained(folder_of(cased)[1])
    assert type(theirs).__name__ == "XLNetTokenizer"
    for text in [*TRICKY, *TEXT]:
        assert theirs(text)["input_ids"] == ours(cased).encode(text).ids.tolist()
    pair = theirs("chest pain", "no fever", return_token_type_ids=True)
    encoding = ours(cased).encode("chest pain", "no fever")
    assert pair["input_ids"] == encoding.ids.tolist()
    assert pair["token_type_ids"] == encoding.segments.tolist()


def test_transformers_has_the_same_special_tokens() -> None:
    theirs = transformers.AutoTokenizer.from_pretrained(folder_of(None)[1])
    assert theirs.mask_token_id == ours(None).mask_id
    assert theirs.unk_token_id == ours(None).unknown_id
    assert set(theirs.all_special_tokens) == set(FIRST[:9])
    batch = theirs(["pain", "no pain at all"], padding=True)
    padded = ours(None).pad([ours(None).encode("pain"), ours(None).encode("no pain at all")])
    assert batch["input_ids"] == padded.ids.tolist()


def test_sentencepiece_reads_the_same() -> None:
    model = SentencePieceProcessor(model_file=str(folder_of(None)[1] / "spiece.model"))
    for text in [*TRICKY, *TEXT]:
        wanted = [model.piece_to_id(piece) for piece in papers_pieces(model, text, lowercase=False)]
        assert equally_good(model, ours(None).read(text).ids.tolist(), wanted)


def test_the_published_file_reads_as_the_whole_one_does(tmp_path: Path) -> None:
    for path in folder_of(None)[1].iterdir():
        if path.name != "tokenizer.json":
            (tmp_path / path.name).write_bytes(path.read_bytes())
    assert load(tmp_path).fingerprint == ours(None).fingerprint


@pytest.mark.parametrize(("kind", "name"), [("wordpiece", "bert"), ("bpe", "roberta")])
def test_other_kinds_of_pieces_are_refused(kind: Kind, name: str, tmp_path: Path) -> None:
    with pytest.raises(
        TokenizerError, match=f"xlnet does not have a {kind} vocabulary.* for {name}"
    ):
        train_tokenizer(lambda: TEXT, tmp_path, kind, 300, family="xlnet")


def test_what_is_too_large_or_too_small_is_said(tmp_path: Path) -> None:
    for size, message in ((60_000, "more than this text supports"), (20, "too small")):
        with pytest.raises(TokenizerError, match=message):
            train_tokenizer(lambda: TEXT, tmp_path, "unigram", size, family="xlnet")
