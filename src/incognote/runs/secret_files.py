"""The secrets of a run: its key, and the key or the passphrase of a vault.

They come from files that only their owner may read, from the environment, or from a person.
"""

from __future__ import annotations

import base64
import os
import secrets
import stat
from collections.abc import Callable
from pathlib import Path

from incognote.base.errors import RunError, reason_of
from incognote.replace.operators import WeakSecretError, check_key, check_passphrase
from incognote.replace.vault import Secret, VaultError
from incognote.replace.vault.store import kind_of

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


VARIABLE = "INCOGNOTE_VAULT_PASSPHRASE"

Ask = Callable[[bool], str]
"""Asks a person for the passphrase; for a new vault, twice."""


def secret_of(
    vault: Path,
    *,
    key_file: Path | None = None,
    passphrase_file: Path | None = None,
    make_key: bool = False,
    ask: Ask | None = None,
) -> Secret:
    """The secret for a vault that is there, or that will be made."""
    if key_file is not None and passphrase_file is not None:
        raise RunError("choose one of --vault-key-file and --vault-passphrase-file")
    kind = kind_of(vault)
    if key_file is not None:
        key = key_of(key_file, make=True) if make_key and kind is None else read_key(key_file)
        assert key is not None
        return Secret.key_file(key)
    if kind == "key file":
        raise RunError(f"{vault}: this vault opens with a key file: give it with --vault-key-file")
    words = _passphrase(passphrase_file, kind is None, ask)
    try:
        return Secret.passphrase(check_passphrase(words) if kind is None else words)
    except (VaultError, WeakSecretError) as weak:
        raise RunError(str(weak)) from None


def _passphrase(path: Path | None, new: bool, ask: Ask | None) -> str:
    if path is not None:
        return _from_file(path)
    if words := os.environ.get(VARIABLE):
        return words
    if ask is not None:
        return ask(new)
    raise RunError(
        f"the vault needs a passphrase: set {VARIABLE}, or give --vault-passphrase-file or "
        "--vault-key-file"
    )


def _from_file(path: Path) -> str:
    try:
        return read_secret(path, "passphrase").decode()
    except UnicodeDecodeError:
        raise RunError(f"{path}: the passphrase is not UTF-8") from None
