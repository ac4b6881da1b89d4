"""Words of names exchanged for words of their kind: Quarry for Thornbeck, Ridge for Hollow.

A word has one fake wherever it stands, so that `Kanawha Ridge Hospital` and `Kanawha` agree. A fake
begins with another letter, so that acronyms change too. The words of a small kind, such as
landforms, change places among themselves, one to one; words in no list become invented ones.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container

from incognote.replace.surrogate.banks.names import NameClass, name_bank
from incognote.replace.surrogate.banks.places import place_bank
from incognote.replace.surrogate.keyed import Keyed
from incognote.replace.surrogate.people.coined import coined
from incognote.replace.surrogate.words.choice import first_fitting, free, overlap
from incognote.replace.surrogate.words.letters import cased, fold, key_of
from incognote.replace.surrogate.words.pieces import Word

_CLOSED = frozenset(
    "airports abroad numbers ordinals directions quarters wards services statuses languages demonyms saints "
    "saintes ladies devotions holy".split()
)
"""Kinds that an invented word cannot belong to: one in no list becomes one of the list."""
_INVENTED = 48
_SPANISH = NameClass("surname", "-", 0, "h")
Pool = Callable[[str], tuple[str, ...]]
Invent = Callable[[str, int], str]


def inventor(locale: str) -> Invent:
    """Invents words for places, or Spanish ones from parts of surnames."""

    def invent(kind: str, number: int) -> str:
        if kind == "spanish":
            return name_bank(locale).spliced(_SPANISH, number)
        return place_bank(locale).invented(number)

    return invent


def proper_fakes(
    words: Collection[Word], keyed: Keyed, pool: Pool, invent: Invent, avoid: Container[str] = ()
) -> dict[Word, str]:
    """A fake for each word. `invent` makes a word of a kind that is in no list, by a number."""
    rings: dict[str, dict[str, str]] = {}
    for kind in {word.kind for word in words if word.kind != "made"}:
        values = pool(kind)
        keys = [key_of(value) for value in values]
        if any(word.key in keys for word in words if word.kind == kind):
            given = keyed.exchange(values, _may_become, "ring", kind)
            rings[kind] = dict(zip(keys, given, strict=True))

    def fake_of(word: Word) -> str:
        values = pool(word.kind)
        ring = rings.get(word.kind, {})

        def candidate(turn: int) -> str:
            number = keyed.number("word", *word, turn)
            if not turn and word.key in ring:
                return ring[word.key]
            if word.kind in _CLOSED:
                return values[number % len(values)]
            if turn < _INVENTED:
                return invent(word.kind, number)
            return coined(number, syllables=2 + (turn - _INVENTED) // 8)

        def fits(fake: str) -> bool:
            return _may_become(word.key, fake) and free(fake, avoid)

        return first_fitting(candidate, fits)

    return {word: fake_of(word) for word in words}


def _may_become(word: str, fake: str) -> bool:
    key, other = key_of(word), key_of(fake)
    return fold(fake[:1]) != key[:1] and not overlap(key, other)


def never_same(written: str, text: str, keyed: Keyed) -> str:
    """What was written or, if it is the original for all that, a word that nobody bears."""
    if fold(written).strip() != fold(text).strip():
        return written
    return cased(coined(keyed.number("never the same", text), syllables=3), text)
