"""Whether two texts stand in the order they were written in."""

from __future__ import annotations

import math
from pathlib import Path

from incognote.workshop.encoders.text_encoder import TextEncoder, open_encoder

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
