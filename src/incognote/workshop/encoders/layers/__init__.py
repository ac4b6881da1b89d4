"""The one set of layers that all Transformer families are composed of."""

from __future__ import annotations

from incognote.workshop.encoders.layers.asking import Asking, read_on
from incognote.workshop.encoders.layers.attention import SelfAttention
from incognote.workshop.encoders.layers.embeddings import Embeddings
from incognote.workshop.encoders.layers.feed_forward import FeedForward, activation
from incognote.workshop.encoders.layers.layout import Layout, Packed, Padded, layout_of
from incognote.workshop.encoders.layers.stack import Stack

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
