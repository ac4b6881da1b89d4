"""Where the secret of a vault comes from: a key file, a file, the environment or a person."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from incognote.base.errors import RunError
from incognote.replace.operators import WeakSecretError, check_passphrase
from incognote.replace.vault import Secret, VaultError
from incognote.replace.vault.store import kind_of
from incognote.runs.key import key_of, read_key, read_secret

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
