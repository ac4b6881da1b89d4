"""What running a command gives."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    status: int
    out: bytes
    err: str


Command = Callable[..., Ran]


def without_torch(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    """A command where torch is not installed."""
    code = (
        "import sys; sys.modules['torch'] = None\n"
        f"sys.argv = ['incognote', *{arguments!r}]\n"
        "from incognote.cli import main; main()"
    )
    return subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
