"""JSON files that a user or a stranger gives: read, or refused in a few words."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from incognote.base.errors import UserError


class JsonError(UserError, ValueError):
    """What is wrong with a JSON text; says nothing of what is in it."""


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text."""
    try:
        return json.loads(text)
    except RecursionError:
        raise JsonError("nested too deeply to be read as JSON; the file is damaged") from None
    except (ValueError, MemoryError):  # also bytes that are no text, and numbers without end
        raise JsonError("not readable as JSON; the file is damaged") from None


def read_json(path: Path) -> Any:
    """The value of a JSON file; OSError where it cannot be opened."""
    return parse_json(path.read_bytes())


def is_plain_name(name: str) -> bool:
    """Whether it names a file in a folder, on any system, and nothing outside of it."""
    return (
        name not in ("", ".", "..")
        and "\0" not in name
        and PurePosixPath(name).name == PureWindowsPath(name).name == name
    )
