"""How long a secret must be: one answer for the command, the operators, surrogates and the vault."""

from __future__ import annotations

from incognote.base.errors import UserError
from incognote.base.messages import quantity

SHORTEST_KEY = 16
"""Bytes of a key."""
SHORTEST_PASSPHRASE = 8
"""Characters of the passphrase of a new vault."""


class WeakSecretError(UserError, ValueError):
    """A key or a passphrase that somebody could guess; the sentence tells its length only."""


def check_key(key: bytes) -> bytes:
    """The key, if it is long enough to keep anything secret."""
    if not isinstance(key, bytes):
        raise WeakSecretError(
            "a key is bytes, not text: read it from a file that only you may read"
        )
    if len(key) < SHORTEST_KEY:
        raise WeakSecretError(
            f"the key has {quantity(len(key), 'byte')}, at least {SHORTEST_KEY} are needed"
        )
    return key


def check_passphrase(words: str) -> str:
    """The passphrase, if it is long enough for a new vault."""
    if len(words) < SHORTEST_PASSPHRASE:
        raise WeakSecretError(f"a vault's passphrase has at least {SHORTEST_PASSPHRASE} characters")
    return words
