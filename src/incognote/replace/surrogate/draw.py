"""The one draw that all surrogates are made of: a number that only the key's holder can tell."""

from __future__ import annotations

import hashlib


def draw(secret: bytes, *about: object) -> int:
    """A number of 256 bits; `secret` has at most 64 bytes.

    BLAKE2 with a key is a keyed function by design, and a third of HMAC's price here.
    """
    message = "\0".join(map(str, about)).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(message, key=secret, digest_size=32).digest(), "big")
