"""What the heads of pretraining say of a text: fill a mask, judge the order of two sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict

import numpy as np

from incognote.align.pieces import Pieces
from incognote.align.units import Integers, Units
from incognote.base.errors import InputError
from incognote.workshop.encoders.text_encoder import Floats, TextEncoder, open_encoder
from incognote.workshop.tokenization import Encoding, Tokenizer


class Fill(TypedDict):
    """One guess: the text with it, its probability, and the token."""

    sequence: str
    score: float
    token: int
    token_str: str


def fill_mask(
    text: str, encoder: TextEncoder | str | Path | None = None, *, top_k: int = 5
) -> list[Fill] | list[list[Fill]]:
    """The likeliest tokens for a mask, best first; for several masks, a list for each.

    encoder: an open one, or the folder of one; the clinical ALBERT that ships if None. Each of
    several masks is guessed with the others still masked, and its sequences show them so. In a text
    that is longer than the encoder takes, a mask is guessed from the stretch around it.

    >>> fill_mask("The patient denies chest [MASK].")[0]["token_str"]  # doctest: +SKIP
    '▁pain'
    """
    reader = open_encoder(encoder)
    tokenizer = reader.pieces
    whole = tokenizer.prompt(text)
    masks = np.flatnonzero(whole.ids == tokenizer.mask_id)
    if not len(masks):
        raise InputError(f"the text has no {tokenizer.mask_token} to fill")
    if not 1 <= top_k <= reader.vocabulary_size:
        raise InputError(f"top_k must be from 1 to the vocabulary's size, not {top_k}")
    shares = _probabilities(np.concatenate(list(_logits(reader, whole, masks))))
    fills = [
        [_fill(tokenizer, whole, mask, float(row[token]), token) for token in _best(row, top_k)]
        for mask, row in zip(masks.tolist(), shares, strict=True)
    ]
    return fills[0] if len(fills) == 1 else fills


def _logits(reader: TextEncoder, whole: Encoding, masks: Integers) -> Iterator[Floats]:
    """[masks, vocabulary], in parts: all masks at once, or in a long text each by itself."""
    if len(whole) <= reader.longest:
        yield reader.mask_logits(whole, masks)
        return
    tokenizer = reader.pieces
    room = reader.longest - tokenizer.special_tokens()
    ids = whole.ids[whole.part == 0]
    for mask in np.flatnonzero(ids == tokenizer.mask_id).tolist():
        first = max(0, min(mask - room // 2, len(ids) - room))
        nowhere = np.zeros(room, np.int64)
        around = Pieces(ids[first : first + room], Units(nowhere, nowhere), 0)
        encoding = tokenizer.join(around)
        place = np.flatnonzero(encoding.part == 0)[mask - first]
        yield reader.mask_logits(encoding, np.array([place]))


def _probabilities(logits: Floats) -> Floats:
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    shares: Floats = powers / powers.sum(axis=-1, keepdims=True)
    return shares


def _best(row: Floats, count: int) -> list[int]:
    found: list[int] = np.argsort(-row, kind="stable")[:count].tolist()
    return found


def _fill(tokenizer: Tokenizer, whole: Encoding, place: int, score: float, token: int) -> Fill:
    ids = whole.ids.tolist()
    ids[place] = token
    # A vocabulary may be padded with rows that no token has.
    named = token < tokenizer.vocabulary_size
    return Fill(
        sequence=tokenizer.decode(ids),
        score=score,
        token=token,
        token_str=tokenizer.tokens([token])[0] if named else "",
    )


IN_ORDER, SWAPPED = 0, 1


def sentence_order_score(
    first: str, second: str, encoder: TextEncoder | str | Path | None = None
) -> float:
    """How probable it is that `second` follows `first`, and not the other way round.

    encoder: an open one, or the folder of one; the clinical ALBERT that ships if None.
    """
    reader = open_encoder(encoder)
    logits = reader.order_logits(reader.pieces.encode(first, second)).tolist()
    apart = logits[IN_ORDER] - logits[SWAPPED]
    # Written so that neither branch overflows.
    odds = math.exp(-abs(apart))
    return (1 if apart >= 0 else odds) / (1 + odds)
