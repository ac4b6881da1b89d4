"""ELECTRA: Clark et al., 2020."""

from __future__ import annotations

from incognote.workshop.encoders.electra.config import ElectraConfig

__all__ = ["ElectraConfig"]
