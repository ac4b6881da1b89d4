"""A given name in other orders and cases, in initials, and misspelt."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence, Set

from incognote.detect.lexicon import BRANDS, EPONYMS, is_ordinary
from incognote.detect.people import SUFFIXES, Person, Token, index_of, mentions
from incognote.detect.propagate import is_name
from incognote.detect.reading import Reading

Found = tuple[int, int, str]
SHORTEST_MISSPELT = 5
UMLAUTS = (("ü", "ue"), ("ö", "oe"), ("ä", "ae"), ("ø", "oe"), ("å", "aa"))


def find_names(names: Sequence[tuple[str, str]]) -> Callable[[Reading], Iterator[Found]]:
    """A finder for all the names of a row together."""
    people = [Person(name, type, 1.0) for type, name in names]
    index = index_of([*people, *_respelled(people)])
    initials = [
        (pattern, person.type) for person in people for pattern in _initial_patterns(person)
    ]

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
        for pattern, type in initials:
            for match in pattern.finditer(text):
                yield match.start(), match.end(), type

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


def _initial_patterns(person: Person) -> Iterator[re.Pattern[str]]:
    """N.O. and N.M.O. with their full stops; bare capitals mean too many other things."""
    words = [word for word in _given_first(person.name) if word not in SUFFIXES]
    letters = [re.escape(word[0].upper()) for word in words]
    if len(letters) < 2:
        return
    forms = {tuple(letters), (letters[0], letters[-1])}
    for form in sorted(forms):
        yield re.compile(r"(?<![\w.])" + r"\.[ ]?".join(form) + r"\.(?!\w)")


def _given_first(name: str) -> list[str]:
    last, comma, given = name.partition(",")
    ordered = f"{given} {last}" if comma else name
    return [word for word in re.findall(r"[^\W\d_]+", ordered.lower()) if word not in SUFFIXES]
