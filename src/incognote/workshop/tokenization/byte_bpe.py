"""Byte-level BPE, as RoBERTa reads it, and how it is learned.

RoBERTa's special tokens stand where RoBERTa has them: four first, <mask> last.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import tokenizers
from tokenizers import AddedToken, decoders, models, pre_tokenizers, trainers

from incognote.base.errors import TokenizerError
from incognote.workshop.tokenization.word_counts import Texts, too_large, too_small

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


TWICE = 2
"""A pair must be there as often."""

Merges = list[tuple[str, str]]


def train_byte_bpe(texts: Texts, size: int) -> tuple[dict[str, int], Merges]:
    """The content of a `vocab.json` and of a `merges.txt`."""
    first, mask = SPECIAL[:-1], SPECIAL[-1]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    if size < len(alphabet) + len(SPECIAL):
        raise too_small(size, len(alphabet) + len(SPECIAL))
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=size - 1,
        min_frequency=TWICE,
        special_tokens=list(first),
        initial_alphabet=sorted(alphabet),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_solid(texts), trainer)
    vocabulary = tokenizer.get_vocab()
    if len(vocabulary) < size - 1:
        raise too_large(size, len(vocabulary) + 1)
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    return {**vocabulary, mask: size - 1}, [(left, right) for left, right in merges]


def _solid(texts: Texts) -> Iterator[str]:
    """The texts that are more than white space, of which there must be one."""
    found = False
    for text in texts():
        if text.strip():
            found = True
            yield text
    if not found:
        raise TokenizerError("there is no text to learn a vocabulary from")
