"""Byte-level BPE, as RoBERTa reads it."""

from __future__ import annotations

from pathlib import Path

import tokenizers
from tokenizers import AddedToken, decoders, models, pre_tokenizers

from incognote.workshop.tokenization.errors import TokenizerError

SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")


def byte_bpe(vocabulary: Path, merges: Path) -> tokenizers.Tokenizer:
    """From a vocab.json and a merges.txt."""
    try:
        model = models.BPE.from_file(str(vocabulary), str(merges))
    except Exception as error:  # the library raises its plain Exception
        raise TokenizerError(f"{vocabulary}: not read with {merges.name} ({error})") from None
    tokenizer = tokenizers.Tokenizer(model)
    absent = [piece for piece in SPECIAL if tokenizer.token_to_id(piece) is None]
    if absent:
        raise TokenizerError(f"{vocabulary}: lacks {', '.join(absent)}")
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(
        [AddedToken(piece, lstrip=piece == "<mask>", normalized=False) for piece in SPECIAL]
    )
    return tokenizer
