"""A site's `never` entries: words and patterns that are no identifiers there, whoever finds them.

A finding is dropped where all its letters and digits lie in such places; one that says more stays
as it is. The places depend on the note alone, not on what was found in it, nor with which
probability: so what a lower threshold redacts still contains what a higher one does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from incognote.detect.detector import Detection
from incognote.detect.merge import merge
from incognote.detect.note_index import NoteIndex
from incognote.detect.site.lists import WordList
from incognote.detect.site.patterns import LinearPattern
from incognote.detect.uncertain import UncertainWord
from incognote.detect.vetoes import letters_and_digits
from incognote.document import Span


@dataclass(frozen=True)
class NeverEntry:
    """A row of `[[never]]`: words, a pattern or both, and the types it is for; without any, for all."""

    name: str
    words: WordList | None = None
    pattern: LinearPattern | None = None
    types: frozenset[str] = frozenset()


@dataclass(frozen=True)
class NeverPlace:
    """Where a `never` entry stands in a note, and of which types nothing there is one; of all without."""

    start: int
    end: int
    types: frozenset[str] = frozenset()


class NeverPlaces:
    """The places of a note that `never` entries name."""

    def __init__(self, text: str, places: Sequence[NeverPlace]) -> None:
        self._places = places
        self._text = text
        self._limited = frozenset(type for place in places for type in place.types)
        self._bare: dict[str, bytearray] = {}
        self._dropped: list[Span] = []
        self.words: tuple[UncertainWord, ...] = ()
        """Uncertain words that were dropped."""

    def left(self, spans: Iterable[Span]) -> list[Span]:
        """The spans that stay; the others are remembered."""
        if not self._places:
            return list(spans)
        stay: list[Span] = []
        for span in spans:
            dropped = self.hold(span.start, span.end, span.type)
            (self._dropped if dropped else stay).append(span)
        return stay

    def left_of(self, detection: Detection) -> Detection:
        """What a model found without what is dropped, uncertain words among it."""
        if not self._places:
            return detection
        words = tuple(self._words(detection.uncertain))
        remaining = {(word.start, word.end) for word in words}
        self.words = tuple(
            word for word in detection.uncertain if (word.start, word.end) not in remaining
        )
        return replace(detection, spans=tuple(self.left(detection.spans)), uncertain=words)

    def _words(self, words: Iterable[UncertainWord]) -> Iterator[UncertainWord]:
        for word in words:
            types = tuple(
                (type, share)
                for type, share in word.types
                if not self.hold(word.start, word.end, type)
            )
            if len(types) == len(word.types):
                yield word
            elif types:
                score = min(word.score, sum(share for _, share in types))
                yield replace(word, types=types, score=score)

    def hold(self, start: int, end: int, type: str) -> bool:
        """Whether the stretch has letters or digits, and all of them are in places for the type."""
        bare = self._left_bare(type)
        return bare.find(1, start, end) < 0 <= self._showing.find(1, start, end)

    @property
    def _showing(self) -> bytearray:
        """1 for each letter or digit."""
        if "" not in self._bare:
            self._bare[""] = bytearray(letters_and_digits(self._text))
        return self._bare[""]

    def _left_bare(self, type: str) -> bytearray:
        """1 for each letter or digit that no place for the type has."""
        key = type if type in self._limited else "*"
        bare = self._bare.get(key)
        if bare is None:
            bare = self._bare[key] = bytearray(self._showing)
            for place in self._places:
                if not place.types or type in place.types:
                    bare[place.start : place.end] = bytes(place.end - place.start)
        return bare

    def counts(self, spans: Sequence[Span], besides: Iterable[Span] = ()) -> Counter[str]:
        """How many findings were left because of the entries, by type; `besides` were, too.

        What one of the final `spans` hides all the same is not counted.
        """
        if not self._places:
            return Counter()
        hidden = bytearray(self._showing)
        for span in spans:
            hidden[span.start : span.end] = bytes(len(span))
        dropped = merge(self._text, [*self._dropped, *besides])
        return Counter(span.type for span in dropped if hidden.find(1, span.start, span.end) >= 0)


def never_places(note: NoteIndex, entries: Sequence[NeverEntry]) -> Iterator[NeverPlace]:
    """Where the patterns of entries stand."""
    for entry in entries:
        if entry.pattern is not None:
            for start, end in entry.pattern.find(note):
                yield NeverPlace(start, end, entry.types)
