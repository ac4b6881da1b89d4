"""ELMo: Peters et al., 2018."""

from __future__ import annotations

from incognote.workshop.encoders.elmo.config import ElmoConfig

__all__ = ["ElmoConfig"]
