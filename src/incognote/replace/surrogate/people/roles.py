"""Which words of a mention are given names, which surnames, and which particles go with them."""

from __future__ import annotations

from typing import Final, Literal

from incognote.replace.surrogate.banks.names import NameBank
from incognote.replace.surrogate.people.pieces import Piece
from incognote.replace.surrogate.people.vocabulary import SURNAME_TITLES

Role = Literal["given", "surname", "unknown"]
GIVEN: Final[Role] = "given"
SURNAME: Final[Role] = "surname"
_QUOTED = frozenset('"“”‘(')


def roles_of(pieces: list[Piece], bank: NameBank, title: str) -> dict[int, Role]:
    """By the comma of OKAFOR, NGOZI; else the last word, with what is hyphenated, is the surname."""
    named = [place for place, piece in enumerate(pieces) if piece.kind in ("name", "initial")]
    quoted = [place for place in named if place and pieces[place - 1].text in _QUOTED]
    outside = [place for place in named if place not in quoted]
    roles: dict[int, Role] = {}
    if outside:
        named = outside
        roles |= dict.fromkeys(quoted, GIVEN)
    comma = next((place for place, piece in enumerate(pieces) if piece.text == ","), len(pieces))
    first = [place for place in named if place < comma]
    rest = [place for place in named if place > comma]
    if first and rest:
        roles |= dict.fromkeys(first, SURNAME) | dict.fromkeys(rest, GIVEN)
        return dict(sorted(roles.items()))
    groups = _hyphenated(pieces, named)
    if len(groups) == 1:
        after_particle = (
            named[0] > 0
            and pieces[named[0] - 1].text in (" ", "-")
            and any(piece.kind == "particle" for piece in pieces[: named[0]])
        )
        alone: Role = "surname" if title in SURNAME_TITLES or after_particle else "unknown"
        roles |= dict.fromkeys(groups[0], alone)
    elif groups:
        *before, last = groups
        if _reversed(pieces, groups, bank):
            last, *before = groups
        roles |= dict.fromkeys(last, SURNAME)
        for order, group in enumerate(before):
            inner = order > 0 and len(before) > 1 and _is_surname(pieces, group, bank)
            roles |= dict.fromkeys(group, SURNAME if inner else GIVEN)
    return dict(sorted(roles.items()))


def _hyphenated(pieces: list[Piece], named: list[int]) -> list[list[int]]:
    groups: list[list[int]] = []
    for place in named:
        if groups and groups[-1][-1] == place - 2 and pieces[place - 1].text in "-‐‑":
            groups[-1].append(place)
        else:
            groups.append([place])
    return groups


def _reversed(pieces: list[Piece], groups: list[list[int]], bank: NameBank) -> bool:
    """OKAFOR NGOZI, without a comma."""
    if any(pieces[place].kind == "initial" for place in groups[0]):
        return False
    last = bank.find(pieces[groups[-1][-1]].key)
    ends_as_given = pieces[groups[-1][-1]].kind == "initial" or (last and last.of.home == "given")
    return bool(ends_as_given) and _is_surname(pieces, groups[0], bank)


def _is_surname(pieces: list[Piece], group: list[int], bank: NameBank) -> bool:
    found = bank.find(pieces[group[0]].key)
    return found is not None and found.of.home == "surname"


def particles_of(pieces: list[Piece]) -> dict[int, str]:
    found: dict[int, str] = {}
    waiting: list[str] = []
    for place, piece in enumerate(pieces):
        if piece.kind == "particle":
            waiting.append(piece.key)
        elif piece.kind == "name":
            if waiting:
                found[place] = " ".join(waiting)
            waiting = []
    return found
