"""Which fake each real part of a name gets, so that no two get the same and none is a real one.

All parts claim a fake at once, in rounds. In round 0 a part that the bank knows goes where a keyed
permutation of its class sends it, so that these never collide. A part that the bank does not know
draws from the names reserved for such. A claim on a real name fails; of several claims on one name
the lowest keyed number wins; whoever fails claims again in the next round. Nothing depends on the
order of parts, and only a failed claim on the other parts at all.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping
from typing import NamedTuple

from incognote.replace.surrogate.banks.names import Entry, Gender, Home, NameBank, NameClass
from incognote.replace.surrogate.people.coined import coined
from incognote.replace.surrogate.people.keyed import Keyed
from incognote.replace.surrogate.people.pieces import key_of

_IN_RESERVE, _IN_CLASS, _IN_BANK = 6, 24, 32
_SHORTEST = 3
_STEMS = {"dal": "di", "della": "di", "da": "di", "do": "di", "el": "al", "von": "van",
          "van den": "van der", "von der": "van der", "las": "de la", "los": "del", "de los": "del",
          "de las": "de la", "la": "de la"}  # fmt: skip


class Part(NamedTuple):
    """A part of the names of one type of person: what a fake is a function of, beside the key."""

    type: str
    key: str
    particle: str = ""


class Hint(NamedTuple):
    """What mentions tell of a part, for words in no list and for gender against the bank's."""

    home: Home
    gender: Gender
    irish: bool = False


class _Aim(NamedTuple):
    of: NameClass
    place: int | None


def assign(
    hints: Mapping[Part, Hint],
    keyed: Keyed,
    bank: NameBank,
    real: Collection[str],
    avoid: Container[str] = (),
) -> dict[Part, str]:
    """A fake for each part. `real` words are neither given nor contained in one; `avoid` not given."""
    waiting = {part: _aim(part, hint, bank) for part, hint in hints.items()}
    rank = {part: keyed.number("rank", part.type, part.particle, part.key) for part in waiting}
    given: dict[Part, str] = {}
    claimed: set[str] = set()
    turn = 0
    while waiting:
        claims: dict[str, tuple[Part, str]] = {}
        for part, aim in waiting.items():
            fake = _candidate(part, aim, turn, keyed, bank)
            key = key_of(fake)
            if key in claimed or key in avoid or _holds_real(key, real):
                continue
            if key not in claims or rank[part] < rank[claims[key][0]]:
                claims[key] = (part, fake)
        for key, (part, fake) in claims.items():
            claimed.add(key)
            given[part] = fake
            del waiting[part]
        turn += 1
    return given


def stems_after(particle: str, bank: NameBank) -> NameClass | None:
    """The class of surnames after a particle, or after one like it."""
    return bank.particle(_STEMS.get(particle, particle)) if particle else None


def _aim(part: Part, hint: Hint, bank: NameBank) -> _Aim:
    stems = stems_after(part.particle, bank)
    if stems:
        return _Aim(stems, None)
    entry = bank.find(part.key)
    if entry and not _contradicted(entry, hint):
        return _Aim(bank.drawn(entry.of), entry.place)
    if hint.irish:
        return _Aim(bank.drawn(NameClass("surname", "-", 1, "o")), None)
    if hint.home == "given":
        gender = bank.likely_gender(part.key) if hint.gender == "U" else hint.gender
        return _Aim(bank.like(part.key, "given", gender), None)
    if part.key.startswith("mc"):
        return _Aim(bank.drawn(NameClass("surname", "-", 3, "mc")), None)
    return _Aim(bank.like(part.key, "surname", "-"), None)


def _contradicted(entry: Entry, hint: Hint) -> bool:
    """Whether a given name is known as a surname only, or as one of the other gender."""
    if hint.home != "given" or entry.of.origin in ("o", "mc"):
        return False
    return entry.of.home == "surname" or {entry.of.gender, hint.gender} == {"F", "M"}


def _candidate(part: Part, aim: _Aim, turn: int, keyed: Keyed, bank: NameBank) -> str:
    pool = bank.pool(aim.of)
    if turn < _IN_CLASS and aim.place is not None:
        return pool.names[keyed.permute(aim.place, len(pool.names), part.type, *aim.of, turn)]
    number = keyed.number("stranger", part.type, part.particle, part.key, turn)
    if turn < _IN_RESERVE:
        return pool.reserved[number % len(pool.reserved)]
    if turn < _IN_CLASS:
        return pool.names[number % len(pool.names)]
    if turn < _IN_BANK:
        home: Home = "given" if aim.of.home == "given" else "surname"
        wide = bank.pool(bank.like("", home, aim.of.gender if home == "given" else "-"))
        return wide.names[number % len(wide.names)]
    return coined(number, syllables=2 + (turn - _IN_BANK) // 8)


def _holds_real(fake: str, real: Collection[str]) -> bool:
    """Whether a fake is a real word or has one of three or more letters inside: Johnson has John."""
    if fake in real:
        return True
    length = len(fake)
    return any(
        fake[start:end] in real
        for start in range(length - _SHORTEST + 1)
        for end in range(start + _SHORTEST, length + 1)
    )
