"""Which class each name belongs to: names of a class stand in for each other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from recipes.banks.sources import Counted

_WORDS = Path(__file__).parent / "words"
_BANDS = (250, 2500, 12000)
"""Ranks at which a name is no longer among the most frequent, frequent, or known ones."""
_SMALLEST = 100
_BOTH = 8.0
"""A name is both given name and surname unless one use is so many times the other."""
_MANY = 3000
"""Of names that many people bear, both uses must be real ones."""
_GENDERED = 0.9
_PARTICLES = {
    "vander": "van der",
    "van": "van",
    "dela": "de la",
    "del": "del",
    "de": "de",
    "di": "di",
}


@dataclass(frozen=True, order=True)
class NameClass:
    """Home (given, surname, both, or stem after a particle), gender, frequency band, origin."""

    home: str
    gender: str
    band: int
    origin: str
    drawn: bool = True


def classify(
    given: Iterable[Counted], surnames: Iterable[Counted], unfit: frozenset[str]
) -> dict[str, NameClass]:
    """The class of every name; ordinary words (`unfit`) are known but never drawn."""
    first = {name.name: (rank, name) for rank, name in enumerate(given)}
    last = {name.name: (rank, name) for rank, name in enumerate(surnames)}
    found = {
        name: replace(
            _class(name, first.get(name), last.get(name)),
            drawn=len(name) > 2 and name.lower() not in unfit,
        )
        for name in sorted({*first, *last})
    }
    return _merge_small(found)


def _class(
    name: str, first: tuple[int, Counted] | None, last: tuple[int, Counted] | None
) -> NameClass:
    as_given = first[1].count if first else 0
    as_surname = last[1].count if last else 0
    common = max(as_given, as_surname) >= _MANY
    if common and as_given < _BOTH * as_surname and as_surname < _BOTH * as_given:
        rank, counted = min(filter(None, (first, last)))
        return NameClass("both", _gender(first), _band(rank), counted.origin)
    if first and as_given >= as_surname:
        return NameClass("given", _gender(first), _band(first[0]), first[1].origin)
    assert last is not None
    return NameClass("surname", "-", _band(last[0]), _style(name) or last[1].origin)


def _gender(first: tuple[int, Counted] | None) -> str:
    share = first[1].female if first else 0.5
    return "F" if share >= _GENDERED else "M" if share <= 1 - _GENDERED else "U"


def _band(rank: int) -> int:
    return sum(rank >= limit for limit in _BANDS)


def _style(name: str) -> str:
    """Surnames that show where they are from in how they are written."""
    if name.startswith("MC") and len(name) > 4:
        return "mc"
    stems = set((_WORDS / "irish_stems.txt").read_text("utf-8").split())
    return "o" if name[0] == "O" and name[1:].lower() in stems else ""


def _merge_small(found: Mapping[str, NameClass]) -> dict[str, NameClass]:
    """Put a class too small to hide in with the next rarer band, then with the general origin."""
    merged = {of: of for of in found.values()}
    for widen in (_one_band, *(_next_band for _ in _BANDS), _general):
        sizes = Counter(replace(merged[of], drawn=True) for of in found.values() if of.drawn)
        for old, new in merged.items():
            small = sizes[replace(new, drawn=True)] < _SMALLEST
            merged[old] = widen(new) if small or new.origin == "o" else new
    return {name: merged[of] for name, of in found.items()}


def _one_band(of: NameClass) -> NameClass:
    return replace(of, band=1) if of.origin in ("mc", "o") or of.home == "both" else of


def _next_band(of: NameClass) -> NameClass:
    return of if of.origin == "o" else replace(of, band=min(of.band + 1, len(_BANDS)))


def _general(of: NameClass) -> NameClass:
    return of if of.origin == "o" else replace(of, origin="w")


def stems(surnames: Iterable[Counted]) -> dict[str, list[str]]:
    """What follows a particle, from surnames that the census writes in one word (VANDERMEER)."""
    known = {name.name: name for name in surnames}
    found: dict[str, list[str]] = defaultdict(list)
    for name, counted in known.items():
        prefix = next((p for p in _PARTICLES if name.lower().startswith(p)), None)
        stem = name[len(prefix) :] if prefix else ""
        if prefix and len(stem) >= 4 and _fits(prefix, counted, known.get(stem)):
            found[_PARTICLES[prefix]].append(stem)
    arabic = (_WORDS / "arabic_stems.txt").read_text("utf-8").split()
    elided = [name[1:] for name in known if _elided(name, known)]
    return {**found, "d": elided, "al": [stem.upper() for stem in arabic]}


def _fits(prefix: str, whole: Counted, stem: Counted | None) -> bool:
    if prefix in ("vander", "van"):
        return whole.origin == "w" and whole.count >= 150
    if prefix == "di":
        return whole.origin == "w" and stem is not None
    return whole.origin == "h" and stem is not None and stem.origin == "h"


def _elided(name: str, known: Mapping[str, Counted]) -> bool:
    """DAMICO is D'Amico: a vowel after the D, an Italian ending, and Amico is a surname too."""
    return (
        name[0] == "D" and name[1] in "AEIOU" and name[-1] in "AEIO" and len(name) > 5
        and name[1:] in known and known[name].origin == "w"
    )  # fmt: skip


def origin_of_endings(found: Mapping[str, NameClass], home: str) -> dict[str, str]:
    """The origin that most names of an ending have, for names that are in no list."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for name, of in found.items():
        if of.home == home and len(name) > 3:
            votes[name[-3:].lower()][of.origin] += 1
    told: dict[str, str] = {}
    for ending, counted in sorted(votes.items()):
        origin, most = counted.most_common(1)[0]
        if origin not in ("w", "mc", "o") and counted.total() >= 5 and most / counted.total() > 0.5:
            told[ending] = origin
    return told
