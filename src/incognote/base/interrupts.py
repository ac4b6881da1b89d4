"""Moved to `base/workers.py`."""

from incognote.base.workers import Interrupts as Interrupts
