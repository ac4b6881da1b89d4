"""From what a person keeps, a passphrase or a key file, to the keys of a vault."""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import dataclass, field
from typing import Any, Literal

from incognote.replace.secret_strength import WeakSecretError, check_key, check_passphrase
from incognote.replace.vault.errors import VaultError

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
        """However the keyboard spells its accents."""
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
        master = _stretched(secret.value, salt, derivation)

    def key(use: str) -> bytes:
        info = f"incognote vault {use}".encode()
        return HKDF(SHA256(), 32, salt, info).derive(master)

    return Keys(key("sealing"), key("naming"), key("summing"))


def _stretched(passphrase: bytes, salt: bytes, derivation: dict[str, Any]) -> bytes:
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
