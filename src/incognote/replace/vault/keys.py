"""The secret of a vault, the keys that are made of it, and the seals that only they open."""

from __future__ import annotations

import hashlib
import secrets
import unicodedata
import zlib
from dataclasses import dataclass, field
from typing import Any, Literal

from incognote.base.errors import UserError
from incognote.replace.operators import WeakSecretError, check_key, check_passphrase


class VaultError(UserError):
    """A vault that cannot be opened, trusted or written; one sentence that quotes nothing of it."""

    status = 2


# From what a person keeps, a passphrase or a key file, to the keys of a vault.

Kind = Literal["passphrase", "key file"]
SCRYPT = {"n": 1 << 17, "r": 8, "p": 1}
"""The cost of trying a passphrase: 128 MB, and about half a second."""
_LARGEST = 1 << 30
LIBRARY = "the vault needs cryptography, which is not installed: pip install 'incognote[vault]'"


@dataclass(frozen=True)
class Secret:
    """A passphrase, or the content of a key file."""

    kind: Kind
    value: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if self.kind == "passphrase" and not self.value:
            raise VaultError("the passphrase of a vault is empty")
        try:
            if self.kind == "key file":
                check_key(self.value)
        except WeakSecretError as weak:
            raise VaultError(f"a vault needs a stronger key: {weak}") from None

    @classmethod
    def passphrase(cls, words: str) -> Secret:
        """A passphrase, the same however the keyboard composes its accents."""
        return cls(
            "passphrase", unicodedata.normalize("NFC", words).encode("utf-8", "surrogatepass")
        )

    @classmethod
    def key_file(cls, key: bytes) -> Secret:
        """The bytes of a key file, at least 16 of them at random."""
        return cls("key file", key)

    def check_new(self) -> None:
        """Refuse a passphrase that is too short to begin a vault with."""
        try:
            if self.kind == "passphrase":
                check_passphrase(self.value.decode("utf-8", "surrogatepass"))
        except WeakSecretError as weak:
            raise VaultError(str(weak)) from None


def new_derivation(kind: Kind, salt: bytes) -> dict[str, Any]:
    """How a new vault makes its keys; its header says so."""
    cost = SCRYPT if kind == "passphrase" else {}
    return {"kind": kind, "salt": salt.hex(), **cost}


@dataclass(frozen=True)
class Keys:
    """One key for each use, so that none tells of another."""

    sealing: bytes = field(repr=False)
    naming: bytes = field(repr=False)
    summing: bytes = field(repr=False)


def derive(secret: Secret, derivation: dict[str, Any]) -> Keys:
    """The keys of a vault. A wrong secret gives others, which open nothing."""
    try:
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF
    except ImportError:
        raise VaultError(LIBRARY) from None
    if derivation["kind"] != secret.kind:
        raise VaultError(f"this vault opens with a {derivation['kind']}, not a {secret.kind}")
    salt = bytes.fromhex(derivation["salt"])
    master = secret.value
    if secret.kind == "passphrase":
        master = _stretch(secret.value, salt, derivation)

    def key(use: str) -> bytes:
        info = f"incognote vault {use}".encode()
        return HKDF(SHA256(), 32, salt, info).derive(master)

    return Keys(key("sealing"), key("naming"), key("summing"))


def _stretch(passphrase: bytes, salt: bytes, derivation: dict[str, Any]) -> bytes:
    n, r, p = (int(derivation[name]) for name in ("n", "r", "p"))
    memory = 128 * r * (n + p + 2)
    if not (0 < memory <= _LARGEST and 0 < p <= 16):
        raise VaultError("the header of the vault asks for more memory than any vault needs")
    try:
        return hashlib.scrypt(
            passphrase, salt=salt, n=n, r=r, p=p, maxmem=memory + (1 << 20), dklen=32
        )
    except ValueError:
        raise VaultError("the header of the vault has been changed") from None


# Sealing: what is put into a vault can be read, found and counted with its keys only.

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
        return nonce + self._cipher.encrypt(nonce, pad(content), self._vault + about)

    def open(self, seal: bytes, about: bytes) -> bytes:
        """The content; VaultError unless it was sealed with these keys and for this."""
        try:
            nonce, rest = seal[:NONCE], seal[NONCE:]
            return unpad(self._cipher.decrypt(nonce, rest, self._vault + about))
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


def add_to_sum(sum: int, change: int) -> int:
    """A sum over rows after a change; it does not depend on their order."""
    return (sum + change) % _MODULUS


def pad(content: bytes) -> bytes:
    """Compress, and fill up to the next power of two."""
    packed = zlib.compress(content, 1)
    size = max(SMALLEST, 1 << (len(packed) + _LENGTH - 1).bit_length())
    return len(packed).to_bytes(_LENGTH, "big") + packed.ljust(size - _LENGTH, b"\0")


def unpad(content: bytes) -> bytes:
    """The content that `pad` was given."""
    length = int.from_bytes(content[:_LENGTH], "big")
    return zlib.decompress(content[_LENGTH : _LENGTH + length])
