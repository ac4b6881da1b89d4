"""WordPiece, as BERT and ELECTRA read it, and how it is learned, with BERT's special tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import tokenizers
from tokenizers import decoders, models, normalizers, pre_tokenizers, trainers

from incognote.base.errors import TokenizerError
from incognote.workshop.tokenization.word_counts import (
    Texts,
    too_large,
    too_small,
    word_counts,
)

UNKNOWN = "[UNK]"
SPECIAL = ("[PAD]", UNKNOWN, "[CLS]", "[SEP]", "[MASK]")


def wordpiece(path: Path, *, lowercase: bool | None = None) -> tokenizers.Tokenizer:
    """From a vocab.txt; if not told, it is lower-cased where no piece has a capital."""
    try:
        pieces = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    except UnicodeDecodeError:
        raise TokenizerError(f"{path}: not a list of tokens in UTF-8") from None
    vocabulary = {piece.rstrip("\r"): number for number, piece in enumerate(pieces)}
    absent = [piece for piece in SPECIAL if piece not in vocabulary]
    if absent or len(vocabulary) != len(pieces):
        what = f"lacks {', '.join(absent)}" if absent else "has a token twice"
        raise TokenizerError(f"{path}: not a WordPiece vocabulary: it {what}")
    if lowercase is None:
        lowercase = not any(piece != piece.lower() for piece in vocabulary if piece not in SPECIAL)
    tokenizer = tokenizers.Tokenizer(models.WordPiece(vocabulary, unk_token=UNKNOWN))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.add_special_tokens(list(SPECIAL))
    return tokenizer


INSIDE = "##"
CHARACTERS = 1000
"""Different ones that get a piece, the commonest; BERT's number."""

TWICE = 2
"""A piece must be there as often."""


def train_wordpiece(texts: Texts, size: int, *, lowercase: bool) -> list[str]:
    """The lines of a `vocab.txt`.

    The library numbers the tokens of one character inside a word as it happens to meet them, and ties
    fall by number: two runs would learn other tokens. So they are given to it in their order.
    """
    tokenizer = tokenizers.Tokenizer(models.WordPiece(unk_token=UNKNOWN))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    anywhere, inside = _characters(word_counts(texts), tokenizer)
    least = len(SPECIAL) + len(anywhere) + len(inside)
    if size < least:
        raise too_small(size, least)
    trainer = trainers.WordPieceTrainer(
        vocab_size=size,
        min_frequency=TWICE,
        special_tokens=[*SPECIAL, *(INSIDE + character for character in inside)],
        initial_alphabet=anywhere,
        limit_alphabet=len(anywhere),
        continuing_subword_prefix=INSIDE,
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts(), trainer)
    vocabulary = tokenizer.get_vocab()
    if len(vocabulary) < size:
        raise too_large(size, len(vocabulary))
    return sorted(vocabulary, key=vocabulary.__getitem__)


def _characters(
    words: Mapping[str, int], tokenizer: tokenizers.Tokenizer
) -> tuple[list[str], list[str]]:
    """The commonest characters, and those of them that follow another in a word; sorted."""
    counts: Counter[str] = Counter()
    following: set[str] = set()
    for word, count in words.items():
        normal = tokenizer.normalizer.normalize_str(word)
        for part, _ in tokenizer.pre_tokenizer.pre_tokenize_str(normal):
            following.update(part[1:])
            for character in part:
                counts[character] += count
    if not counts:
        raise TokenizerError("there is no text to learn a vocabulary from")
    common = sorted(counts, key=lambda character: (-counts[character], character))[:CHARACTERS]
    return sorted(common), sorted(following.intersection(common))
