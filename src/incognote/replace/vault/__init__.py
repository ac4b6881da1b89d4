"""The vault: what leads from de-identified notes back to their originals, under lock and key.

Importing this does not load the library for encryption; opening a vault does.
"""

from incognote.replace.vault.keys import Secret, VaultError
from incognote.replace.vault.stored_note import (
    Change,
    Place,
    StoredNote,
    chain_after,
    deltas_of,
    digest,
)
from incognote.replace.vault.vault import (
    Match,
    Reading,
    UnknownNoteError,
    Vault,
    find,
    keep,
    original,
)

__all__ = [
    "Change",
    "Match",
    "Place",
    "Reading",
    "Secret",
    "StoredNote",
    "UnknownNoteError",
    "Vault",
    "VaultError",
    "chain_after",
    "deltas_of",
    "digest",
    "find",
    "keep",
    "original",
]
