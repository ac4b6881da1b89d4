"""Which fake each original gets, so that no two get the same and none has a real word in it.

All originals claim at once, in rounds. A claim on a fake with a real word fails; of several claims
on one fake the lowest keyed number wins; whoever fails claims again in the next round. So nothing
depends on the order of mentions. Where a small ring is used up (a note that names forty states),
a fake may after all be a real one elsewhere in the notes, though never the original itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from incognote.replace.surrogate.words.letters import key_of, split_possessive, word_keys

_SHORTEST = 3
_PATIENCE = 64
_FUNCTION_WORDS = frozenset(
    "the and for but with from that this her his des del las los les der die das und von van who "
    "not are was has had our your their its new old san santa saint".split()
)
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class Real:
    """The words of the originals, which no fake may be or hold, and words to avoid."""

    words: frozenset[str] = field(repr=False)
    avoid: Container[str] = field(default=(), repr=False)

    @classmethod
    def of(cls, texts: Iterable[str], generic: Collection[str], avoid: Container[str] = ()) -> Real:
        """The distinctive words of texts: three letters or more, and not a word for a kind."""
        words = {
            word
            for text in texts
            for word in (*word_keys(text), *word_keys(split_possessive(text)[0]))
            if len(word) >= _SHORTEST
        }
        return cls(frozenset(words - _FUNCTION_WORDS - frozenset(generic)), avoid)

    def held_by(self, fake: str) -> bool:
        """Whether a fake has a real word in it: Johnson has John."""
        return any(self._word(word) for word in word_keys(fake)) or key_of(fake) in self.avoid

    def _word(self, word: str) -> bool:
        if word in self.words or word in self.avoid:
            return True
        length = len(word)
        words = self.words
        return any(
            word[start:end] in words
            for start in range(length - _SHORTEST + 1)
            for end in range(start + _SHORTEST, length + 1)
        )


def settle(
    wishes: Mapping[Key, Callable[[int], str]],
    rank: Callable[[Key], int],
    refused: Callable[[Key, str], bool],
    patience: int = _PATIENCE,
) -> dict[Key, str]:
    """A fake for each key: `wishes` give the one that it would have in each round.

    After `patience` rounds fakes need only differ from each other, after twice as many not even
    that.
    """
    waiting = dict(wishes)
    ranks: dict[Key, int] = {}
    given: dict[Key, str] = {}
    claimed: set[str] = set()
    turn = 0
    while waiting:
        claims: dict[str, tuple[Key, str]] = {}
        for key, wish in waiting.items():
            fake = wish(turn)
            name = key_of(fake)
            if turn >= 2 * patience:
                given[key] = fake
                continue
            if name in claimed or (turn < patience and refused(key, fake)):
                continue
            if name in claims:
                other = claims[name][0]
                for each in (key, other):
                    ranks.setdefault(each, rank(each))
                if ranks[other] <= ranks[key]:
                    continue
            claims[name] = (key, fake)
        for name, (key, fake) in claims.items():
            claimed.add(name)
            given[key] = fake
        waiting = {key: wish for key, wish in waiting.items() if key not in given}
        turn += 1
    return given
