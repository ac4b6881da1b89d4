"""ALBERT: Lan et al., 2020."""

from __future__ import annotations

from incognote.workshop.encoders.albert.config import AlbertConfig

__all__ = ["AlbertConfig"]
