"""What a model would put where a text has a mask."""

from __future__ import annotations

from typing import TypedDict

import torch
from torch import Tensor

from incognote.encoders.errors import InputError
from incognote.encoders.text_model import TextModel
from incognote.tokenization import Encoding


class Fill(TypedDict):
    """One guess: the text with it, its probability, and the piece."""

    sequence: str
    score: float
    token: int
    token_str: str


@torch.no_grad()
def fill_mask(text: str, encoder: TextModel, *, top_k: int = 5) -> list[Fill] | list[list[Fill]]:
    """The likeliest pieces for a mask, best first; for several masks, a list for each.

    Each of several is guessed with the others still masked, and its sequences show them so.
    """
    tokenizer = encoder.pieces
    encoding = tokenizer.prompt(text)
    places = torch.from_numpy(encoding.ids == tokenizer.mask_id).nonzero().flatten()
    if not len(places):
        raise InputError(f"the text has no {tokenizer.mask_token} to fill")
    if not 1 <= top_k <= encoder.model.config.vocabulary_size:
        raise InputError(f"top_k must be from 1 to the vocabulary's size, not {top_k}")
    best = _logits(encoder, encoding, places).softmax(-1).topk(top_k)
    fills = [
        [_fill(encoder, encoding, place, *guess) for guess in zip(*guesses, strict=True)]
        for place, *guesses in zip(
            places.tolist(), best.values.tolist(), best.indices.tolist(), strict=True
        )
    ]
    return fills[0] if len(fills) == 1 else fills


def _logits(encoder: TextModel, encoding: Encoding, places: Tensor) -> Tensor:
    """[masks, vocabulary], computed at the masks only."""
    model, inputs = encoder.model, encoder.inputs(encoding)
    logits: Tensor
    if "mlm" in model.heads:
        logits = model(**inputs, chosen=places)["mlm"]
        return logits
    if "permutation" not in model.heads:
        raise InputError("this encoder has no head that fills masks")
    length = len(encoding)
    hidden = torch.zeros(1, length, length)
    hidden[:, :, places] = 1  # nobody sees what stands at a mask
    targets = torch.eye(length)[places][None]
    logits = model(**inputs, perm_mask=hidden, target_mapping=targets)["permutation"][0]
    return logits


def _fill(encoder: TextModel, encoding: Encoding, place: int, score: float, token: int) -> Fill:
    ids = encoding.ids.tolist()
    ids[place] = token
    # A vocabulary may be padded with rows that no piece has.
    named = token < encoder.pieces.vocabulary_size
    return Fill(
        sequence=encoder.pieces.decode(ids),
        score=score,
        token=token,
        token_str=encoder.pieces.tokens([token])[0] if named else "",
    )
