"""BERT: Devlin et al., 2019."""

from __future__ import annotations

from incognote.workshop.encoders.bert.config import BertConfig

__all__ = ["BertConfig"]
