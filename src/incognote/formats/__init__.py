"""Files of notes: what each format can hold, reading them, writing them.

Importing this loads neither lxml nor pyarrow; the formats that need them do so when used.
"""

from incognote.formats.container import BadRecord, Format, Record, Sink, Source
from incognote.formats.fields import Fields
from incognote.formats.folder import FileRecord, inputs, read, read_records, write
from incognote.formats.format_error import BadSpansError, FormatError
from incognote.formats.registry import FORMATS, detect

__all__ = [
    "FORMATS",
    "BadRecord",
    "BadSpansError",
    "Fields",
    "FileRecord",
    "Format",
    "FormatError",
    "Record",
    "Sink",
    "Source",
    "detect",
    "inputs",
    "read",
    "read_records",
    "write",
]
