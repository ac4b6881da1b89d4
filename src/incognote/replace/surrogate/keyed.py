"""The one source of all surrogates: numbers, permutations and rings that only the key's holder can tell.

Everything here is a function of the key, of whose notes they are, and of what is asked about.
Nothing is remembered, so that notes may be read in any order and by any number of processes.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import isqrt
from typing import TypeVar

from incognote.replace.secret_strength import check_key

_ROUNDS = 4
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_FARTHEST = 96
"""How many places of a ring are tried before it counts as full."""
_REPAIRS = 8
_DRAW = 12

Value = TypeVar("Value")
Taken = Callable[[int], bool]


@dataclass(frozen=True)
class Keyed:
    """Functions of the key and of whose notes they are."""

    secret: bytes = field(repr=False)

    @classmethod
    def of(cls, key: bytes, purpose: str, whose: str) -> Keyed:
        """The secret for one purpose and one patient; it tells nothing about another's."""
        message = f"{purpose}\0{whose}".encode("utf-8", "surrogatepass")
        return cls(hmac.digest(check_key(key), message, "sha256"))

    def number(self, *about: object) -> int:
        """A number of 256 bits.

        BLAKE2 with a key is a keyed function by design, and a third of HMAC's price here.
        """
        message = "\0".join(map(str, about)).encode("utf-8", "surrogatepass")
        digest = hashlib.blake2b(message, key=self.secret, digest_size=32).digest()
        return int.from_bytes(digest, "big")

    def below(self, size: int, *about: object) -> int:
        """A number from 0 on, less than `size`."""
        return self.number(*about) % size

    def digits(self, length: int, *about: object) -> str:
        """So many digits."""
        drawn = ""
        while len(drawn) < length:
            more = (len(drawn),) if drawn else ()
            width = min(length - len(drawn), 64)
            drawn += f"{self.below(10**width, *about, *more):0{width}}"
        return drawn

    def permute(self, place: int, size: int, *about: object) -> int:
        """Where a place goes in a permutation of `size` places: no two go to the same."""
        return self._walk(place, size, about, range(_ROUNDS))

    def next_on_ring(
        self, place: int, size: int, *about: object, taken: Taken | None = None
    ) -> int | None:
        """Where a place goes on a ring of all places in a keyed order: to the next that is free.

        None goes to itself and no two go to one. Without `taken` each goes to the next. With it,
        places and free places are matched as opening and closing brackets are: every taken place
        before a free one has one of its own, and which one it is depends on those between alone.
        Nothing is given where the ring is full around the place.
        """
        origin = self._walk(place, size, about, range(_ROUNDS - 1, -1, -1), back=True)
        open_places = 1
        for step in range(1, min(size, _FARTHEST)):
            found = self._walk((origin + step) % size, size, about, range(_ROUNDS))
            open_places += 1 if taken and taken(found) else -1
            if not open_places:
                return found
        return None

    def _walk(
        self,
        place: int,
        size: int,
        about: tuple[object, ...],
        rounds: Sequence[int],
        *,
        back: bool = False,
    ) -> int:
        """A Feistel network over the square that holds the places, walked until it lands on one."""
        side = isqrt(size - 1) + 1
        while True:
            left, right = divmod(place, side)
            for turn in rounds:
                if back:
                    left, right = (right - self.number("turn", turn, left, *about)) % side, left
                else:
                    left, right = right, (left + self.number("turn", turn, right, *about)) % side
            place = left * side + right
            if place < size:
                return place

    def exchange(
        self, values: Sequence[Value], fits: Callable[[Value, Value], bool], *about: object
    ) -> list[Value]:
        """What each of a few values becomes, one to one, none itself; each fits as far as they can.

        A keyed order of all; then whoever does not fit changes places with another where both fit.
        """
        size = len(values)
        seed = self.number("order", *about).to_bytes(32, "big")
        drawn = hashlib.shake_256(seed).digest(_DRAW * size)
        order = sorted(range(size), key=lambda place: drawn[_DRAW * place : _DRAW * (place + 1)])
        given = [values[place] for place in order]
        for turn in range(_REPAIRS):
            wrong = [place for place in range(size) if not fits(values[place], given[place])]
            for place in wrong:
                start = self.below(size, "repair", turn, place, *about)
                for other in (*range(start, size), *range(start)):
                    if fits(values[place], given[other]) and (
                        fits(values[other], given[place]) or not fits(values[other], given[other])
                    ):
                        given[place], given[other] = given[other], given[place]
                        break
            if not wrong:
                break
        for place in range(size):
            if given[place] == values[place] and size > 1:
                other = place - 1
                given[place], given[other] = given[other], given[place]
        return given

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
