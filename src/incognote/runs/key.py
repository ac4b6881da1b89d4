"""Reading the secret key of a run."""

from __future__ import annotations

import base64
import os
import secrets
import stat
from pathlib import Path

from incognote.base.errors import RunError, reason_of
from incognote.replace.operators import WeakSecretError, check_key

_NEW = 32


def make_key(path: Path) -> None:
    """Make a key file that only its owner may read, unless there is one."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return
    except OSError as error:
        raise RunError(f"{path}: the key file cannot be made: {reason_of(error)}") from None
    with os.fdopen(handle, "wb") as stream:
        stream.write(base64.b64encode(secrets.token_bytes(_NEW)) + b"\n")
        stream.flush()
        os.fsync(stream.fileno())


def read_secret(path: Path, what: str, hint: str = "") -> bytes:
    """The file's bytes without a final line end. Others must not be able to read it."""
    try:
        mode = path.stat().st_mode
        secret = path.read_bytes().rstrip(b"\r\n")
    except OSError as error:
        hint = hint if isinstance(error, FileNotFoundError) else ""
        raise RunError(f"{path}: the {what} cannot be read: {reason_of(error)}{hint}") from None
    if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise RunError(f"{path}: others may read this {what}; run: chmod 600 {path}")
    return secret


def read_key(path: Path) -> bytes:
    """The key of a file."""
    key = read_secret(path, "key file", "; --make-key makes one")
    try:
        return check_key(key)
    except WeakSecretError as weak:
        raise RunError(
            f"{path}: {weak}; make one with: (umask 077; head -c 32 /dev/urandom | base64 > {path})"
        ) from None


def key_of(path: Path | None, *, make: bool = False) -> bytes | None:
    """The key of a run, if it has one; made if it is asked for and not there."""
    if path is None:
        if make:
            raise RunError("--make-key needs --key-file: the name of the file to make")
        return None
    if make:
        make_key(path)
    return read_key(path)
