"""RoBERTa: Liu et al., 2019."""

from __future__ import annotations

from incognote.workshop.encoders.roberta.config import RobertaConfig

__all__ = ["RobertaConfig"]
