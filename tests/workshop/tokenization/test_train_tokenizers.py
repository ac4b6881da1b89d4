"""Vocabularies learned from text: they load here and elsewhere, and are the same every time."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import transformers
from align.tiny_tokenizers import SENTENCES
from hypothesis import given, settings
from hypothesis import strategies as st

from incognote.workshop.tokenization import Tokenizer, TokenizerError, load
from incognote.workshop.tokenization.subwords import word_counts
from incognote.workshop.tokenizer_training import Kind, train_tokenizer

NUMBERS = ("In 2019, 14, and 3, of 21, were seen in 2019, in 2019, again; 1,000 (or -2.5).",) * 30
TEXT = (*SENTENCES, *NUMBERS, "Ünïcode wörds, wörds: the cost was £5 – or €6.", "")
SIZES: dict[Kind, int] = {"unigram": 120, "wordpiece": 150, "bpe": 320}
KINDS: list[tuple[Kind, bool]] = [
    ("unigram", False),
    ("unigram", True),
    ("wordpiece", False),
    ("wordpiece", True),
    ("bpe", True),
]
CLASSES = {
    "unigram": "AlbertTokenizerFast",
    "wordpiece": "BertTokenizerFast",
    "bpe": "RobertaTokenizerFast",
}
TRICKY = (
    "Mr. John Smith, 54, was seen on 3/14/2019, by Dr. Ngozi (BP 120/80).",
    "José Núñez, naïve\r\n\tto opioids",
    "½ cup 21,4 2019, 1,000,",
    "``quoted'' text",
    "李明 हिन्दी 😀",
    "ﬁne ①② İstanbul ß",
    '( ) " - . – £ €',
    "  lead  trail  ",
    "",
)


@cache
def folder_of(kind: Kind, cased: bool) -> tuple[TemporaryDirectory[str], Path]:
    """Kept while the tests run."""
    kept = TemporaryDirectory()
    path = Path(kept.name)
    train_tokenizer(lambda: TEXT, path, kind, SIZES[kind], cased=cased)
    return kept, path


@cache
def both(kind: Kind, cased: bool) -> tuple[Tokenizer, Callable[[str], list[int]]]:
    path = folder_of(kind, cased)[1]
    theirs = getattr(transformers, CLASSES[kind]).from_pretrained(path)
    return load(path), lambda text: theirs(text)["input_ids"]


@pytest.mark.parametrize(("kind", "cased"), KINDS)
@pytest.mark.parametrize("text", list(dict.fromkeys([*TRICKY, *TEXT])))
def test_transformers_gives_the_same_ids(kind: Kind, cased: bool, text: str) -> None:
    ours, theirs = both(kind, cased)
    assert ours.encode(text).ids.tolist() == theirs(text)


@pytest.mark.parametrize(("kind", "cased"), KINDS)
@given(text=st.text(st.sampled_from("aeéPSTz019,.-–( )\n€½李\u0301"), max_size=30))
@settings(max_examples=40)
def test_transformers_gives_the_same_ids_for_any_text(kind: Kind, cased: bool, text: str) -> None:
    ours, theirs = both(kind, cased)
    assert ours.encode(text).ids.tolist() == theirs(text)


@pytest.mark.parametrize(("kind", "cased"), KINDS)
def test_transformers_tells_the_family_from_the_folder(kind: Kind, cased: bool) -> None:
    theirs = transformers.AutoTokenizer.from_pretrained(folder_of(kind, cased)[1])
    ours = both(kind, cased)[0]
    assert type(theirs).__name__ == CLASSES[kind].removesuffix("Fast")
    assert theirs.mask_token_id == ours.mask_id
    assert set(theirs.all_special_ids) == ours.special_ids
    for text in TRICKY:
        assert theirs(text)["input_ids"] == ours.encode(text).ids.tolist()


@pytest.mark.parametrize(("kind", "cased"), KINDS)
def test_published_files_read_as_the_whole_one_does(
    kind: Kind, cased: bool, tmp_path: Path
) -> None:
    folder = folder_of(kind, cased)[1]
    for path in folder.iterdir():
        if path.name != "tokenizer.json":
            (tmp_path / path.name).write_bytes(path.read_bytes())
    assert load(tmp_path).fingerprint == load(folder).fingerprint


@pytest.mark.parametrize(("kind", "cased"), KINDS)
def test_every_piece_knows_its_place(kind: Kind, cased: bool) -> None:
    ours = both(kind, cased)[0]
    text = TEXT[0]
    pieces = ours.read(text)
    covered = "".join(
        text[start:end]
        for start, end in zip(pieces.offsets.starts, pieces.offsets.ends, strict=True)
    )
    shared = int((pieces.offsets.starts[1:] < pieces.offsets.ends[:-1]).sum())
    assert len(covered) - shared == len("".join(text.split()))
    assert pieces.dropped == 0


def test_size_case_and_special_tokens() -> None:
    for (kind, cased), first in zip(
        KINDS,
        [
            ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]", *'()"-.–£€'],
            ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]", *'()"-.–£€'],
            ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"],
            ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"],
            ["<s>", "<pad>", "</s>", "<unk>"],
        ],
        strict=True,
    ):
        ours = both(kind, cased)[0]
        assert ours.vocabulary_size == SIZES[kind]
        pieces = ours.tokens(range(SIZES[kind]))
        assert pieces[: len(first)] == first
        assert len(set(pieces)) == len(pieces)
        capitals = [piece for piece in pieces[len(first) :] if re.search("[A-ZÜ]", piece)]
        assert bool(capitals) == cased
    assert both("bpe", True)[0].mask_id == SIZES["bpe"] - 1


def test_no_unigram_piece_ends_in_digit_and_comma() -> None:
    """Such pieces are parted by ALBERT's code and by no other reader."""
    for cased in (False, True):
        pieces = both("unigram", cased)[0].tokens(range(SIZES["unigram"]))
        assert not [piece for piece in pieces if re.search(r"\d,", piece)]


