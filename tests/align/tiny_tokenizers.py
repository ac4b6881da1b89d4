"""Small tokenizers of each kind, trained on a few sentences."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

SENTENCES = (
    "Mr. John Smith was seen on 3/14/2019 by Dr. Ngozi Okafor at St. Brendan's Hospital.",
    "The patient, a 54-year-old crane operator, denies chest pain; BP 120/80, O2 98%.",
    "Call (555) 010-9988 or write to records@example.org. MRN: 00-123-45.",
    "José Núñez, naïve to opioids, lives at 18 Quarry Ln, Apt 4, Dunmore, PA 18512.",
) * 4


@cache
def tiny_tokenizers() -> Mapping[str, Tokenizer]:
    """By kind. WordPiece drops control characters and accents."""
    return {
        "wordpiece": _wordpiece(),
        "byte_bpe": _byte_bpe(trim=True),
        "byte_bpe_untrimmed": _byte_bpe(trim=False),
        "unigram": _unigram(),
        "plain_bpe": plain_bpe("<unk>"),
        "byte_fallback": byte_fallback_bpe(),
    }


def _wordpiece() -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.train_from_iterator(
        SENTENCES,
        trainers.WordPieceTrainer(
            vocab_size=160,
            special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"],
            show_progress=False,
        ),
    )
    return tokenizer


def _byte_bpe(*, trim: bool) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=trim)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(
        SENTENCES,
        trainers.BpeTrainer(
            vocab_size=330,
            special_tokens=["<s>", "</s>", "<mask>"],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    return tokenizer


def _unigram() -> Tokenizer:
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.train_from_iterator(
        SENTENCES,
        trainers.UnigramTrainer(
            vocab_size=150, special_tokens=["<unk>"], unk_token="<unk>", show_progress=False
        ),
    )
    return tokenizer


def plain_bpe(unknown: str | None) -> Tokenizer:
    """Characters as they are; without an unknown token it skips those that it does not know."""
    tokenizer = Tokenizer(models.BPE(unk_token=unknown))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.train_from_iterator(
        SENTENCES,
        trainers.BpeTrainer(
            vocab_size=120, special_tokens=[unknown] if unknown else [], show_progress=False
        ),
    )
    return tokenizer


def byte_fallback_bpe() -> Tokenizer:
    """Characters as they are, unknown ones as bytes, spaces as underlines (as Llama does)."""
    letters = sorted(set("".join(SENTENCES)) | {"\u2581"})
    vocabulary = [*(f"<0x{byte:02X}>" for byte in range(256)), *letters, "Jo", "hn", "John"]
    tokenizer = Tokenizer(
        models.BPE(
            {token: place for place, token in enumerate(vocabulary)},
            [("J", "o"), ("h", "n"), ("Jo", "hn")],
            byte_fallback=True,
        )
    )
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Prepend("\u2581"), normalizers.Replace(" ", "\u2581")]
    )
    return tokenizer
