"""Moved to `base/chunks.py`."""

from incognote.base.chunks import Ahead as Ahead
