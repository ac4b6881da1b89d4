"""How far a file has been read, told by those who read it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Position:
    """Bytes of the file that have been read, as they are stored."""

    bytes: int = 0
