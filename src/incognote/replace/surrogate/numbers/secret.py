"""Draws and permutations that only the key's holder can tell, for the values of one patient."""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isqrt

from incognote.replace.surrogate.draw import draw

_ROUNDS = 4


@dataclass(frozen=True)
class Secret:
    """Functions of the key and the patient."""

    secret: bytes = field(repr=False)

    @classmethod
    def of(cls, key: bytes, patient: str) -> Secret:
        """The secret of one patient; it tells nothing about another's."""
        if not key:
            raise ValueError("surrogates need a key")
        message = f"numbers\0{patient}".encode("utf-8", "surrogatepass")
        return cls(hmac.digest(key, message, "sha256"))

    def number(self, *about: object) -> int:
        """A number of 256 bits."""
        return draw(self.secret, *about)

    def below(self, size: int, *about: object) -> int:
        """A number from 0 on, less than `size`."""
        return self.number(*about) % size

    def digits(self, length: int, *about: object) -> str:
        """So many digits."""
        return f"{self.below(10**length, *about):0{length}}" if length else ""

    def cycle(self, place: int, size: int, *about: object) -> int:
        """Where a place goes in a permutation in which none stays and no two go to one.

        All places stand on one ring in a keyed order, and each goes to the next: a keyed
        permutation's way back, a step, and its way there.
        """
        if size < 2:
            raise ValueError("one place alone cannot move")
        side = isqrt(size - 1) + 1
        keys = [("turn", turn, *about) for turn in range(_ROUNDS)]
        place = self._walk(place, size, side, keys, back=True)
        return self._walk((place + 1) % size, size, side, keys, back=False)

    def _walk(
        self, place: int, size: int, side: int, keys: list[tuple[object, ...]], *, back: bool
    ) -> int:
        """A Feistel network over the square that holds the places, until it lands on one."""
        while True:
            left, right = divmod(place, side)
            for key in self._order(keys, back):
                if back:
                    left, right = (right - self.number(*key, left)) % side, left
                else:
                    left, right = right, (left + self.number(*key, right)) % side
            place = left * side + right
            if place < size:
                return place

    @staticmethod
    def _order(keys: list[tuple[object, ...]], back: bool) -> Iterator[tuple[object, ...]]:
        return reversed(keys) if back else iter(keys)
