"""Words of names exchanged for words of their kind: Quarry for Thornbeck, Ridge for Hollow.

A word has one fake wherever it stands, so that `Kanawha Ridge Hospital` and `Kanawha` agree. A fake
begins with another letter, so that acronyms change too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from incognote.replace.surrogate.people.coined import coined
from incognote.replace.surrogate.people.keyed import Keyed
from incognote.replace.surrogate.words.claims import Real, settle
from incognote.replace.surrogate.words.letters import cased, fold, key_of
from incognote.replace.surrogate.words.pieces import Word

_CLOSED = 400
"""Kinds of fewer words are rings in which known words change places."""
_IN_KIND, _MADE = 24, 48
Pool = Callable[[str], tuple[str, ...]]


def proper_fakes(words: Collection[Word], keyed: Keyed, pool: Pool, real: Real) -> dict[Word, str]:
    """A fake for each word."""

    def wish(word: Word) -> Callable[[int], str]:
        values = pool(word.kind)
        known = len(values) < _CLOSED
        place = (
            next((at for at, each in enumerate(values) if key_of(each) == word.key), None)
            if known
            else None
        )
        return lambda turn: _candidate(word, turn, keyed, pool, place)

    return settle(
        {word: wish(word) for word in words},
        rank=lambda word: keyed.number("rank", *word),
        refused=lambda word, fake: fold(fake[:1]) == word.key[:1] or real.held_by(fake),
    )


def _candidate(word: Word, turn: int, keyed: Keyed, pool: Pool, place: int | None) -> str:
    values = pool(word.kind)
    if turn < _IN_KIND:
        if place is not None:
            return values[keyed.permute(place, len(values), "ring", word.kind, turn)]
        return values[keyed.number("word", *word, turn) % len(values)]
    made = pool("made")
    number = keyed.number("word", *word, turn)
    if turn < _MADE:
        return made[number % len(made)]
    return coined(number, syllables=2 + (turn - _MADE) // 8)


def never_same(written: str, text: str, keyed: Keyed) -> str:
    """What was written or, if it is the original for all that, a word that nobody bears."""
    if fold(written).strip() != fold(text).strip():
        return written
    return cased(coined(keyed.number("never the same", text), syllables=3), text)
