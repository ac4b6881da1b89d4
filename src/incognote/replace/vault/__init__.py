"""The vault: what leads from de-identified notes back to their originals, under lock and key.

Importing this does not load the library for encryption; opening a vault does.
"""

from incognote.replace.vault.keys import Secret, VaultError
from incognote.replace.vault.stored_note import Change, Kept, Place, deltas_of, digest, linked
from incognote.replace.vault.vault import (
    Found,
    Reading,
    UnknownNoteError,
    Vault,
    find,
    keep,
    original,
)

__all__ = [
    "Change",
    "Found",
    "Kept",
    "Place",
    "Reading",
    "Secret",
    "UnknownNoteError",
    "Vault",
    "VaultError",
    "deltas_of",
    "digest",
    "find",
    "keep",
    "linked",
    "original",
]
