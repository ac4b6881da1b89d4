"""Sealing: what is put into a vault can be read, found and counted with its keys only."""

from __future__ import annotations

import hashlib
import secrets
import zlib

from incognote.replace.vault.errors import VaultError
from incognote.replace.vault.secret import LIBRARY, Keys

NONCE = 12
SMALLEST = 256
_LENGTH = 4
TAG = 16
_SUM = 32
_MODULUS = 1 << (8 * _SUM)


class Sealer:
    """AES-256-GCM under the keys of one vault; `vault` is its identity, bound to every seal."""

    def __init__(self, keys: Keys, vault: bytes) -> None:
        try:
            from cryptography.exceptions import InvalidTag
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        except ImportError:
            raise VaultError(LIBRARY) from None
        self._cipher = AESGCM(keys.sealing)
        self._invalid = InvalidTag
        self._keys = keys
        self._vault = vault

    def seal(self, content: bytes, about: bytes) -> bytes:
        """The content as a seal that opens for the same `about` only.

        Its length is one of a few, so that it tells little of the content's.
        """
        nonce = secrets.token_bytes(NONCE)
        return nonce + self._cipher.encrypt(nonce, padded(content), self._vault + about)

    def open(self, sealed: bytes, about: bytes) -> bytes:
        """The content; VaultError unless it was sealed with these keys and for this."""
        try:
            nonce, rest = sealed[:NONCE], sealed[NONCE:]
            return unpadded(self._cipher.decrypt(nonce, rest, self._vault + about))
        except (self._invalid, ValueError):
            raise VaultError("a seal of the vault does not open") from None

    def tag(self, handle: bytes, turn: int) -> bytes:
        """What a handle is called in the file the `turn`th time: no two of them look alike."""
        message = turn.to_bytes(8, "big") + handle
        return hashlib.blake2b(message, key=self._keys.naming, digest_size=TAG).digest()

    def count(self, kind: bytes, key: bytes, value: bytes) -> int:
        """One row's share in the sum over all rows."""
        message = kind + len(key).to_bytes(4, "big") + key + value
        code = hashlib.blake2b(message, key=self._keys.summing, digest_size=_SUM)
        return int.from_bytes(code.digest(), "big")


def added(sum: int, change: int) -> int:
    """Sums over rows do not depend on their order."""
    return (sum + change) % _MODULUS


def padded(content: bytes) -> bytes:
    """Packed, and made as long as the next power of two."""
    packed = zlib.compress(content, 1)
    size = max(SMALLEST, 1 << (len(packed) + _LENGTH - 1).bit_length())
    return len(packed).to_bytes(_LENGTH, "big") + packed.ljust(size - _LENGTH, b"\0")


def unpadded(content: bytes) -> bytes:
    """What `padded` was given."""
    length = int.from_bytes(content[:_LENGTH], "big")
    return zlib.decompress(content[_LENGTH : _LENGTH + length])
