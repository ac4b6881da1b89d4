"""The vault: what leads from de-identified notes back to their originals, under lock and key.

Importing this does not load the library for encryption; opening a vault does.
"""

from incognote.replace.vault.errors import VaultError
from incognote.replace.vault.finding import Found, UnknownNoteError, find
from incognote.replace.vault.note import Change, Kept, Place, deltas_of, digest, linked
from incognote.replace.vault.secret import Secret
from incognote.replace.vault.single import keep, original
from incognote.replace.vault.vault import Reading, Vault

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
