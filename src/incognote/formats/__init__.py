"""Files of notes: what each format can hold, reading them, writing them.

Importing this loads neither lxml nor pyarrow; the formats that need them do so when used.
"""

from incognote.formats.container import (
    BadRecord,
    Fields,
    Format,
    FormatError,
    Record,
    Sink,
    Source,
)
from incognote.formats.folder import inputs, read, write
from incognote.formats.registry import FORMATS, detect

__all__ = [
    "FORMATS",
    "BadRecord",
    "Fields",
    "Format",
    "FormatError",
    "Record",
    "Sink",
    "Source",
    "detect",
    "inputs",
    "read",
    "write",
]
