"""Moved to `base/workers.py`."""

from incognote.base.workers import end_with_parent as end_with_parent
