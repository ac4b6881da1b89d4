"""Reading the secret key of a run."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from incognote.workflows.run.inputs import RunError, reason_of

SHORTEST = 16


def read_key(path: Path) -> bytes:
    """The key: the file's bytes without a final line end. Others must not be able to read it."""
    try:
        mode = path.stat().st_mode
        key = path.read_bytes().rstrip(b"\r\n")
    except OSError as error:
        raise RunError(f"{path}: the key file cannot be read: {reason_of(error)}") from None
    if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise RunError(f"{path}: others may read this key file; run: chmod 600 {path}")
    if len(key) < SHORTEST:
        raise RunError(
            f"{path}: the key has {len(key)} bytes, at least {SHORTEST} are needed; "
            f"make one with: (umask 077; head -c 32 /dev/urandom | base64 > {path})"
        )
    return key
