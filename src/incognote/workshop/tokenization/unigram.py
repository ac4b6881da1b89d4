"""SentencePiece's unigram pieces, as ALBERT and XLNet read them."""

from __future__ import annotations

from pathlib import Path

import tokenizers
from tokenizers import AddedToken, decoders, models, normalizers, pre_tokenizers

from incognote.workshop.tokenization.sentencepiece_file import read_sentencepiece

SPACE = "\u2581"


def unigram(path: Path, *, lowercase: bool, keep_accents: bool = False) -> tokenizers.Tokenizer:
    """From a SentencePiece file."""
    file = read_sentencepiece(path)
    tokenizer = tokenizers.Tokenizer(models.Unigram(list(file.pieces), unk_id=file.unknown))
    steps = _steps(lowercase=lowercase, keep_accents=keep_accents)
    if file.character_map:
        steps.append(normalizers.Precompiled(file.character_map))
    tokenizer.normalizer = normalizers.Sequence(steps)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(SPACE, "always")]
    )
    tokenizer.decoder = decoders.Metaspace(SPACE, "always")
    tokenizer.add_special_tokens(
        [
            AddedToken(piece, lstrip=piece in ("[MASK]", "<mask>"), normalized=False)
            for number, (piece, _) in enumerate(file.pieces)
            if number in file.controls
        ]
    )
    return tokenizer


def spelling(*, lowercase: bool, keep_accents: bool) -> normalizers.Normalizer:
    """What is done to text before SentencePiece sees it."""
    return normalizers.Sequence(_steps(lowercase=lowercase, keep_accents=keep_accents))


def _steps(*, lowercase: bool, keep_accents: bool) -> list[normalizers.Normalizer]:
    steps: list[normalizers.Normalizer] = [
        normalizers.Replace("``", '"'),
        normalizers.Replace("''", '"'),
    ]
    if not keep_accents:
        steps += [normalizers.NFKD(), normalizers.StripAccents()]
    if lowercase:
        steps.append(normalizers.Lowercase())
    return steps
