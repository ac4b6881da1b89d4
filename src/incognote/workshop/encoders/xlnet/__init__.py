"""XLNet: Yang et al., 2019."""

from __future__ import annotations

from incognote.workshop.encoders.xlnet.config import XlnetConfig

__all__ = ["XlnetConfig"]
