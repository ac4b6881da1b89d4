"""Moved to `base/workers.py`."""

from incognote.base.workers import LIBRARIES as LIBRARIES
