"""ModernBERT's and DeBERTa-v3's tokenizers, beside those of Hugging Face and of SentencePiece."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
import transformers
from align.tiny_tokenizers import SENTENCES
from hypothesis import given, settings
from hypothesis import strategies as st
from sentencepiece import SentencePieceProcessor
from workshop.tokenization.sentencepiece_oracle import equally_good
from workshop.tokenization.vocabulary_files import deberta_model, write_vocabulary

from incognote.workshop.encoders.text_model import fits
from incognote.workshop.tokenization import Tokenizer, load
from incognote.workshop.tokenizer_training import train_tokenizer

ODD = (
    "½ cup of Ｆｕｌｌ width",
    "José\u0301 ﬁne ①② 𝔘nicode",
    "two  spaces\tand a tab",
    "  lead and trail  ",
    "12,345. (9,9) MRN:00-123-45",
    "李明 😀",
    "",
    " ",
)


@pytest.fixture(scope="module")
def deberta(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_vocabulary(tmp_path_factory.mktemp("deberta") / "deberta", "deberta-v2")


@pytest.fixture(scope="module")
def modernbert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("modernbert")
    train_tokenizer(lambda: SENTENCES * 3, folder, "bpe", 330, family="modernbert")
    return folder


def test_deberta_s_file_is_known_by_its_name_and_special_tokens(deberta: Path) -> None:
    tokenizer = load(deberta)
    assert tokenizer.family == "deberta-v2"
    assert tokenizer.tokens([0, 1, 2, 3]) == ["[PAD]", "[CLS]", "[SEP]", "[UNK]"]
    assert tokenizer.mask_id == tokenizer.vocabulary_size - 1


def _reads_like_sentencepiece(tokenizer: Tokenizer, model: Any, text: str) -> bool:
    found, wanted = tokenizer.read(text).ids.tolist(), model.encode(text.strip())
    return equally_good(model, found, wanted)


@pytest.mark.parametrize("text", [*SENTENCES, *ODD])
def test_deberta_reads_as_sentencepiece_does(deberta: Path, text: str) -> None:
    model = SentencePieceProcessor(model_proto=deberta_model())
    assert _reads_like_sentencepiece(load(deberta), model, text)


def test_deberta_encodes_plain_text_as_hugging_face_does(deberta: Path) -> None:
    theirs: Any = transformers.DebertaV2Tokenizer.from_pretrained(deberta)
    tokenizer = load(deberta)
    for first, second in itertools.pairwise(SENTENCES):
        for pair in (None, second):
            wanted = theirs(first, pair)
            found = tokenizer.encode(first, pair)
            assert found.ids.tolist() == wanted["input_ids"]
            assert found.segments.tolist() == wanted["token_type_ids"]
    masked = "chest [MASK] today"
    assert tokenizer.prompt(masked).ids.tolist() == theirs(masked)["input_ids"]


@settings(max_examples=60, deadline=None)
@given(text=st.text(alphabet="aeé ½,.1\n\u200bﬁＡ😀", max_size=30))
def test_every_character_of_a_text_has_its_place(deberta: Path, text: str) -> None:
    tokens = load(deberta).read(text)
    covered = [False] * len(text)
    for start, end in zip(tokens.offsets.starts, tokens.offsets.ends, strict=True):
        covered[start:end] = [True] * (end - start)
    missed = [character for character, seen in zip(text, covered, strict=True) if not seen]
    assert not "".join(missed).strip()


def test_modernbert_s_special_tokens_come_last(modernbert: Path) -> None:
    tokenizer = load(modernbert)
    assert tokenizer.family == "modernbert"
    assert tokenizer.tokens(range(325, 330)) == ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"]
    pair = tokenizer.encode("Seen today.", "Home.")
    assert set(pair.segments.tolist()) == {0}
    assert tokenizer.decode(pair.ids.tolist()) == "[CLS]Seen today.[SEP]Home.[SEP]"


def test_modernbert_s_folder_loads_in_transformers_and_gives_the_same_ids(
    modernbert: Path, tmp_path: Path
) -> None:
    theirs: Any = transformers.AutoTokenizer.from_pretrained(modernbert)
    tokenizer = load(modernbert)
    for text in (*SENTENCES, *ODD, "e\u0301"):
        assert tokenizer.encode(text).ids.tolist() == theirs(text)["input_ids"]
    assert "token_type_ids" not in theirs("a") or not any(theirs("a", "b")["token_type_ids"])
    assert tokenizer.prompt("chest [MASK].").ids.tolist() == theirs("chest [MASK].")["input_ids"]


def test_files_of_bytes_are_modernbert_s_where_the_configuration_says_so(
    modernbert: Path, tmp_path: Path
) -> None:
    for name in ("vocab.json", "merges.txt"):
        (tmp_path / name).write_bytes((modernbert / name).read_bytes())
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "modernbert"}))
    text = "Seen on 3/14/2019."
    assert load(tmp_path).encode(text).ids.tolist() == load(modernbert).encode(text).ids.tolist()


@pytest.mark.parametrize(
    ("rows", "tokens", "holds"),
    [
        (128_100, 128_001, True),
        (251_000, 250_102, True),
        (50_368, 50_285, True),
        (128_100, 127_990, False),
        (30_522, 30_520, False),
        (30_000, 30_001, False),
    ],
)
def test_a_vocabulary_may_be_padded_as_the_published_ones_are(
    rows: int, tokens: int, holds: bool
) -> None:
    assert fits(rows, tokens) == holds
