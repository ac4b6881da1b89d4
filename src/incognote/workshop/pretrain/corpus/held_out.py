"""Which documents are kept from training."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

_BLOCK = 2**20


@dataclass(frozen=True)
class HeldOut:
    """The share of documents kept from training, told by seed and text: the same text, the same side."""

    share: float
    seed: int

    def has(self, text: str) -> bool:
        """Whether a document is kept."""
        key = self.seed.to_bytes(8, "little", signed=True)
        digest = hashlib.blake2b(digest_size=8, key=key)
        for place in range(0, len(text), _BLOCK):
            digest.update(text[place : place + _BLOCK].encode())
        return int.from_bytes(digest.digest(), "little") < self.share * 2**64
