"""The one set of layers that all Transformer families are composed of."""

from __future__ import annotations

from incognote.encoders.layers.asking import Asking, read_on
from incognote.encoders.layers.attention import SelfAttention
from incognote.encoders.layers.embeddings import Embeddings
from incognote.encoders.layers.feed_forward import FeedForward, activation
from incognote.encoders.layers.layout import Layout, Packed, Padded, layout_of
from incognote.encoders.layers.stack import Stack

__all__ = [
    "Asking",
    "Embeddings",
    "FeedForward",
    "Layout",
    "Packed",
    "Padded",
    "SelfAttention",
    "Stack",
    "activation",
    "layout_of",
    "read_on",
]