SCRIPT = """
import hashlib, sys
from pathlib import Path
from incognote.workshop.tokenizer_training import train_tokenizer
text = Path(sys.argv[1]).read_text("utf-8").split("\\n")
for kind, size in (("unigram", 120), ("wordpiece", 150), ("bpe", 320)):
    folder = Path(sys.argv[2]) / kind
    folder.mkdir(parents=True)
    train_tokenizer(lambda: text, folder, kind, size)
"""


def test_another_process_learns_the_same(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("\n".join(TEXT), encoding="utf-8")
    made = []
    for run in ("1", "2"):
        arguments = ["-c", SCRIPT, str(tmp_path / "text"), str(tmp_path / run)]
        subprocess.run([sys.executable, *arguments], check=True, timeout=120)
        files = sorted(path for path in (tmp_path / run).rglob("*") if path.is_file())
        made.append({path.relative_to(tmp_path / run): path.read_bytes() for path in files})
    assert len(made[0]) == 10
    assert made[0] == made[1]


@pytest.mark.parametrize("kind", list(SIZES))
def test_more_than_the_text_has_is_refused_and_what_fits_is_said(
    kind: Kind, tmp_path: Path
) -> None:
    with pytest.raises(TokenizerError, match="more than this text supports") as refusal:
        train_tokenizer(lambda: TEXT, tmp_path, kind, 60_000)
    most = re.search(r"it has ([\d,]+) tokens", str(refusal.value))
    assert most is not None
    size = int(most[1].replace(",", ""))
    assert train_tokenizer(lambda: TEXT, tmp_path, kind, size).vocabulary_size == size
    with pytest.raises(TokenizerError, match="more than this text supports"):
        train_tokenizer(lambda: TEXT, tmp_path, kind, size + 1)


@pytest.mark.parametrize("size", [1, 20])
@pytest.mark.parametrize("kind", list(SIZES))
def test_less_than_the_characters_is_refused_and_what_they_take_is_said(
    kind: Kind, size: int, tmp_path: Path
) -> None:
    with pytest.raises(TokenizerError, match="too small") as refusal:
        train_tokenizer(lambda: TEXT, tmp_path, kind, size)
    least = int(re.findall(r"take ([\d,]+)", str(refusal.value))[0].replace(",", ""))
    assert train_tokenizer(lambda: TEXT, tmp_path, kind, least).vocabulary_size == least


@pytest.mark.parametrize("kind", list(SIZES))
@pytest.mark.parametrize("text", ["", " \n"])
def test_no_text_is_refused(kind: Kind, text: str, tmp_path: Path) -> None:
    with pytest.raises(TokenizerError, match="no text"):
        train_tokenizer(lambda: [text], tmp_path, kind, SIZES[kind])


def test_unknown_kinds_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TokenizerError, match="unigram, wordpiece, bpe"):
        train_tokenizer(lambda: TEXT, tmp_path, "words", 100)  # type: ignore[arg-type]


def test_words_are_counted_over_all_texts() -> None:
    assert word_counts(lambda: ["a b", "b\tc b"]) == {"a": 1, "b": 3, "c": 1}


def test_rare_words_are_forgotten_when_there_are_too_many() -> None:
    texts = [f"pain rare{number} pain chest" for number in range(1000)]
    counts = word_counts(lambda: texts, distinct=100)
    assert len(counts) <= 100
    assert (counts["pain"], counts["chest"]) == (2000, 1000)


def test_no_words_are_refused() -> None:
    with pytest.raises(TokenizerError, match="no text"):
        word_counts(lambda: [" ", ""])
