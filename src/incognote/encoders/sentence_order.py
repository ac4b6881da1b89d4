"""Whether two texts stand in the order they were written in."""

from __future__ import annotations

import torch

from incognote.encoders.errors import InputError
from incognote.encoders.text_model import TextModel

IN_ORDER = 0


@torch.no_grad()
def sentence_order_score(first: str, second: str, encoder: TextModel) -> float:
    """How probable it is that `second` follows `first`, and not the other way round."""
    if "sop" not in encoder.model.heads:
        raise InputError("this encoder has no sentence-order head (ALBERT's has)")
    encoding = encoder.pieces.encode(first, second)
    logits = encoder.model(**encoder.inputs(encoding))["sop"]
    return float(logits.softmax(-1)[0, IN_ORDER])
