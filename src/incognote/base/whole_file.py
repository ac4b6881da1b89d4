"""Moved to `base/files.py`."""

from incognote.base.files import UNFINISHED as UNFINISHED
from incognote.base.files import naming_file as writing
from incognote.base.files import write_whole as write_whole

__all__ = ["UNFINISHED", "write_whole", "writing"]
