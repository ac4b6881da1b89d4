"""Which fake each part of a name gets: a function of the key, the patient and the part alone.

The names of a class stand on a ring in a keyed order, and each becomes the next: one to one, none
itself. Names that are never drawn become those set aside for them, one to one as well. A part in
no list, and one whose neighbour on the ring would hold it or be held by it (Ann and Annette),
becomes a word made of the beginning of one name of the class and the ending of another, which is
in no list either. Names that are to be avoided are left out of all.

No other part has a say, so that a fake is the same in every note and tells nothing of the others.
"""

from __future__ import annotations

from collections.abc import Container
from itertools import count
from typing import NamedTuple

from incognote.replace.surrogate.banks.names import Entry, Gender, Home, NameBank, NameClass, Ring
from incognote.replace.surrogate.keyed import Keyed
from incognote.replace.surrogate.people.coined import coined
from incognote.replace.surrogate.people.pieces import key_of

_SPLICED = 64
_SHORTEST, _LONGEST = 4, 12
_LIKE_WORDS = ("ing", "ly")
"""Rules that look for names would take Blanding or Nicely for a word."""
_TELLING = 3
"""A shorter word inside another tells nothing."""
_STEMS = {"dal": "di", "della": "di", "da": "di", "do": "di", "el": "al", "von": "van",
          "van den": "van der", "von der": "van der", "las": "de la", "los": "del", "de los": "del",
          "de las": "de la", "la": "de la"}  # fmt: skip


class Part(NamedTuple):
    """A word of the names of one type of person, and the particle that calls for names of its own.

    Patients are apart from doctors: whoever knows which doctor a fake is of must not learn from it
    the names of patients.
    """

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
    ring: Ring | None = None


def fake_of(
    part: Part, hint: Hint, keyed: Keyed, bank: NameBank, avoid: Container[str] = ()
) -> str:
    """The fake of a part, which is no word of `avoid`."""
    of, ring = _aim(part, hint, bank)
    listed = _on_ring(ring, part.type, keyed, avoid) if ring else None
    if listed and not (_overlap(part.key, key_of(listed)) or listed.endswith(_LIKE_WORDS)):
        return listed
    for turn in count():
        number = keyed.number("stranger", part.type, part.particle, part.key, turn)
        if turn < _SPLICED:
            name = bank.spliced(of, number)
        else:
            name = coined(number, syllables=2 + (turn - _SPLICED) // 8)
        key = key_of(name)
        fits = _SHORTEST <= len(key) <= _LONGEST and not key.endswith(_LIKE_WORDS)
        if (fits or turn >= _SPLICED) and not (
            _overlap(part.key, key) or key in avoid or bank.find(key)
        ):
            other = {"F": "M", "M": "F"}.get(of.gender)
            if turn >= _SPLICED or not other or bank.likely_gender(key) != other:
                break
    return name


def _on_ring(ring: Ring, type: str, keyed: Keyed, avoid: Container[str]) -> str | None:
    names = ring.names
    if ring.guest:
        name = names[keyed.permute(ring.place, len(names), "guest", type, *ring.of)]
        return None if key_of(name) in avoid else name
    taken = (lambda at: key_of(names[at]) in avoid) if avoid != () else None
    found = keyed.next_on_ring(ring.place, len(names), "name", type, *ring.of, taken=taken)
    return None if found is None else names[found]


def stems_after(particle: str, bank: NameBank) -> NameClass | None:
    """The class of surnames after a particle, or after one like it."""
    return bank.particle(_STEMS.get(particle, particle)) if particle else None


def _aim(part: Part, hint: Hint, bank: NameBank) -> _Aim:
    stems = stems_after(part.particle, bank)
    if stems:
        place = bank.place_of_stem(part.key, stems)
        return _Aim(stems, None if place is None else Ring(stems, bank.names(stems), place))
    entry = bank.find(part.key)
    if entry and not _contradicted(entry, hint):
        return _Aim(bank.drawn(entry.of), bank.ring(part.key, entry))
    if hint.irish:
        return _Aim(bank.drawn(NameClass("surname", "-", 1, "o")))
    if hint.home == "given":
        gender = bank.likely_gender(part.key) if hint.gender == "U" else hint.gender
        return _Aim(bank.like(part.key, "given", gender))
    if part.key.startswith("mc"):
        return _Aim(bank.drawn(NameClass("surname", "-", 3, "mc")))
    return _Aim(bank.like(part.key, "surname", "-"))


def _contradicted(entry: Entry, hint: Hint) -> bool:
    """Whether a given name is known as a surname only, or as one of the other gender."""
    if hint.home != "given" or entry.of.origin in ("o", "mc"):
        return False
    return entry.of.home == "surname" or {entry.of.gender, hint.gender} == {"F", "M"}


def _overlap(word: str, fake: str) -> bool:
    """Whether one is in the other: Ann in Annette."""
    if min(len(word), len(fake)) < _TELLING:
        return word == fake
    return word in fake or fake in word
