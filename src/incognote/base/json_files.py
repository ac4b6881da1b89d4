"""Moved to `base/files.py`."""

from incognote.base.files import JsonError as JsonError
from incognote.base.files import is_plain_name as is_plain_name
from incognote.base.files import parse_json as parse_json
from incognote.base.files import read_json as read_json
