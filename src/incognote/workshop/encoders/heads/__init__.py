"""From hidden states to logits. A head takes `Encoded` and knows nothing of losses.

The heads of a model go by these names: `tokens`, `sequence`, `choice`, `span`, `answerable`, `mlm`,
`sop`, `nsp`, `rtd`, `permutation`. A family says which module serves each name.
"""

from __future__ import annotations

from incognote.workshop.encoders.heads.classification import (
    Classification,
    DenseClassification,
    MergedClassification,
)
from incognote.workshop.encoders.heads.head import Head
from incognote.workshop.encoders.heads.pretraining import (
    MaskedLanguage,
    PermutationLanguage,
    ReplacedTokens,
)
from incognote.workshop.encoders.heads.span import Span, no_answer_score

__all__ = [
    "Classification",
    "DenseClassification",
    "Head",
    "MaskedLanguage",
    "MergedClassification",
    "PermutationLanguage",
    "ReplacedTokens",
    "Span",
    "no_answer_score",
]
