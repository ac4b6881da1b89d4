"""Files of notes: what each format can hold, reading them, writing them.

Importing this loads neither lxml nor pyarrow; the formats that need them do so when used.
"""

from incognote.formats.container import (
    BadRecord,
    BadSpansError,
    Fields,
    Format,
    FormatError,
    Record,
    Sink,
    Source,
)
from incognote.formats.folder import Located, inputs, located, read, write
from incognote.formats.registry import FORMATS, detect

__all__ = [
    "FORMATS",
    "BadRecord",
    "BadSpansError",
    "Fields",
    "Format",
    "FormatError",
    "Located",
    "Record",
    "Sink",
    "Source",
    "detect",
    "inputs",
    "located",
    "read",
    "write",
]
