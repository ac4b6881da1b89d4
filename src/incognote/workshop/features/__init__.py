"""Vectors for the words of texts, however long."""

from __future__ import annotations

from incognote.workshop.features.pooling import Pooling
from incognote.workshop.features.run import WordFeatures, features

__all__ = ["Pooling", "WordFeatures", "features"]
