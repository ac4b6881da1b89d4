"""Numbers, letters and permutations that only the key's holder can tell."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field
from math import isqrt

from incognote.replace.surrogate.draw import draw

_ROUNDS = 4
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Keyed:
    """Functions of the key and the patient."""

    secret: bytes = field(repr=False)

    @classmethod
    def of(cls, key: bytes, patient: str) -> Keyed:
        """The secret of one patient; it tells nothing about another's."""
        if not key:
            raise ValueError("surrogates need a key")
        message = f"people\0{patient}".encode("utf-8", "surrogatepass")
        return cls(hmac.digest(key, message, "sha256"))

    def number(self, *about: object) -> int:
        """A number of 256 bits."""
        return draw(self.secret, *about)

    def permute(self, place: int, size: int, *about: object) -> int:
        """Where a place goes in a permutation of `size` places: no two go to the same.

        A Feistel network over the square that holds the places, walked until it lands on one.
        """
        side = isqrt(size - 1) + 1
        while True:
            left, right = divmod(place, side)
            for turn in range(_ROUNDS):
                left, right = right, (left + self.number("turn", turn, right, *about)) % side
            place = left * side + right
            if place < size:
                return place

    def letter(self, letter: str, *about: object) -> str:
        """Another letter for a letter: different ones stay different, and none stays itself."""
        if letter not in _ALPHABET:
            return _ALPHABET[self.number("odd letter", letter, *about) % 26]
        ring = self._ring("letter", *about)
        return ring[(ring.index(letter) + 1) % 26]

    def _ring(self, *about: object) -> list[str]:
        """The alphabet in an order that one number tells."""
        number = self.number(*about)
        left = list(_ALPHABET)
        ring = []
        while left:
            number, place = divmod(number, len(left))
            ring.append(left.pop(place))
        return ring
