"""What running a command gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    status: int
    out: bytes
    err: str


Command = Callable[..., Ran]
