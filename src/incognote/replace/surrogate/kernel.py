"""What all families of surrogates share: mentions, the keyed source of every draw, and claims.

Everything drawn is a function of the key, of whose notes they are, and of what is asked about.
Nothing is remembered, so that notes may be read in any order and by any number of processes.

A turn is the n-th try at a fake. A ring is all values of a kind in a keyed order, the last followed
by the first: each becomes one that comes after it.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Container, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isqrt
from typing import Literal, TypeVar

from incognote.knowledge.letters import key_of, word_keys
from incognote.replace.operators import check_key

AROUND = 48


@dataclass(frozen=True)
class Mention:
    """The text of a span, its type, and the note's own text before and after it.

    `after` tells the state of a town (`, ME 04401`), `before` the town of a ZIP.
    """

    text: str = field(repr=False)
    type: str
    before: str = field(default="", repr=False)
    after: str = field(default="", repr=False)


def mention_at(note: str, start: int, end: int, type: str) -> Mention:
    """The mention that a span marks."""
    before = note[max(0, start - AROUND) : start]
    return Mention(note[start:end], type, before, note[end : end + AROUND])


# The one source of all surrogates: numbers, permutations and rings that only the key's holder can tell.

_ROUNDS = 4
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_FARTHEST = 96
"""How many places of a ring are tried before it counts as full."""
_REPAIRS = 8
_DRAW = 12

Value = TypeVar("Value")
IsTaken = Callable[[int], bool]


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
        digits = ""
        while len(digits) < length:
            more = (len(digits),) if digits else ()
            width = min(length - len(digits), 64)
            digits += f"{self.below(10**width, *about, *more):0{width}}"
        return digits

    def permute(self, place: int, size: int, *about: object) -> int:
        """Where a place goes in a permutation of `size` places: no two go to the same."""
        return self._walk(place, size, about, range(_ROUNDS))

    def next_on_ring(
        self, place: int, size: int, *about: object, is_taken: IsTaken | None = None
    ) -> int | None:
        """Where a place goes on a ring of all places in a keyed order: to the next that is free.

        None goes to itself and no two go to one. Without `is_taken` each goes to the next. With it,
        places and free places are matched as opening and closing brackets are: every taken place
        before a free one has one of its own, and which one it is depends on those between alone.
        Nothing is given where the ring is full around the place.
        """
        origin = self._walk(place, size, about, range(_ROUNDS - 1, -1, -1), back=True)
        open_places = 1
        for step in range(1, min(size, _FARTHEST)):
            neighbour = self._walk((origin + step) % size, size, about, range(_ROUNDS))
            open_places += 1 if is_taken and is_taken(neighbour) else -1
            if not open_places:
                return neighbour
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
        noise = hashlib.shake_256(seed).digest(_DRAW * size)
        order = sorted(range(size), key=lambda place: noise[_DRAW * place : _DRAW * (place + 1)])
        others = [values[place] for place in order]
        for turn in range(_REPAIRS):
            wrong = [place for place in range(size) if not fits(values[place], others[place])]
            for place in wrong:
                start = self.below(size, "repair", turn, place, *about)
                for other in (*range(start, size), *range(start)):
                    if fits(values[place], others[other]) and (
                        fits(values[other], others[place]) or not fits(values[other], others[other])
                    ):
                        others[place], others[other] = others[other], others[place]
                        break
            if not wrong:
                break
        for place in range(size):
            if others[place] == values[place] and size > 1:
                other = place - 1
                others[place], others[other] = others[other], others[place]
        return others

    def letter(self, letter: str, *about: object) -> str:
        """Another letter for a letter: different ones stay different, and none stays itself."""
        if letter not in _ALPHABET:
            return _ALPHABET[self.number("odd letter", letter, *about) % 26]
        ring = self._ring("letter", *about)
        return ring[(ring.index(letter) + 1) % 26]

    def _ring(self, *about: object) -> list[str]:
        """The alphabet in an order that one number tells."""
        number = self.number(*about)
        remaining = list(_ALPHABET)
        ring = []
        while remaining:
            number, place = divmod(number, len(remaining))
            ring.append(remaining.pop(place))
        return ring


# For whom a place keeps its fake: for one patient, or for the whole corpus.

Consistent = Literal["patient", "corpus"]


def check_consistent(consistent: str) -> None:
    """Refuse a setting that means nothing."""
    if consistent not in ("patient", "corpus"):
        raise ValueError("fakes are consistent within a 'patient' or within the 'corpus'")


def keyed_for(key: bytes, patient: str, consistent: Consistent, what: str) -> Keyed:
    """The secret from which fakes of one kind are drawn; of the corpus it knows no patient."""
    whose = f"patient\0{patient}" if consistent == "patient" else "corpus"
    return Keyed.of(key, what, whose)


# Choosing the fake of an original: the first that fits it, and apart from the others of its note.
#
# What else the note says has no part in it, but that two originals which would get the same fake are
# told apart: the one with the lower keyed number keeps it. That tells that two keyed draws met, and
# nothing of any original.

_PATIENCE = 96
_TELLING = 3
_EAGER = 2
Original = TypeVar("Original", bound=Hashable)
Fake = TypeVar("Fake")


def first_fitting(
    candidate: Callable[[int], str], fits: Callable[[str], bool], patience: int = _PATIENCE
) -> str:
    """The first candidate that fits; the last if none of so many does."""
    for turn in range(patience):
        fake = candidate(turn)
        if fits(fake):
            break
    return fake


def apart(
    wishes: Mapping[Original, Callable[[int], Fake | None]],
    rank: Callable[[Original], int],
    name: Callable[[Fake], str],
    patience: int = _PATIENCE,
    eager: int = _EAGER,
) -> dict[Original, Fake]:
    """A fake for each original, no two the same as far as there are enough.

    A wish gives an original's fake by the turn, or none if what it has for a turn does not fit.
    Where fakes are too few, the first of an original's stays, though others have it: after `eager`
    turns in which most find only what others have, they look no further. An original that none
    fits has none.
    """
    first: dict[Original, Fake] = {}
    fakes: dict[Original, Fake] = {}
    keys: set[str] = set()
    waiting = list(wishes)
    for turn in range(patience):
        claims: dict[str, list[tuple[Original, Fake]]] = {}
        for original in waiting:
            fake = wishes[original](turn)
            if fake is not None:
                first.setdefault(original, fake)
                claims.setdefault(name(fake), []).append((original, fake))
        for key, claimants in claims.items():
            if key not in keys:
                original, fake = claimants[0]
                if len(claimants) > 1:
                    original, fake = min(claimants, key=lambda each: rank(each[0]))
                keys.add(key)
                fakes[original] = fake
        remaining = [original for original in waiting if original not in fakes]
        if 2 * len(remaining) > len(waiting) and turn >= eager:
            remaining = [original for original in remaining if original not in first]
        waiting = remaining
        if not waiting:
            break
    return first | fakes


def free(fake: str, avoid: Container[str]) -> bool:
    """Whether neither a fake nor one of its words is to be avoided."""
    return avoid == () or not (key_of(fake) in avoid or any(w in avoid for w in word_keys(fake)))


def overlap(one: str, other: str) -> bool:
    """Whether one word is in the other: Alder in Alderbeck."""
    if min(len(one), len(other)) < _TELLING:
        return one == other
    return one in other or other in one
