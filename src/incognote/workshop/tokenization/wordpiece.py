"""WordPiece, as BERT and ELECTRA read it."""

from __future__ import annotations

from pathlib import Path

import tokenizers
from tokenizers import decoders, models, normalizers, pre_tokenizers

from incognote.workshop.tokenization.errors import TokenizerError

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
