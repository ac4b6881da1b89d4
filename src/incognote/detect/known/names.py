"""A given name in other orders and cases, in initials, and misspelt."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence, Set

from incognote.detect.known.initials import initials_of
from incognote.detect.lexicon import BRANDS, EPONYMS, is_ordinary
from incognote.detect.people import Person, Token, index_of, mentions
from incognote.detect.propagate import is_name
from incognote.detect.reading import Reading

Found = tuple[int, int, str]
SHORTEST_MISSPELT = 5
UMLAUTS = (("ü", "ue"), ("ö", "oe"), ("ä", "ae"), ("ø", "oe"), ("å", "aa"))


def find_names(names: Sequence[tuple[str, str]]) -> Callable[[Reading], Iterator[Found]]:
    """A finder for all the names of a row together."""
    people = [Person(name, type, 1.0) for type, name in names]
    index = index_of([*people, *_respelled(people)])
    patients_last = sorted(people, key=lambda person: person.type == "PATIENT")
    shared = {each.capitals: each for person in patients_last for each in initials_of(person)}
    initials = list(shared.values())
    firsts = frozenset(part[0] for part in index if len(part) >= SHORTEST_MISSPELT)

    def find(note: Reading) -> Iterator[Found]:
        text = note.text
        sought = {word for word in note.vocabulary if word in index or _may_slip(word, firsts)}
        slips: dict[str, Person | None] = {}

        def lookup(token: Token) -> Person | None:
            exact = index.get(token.key)
            if exact is not None or len(token.key) < SHORTEST_MISSPELT:
                return exact
            if token.key not in slips:
                slips[token.key] = _misspelt(token.key, index)
            return slips[token.key] if text[token.start].isupper() else None

        for mention in mentions(note, sought, lookup):
            if is_name(text, mention):
                yield mention.start, mention.end, mention.person.type
        for each in initials:
            yield from each.find(text)

    return find


def _respelled(people: Sequence[Person]) -> Iterator[Person]:
    """Müller is also written Mueller, Jean-Baptiste also Jeanbaptiste."""
    for person in people:
        name = person.name.lower()
        for letter, letters in UMLAUTS:
            name = name.replace(letter, letters)
        if name != person.name.lower():
            yield Person(name, person.type, person.score)
        for compound in re.findall(r"[^\W\d_]{2,}(?:[-‐‑][^\W\d_]{2,})+", person.name):
            yield Person(re.sub("[-‐‑]", "", compound), person.type, person.score)
        for apart in re.findall(r"(?<!\w)[A-Za-z]{1,2}['’]([^\W\d_]{4,})", person.name):
            yield Person(apart, person.type, person.score)


def _may_slip(word: str, firsts: Set[str]) -> bool:
    return len(word) >= SHORTEST_MISSPELT and word[0] in firsts


def _misspelt(key: str, index: dict[str, Person]) -> Person | None:
    """The person whose name a word misses by a letter, or by two in a long name."""
    if is_ordinary(key) or key in EPONYMS or key in BRANDS:
        return None
    from rapidfuzz.distance import OSA  # most runs know no names, and this takes long to load

    for part, person in index.items():
        if len(part) < SHORTEST_MISSPELT or part[0] != key[0]:
            continue
        allowed = 1 if len(part) < 8 else 2
        if abs(len(part) - len(key)) <= allowed and (
            OSA.distance(part, key, score_cutoff=allowed) <= allowed
        ):
            return person
    return None
