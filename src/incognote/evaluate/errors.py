"""Every disagreement between gold and prediction, and which types are taken for which.

A gold span is judged by the predictions that share a character with it:

- `missed`: there is none;
- `mistyped`: there are some, but none of its type;
- `boundary`: there is one of its type, but none with the same start and end.

A prediction that shares no character with gold is `spurious`; one that touches gold of other types
only, and is not already named by an error of that gold, is `mistyped`. An error *leaks* when a
letter or digit of its gold span shows, so that as many errors leak as spans are not covered.

The confusion counts each gold span once, under the type it was found as: its own if one of its type
touches it, else that of the prediction that shares most with it; and each spurious prediction once.
A span that occurs twice with one type counts once, as everywhere.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from incognote.document import Document
from incognote.evaluate.pairing import Marks, Pair, pair

Kind = Literal["missed", "mistyped", "boundary", "spurious"]
KINDS: tuple[Kind, ...] = get_args(Kind)

Confusion = Counter[tuple[str | None, str | None]]
"""How many spans of one type were found as another: None for missed and for spurious."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A distinct place and type of one side, and the detectors that marked it."""

    start: int
    end: int
    type: str
    detectors: tuple[str, ...] = ()

    def shared(self, other: Stretch) -> int:
        """How many characters both have."""
        return max(0, min(self.end, other.end) - max(self.start, other.start))


@dataclass(frozen=True, slots=True)
class SpanError:
    """One disagreement, in the note at index `note` of the analysis."""

    note: int
    kind: Kind
    gold: Stretch | None
    found: tuple[Stretch, ...]
    """The predictions that share a character with the gold span; the prediction, if spurious."""
    leaks: bool = False

    @property
    def place(self) -> tuple[int, int]:
        """Where it is: the gold span, or the prediction."""
        stretch = self.gold or self.found[0]
        return stretch.start, stretch.end


@dataclass(frozen=True)
class Analysis:
    """All errors of one prediction, in the order of the notes' ids and of their places."""

    notes: tuple[Document, ...] = field(repr=False)
    errors: tuple[SpanError, ...]
    confusion: Confusion
    predicted: tuple[Document, ...] = field(default=(), repr=False)
    """The same notes as they were predicted, in the order of `notes`."""


def analyse(gold: Iterable[Document], predicted: Iterable[Document | Marks]) -> Analysis:
    """The errors of a prediction; a note without one counts as all missed."""
    pairs = pair(gold, predicted).pairs
    errors: list[SpanError] = []
    confusion: Confusion = Counter()
    for note, both in enumerate(pairs):
        of_note = _errors(note, both, confusion)
        errors += sorted(of_note, key=lambda error: error.place)
    notes = tuple(both.gold for both in pairs)
    return Analysis(notes, tuple(errors), confusion, tuple(both.predicted for both in pairs))


def _errors(note: int, pair: Pair, confusion: Confusion) -> Iterator[SpanError]:
    golds, predictions = _stretches(pair.gold), _stretches(pair.predicted)
    touching_gold = _Overlaps(predictions)
    named: set[Stretch] = set()
    for gold in golds:
        found = touching_gold(gold)
        same = [stretch for stretch in found if stretch.type == gold.type]
        confusion[gold.type, _found_as(gold, found)] += 1
        if not any((s.start, s.end) == (gold.start, gold.end) for s in same):
            kind: Kind = "boundary" if same else "mistyped" if found else "missed"
            named.update(found)
            yield SpanError(note, kind, gold, tuple(found), _shows(pair.gold.text, gold, found))
    touched_by = _Overlaps(golds)
    for prediction in predictions:
        touched = touched_by(prediction)
        if not touched:
            confusion[None, prediction.type] += 1
            yield SpanError(note, "spurious", None, (prediction,))
        elif prediction not in named and all(gold.type != prediction.type for gold in touched):
            yield SpanError(note, "mistyped", _most(prediction, touched), (prediction,))


def _stretches(document: Document) -> list[Stretch]:
    detectors: defaultdict[tuple[int, int, str], set[str]] = defaultdict(set)
    for span in document.spans:
        detectors[span.start, span.end, span.type].add(span.source)
    return [Stretch(*place, tuple(sorted(who))) for place, who in sorted(detectors.items())]


class _Overlaps:
    """The stretches of a sorted list that share a character with one, or are the same place.

    `_reach` is a tree over the list: how far those below a node reach at most. So one stretch over
    all the others does not mean that all are looked at for each.
    """

    def __init__(self, stretches: Sequence[Stretch]) -> None:
        self._stretches = stretches
        self._size = size = 1 << max(0, len(stretches) - 1).bit_length()
        self._reach = [-1] * size + [stretch.end for stretch in stretches]
        self._reach += [-1] * (2 * size - len(self._reach))
        for node in range(size - 1, 0, -1):
            self._reach[node] = max(self._reach[2 * node], self._reach[2 * node + 1])

    def __call__(self, other: Stretch) -> list[Stretch]:
        until = bisect_right(self._stretches, other.end, key=lambda stretch: stretch.start)
        found = []
        nodes = [(1, 0, self._size)]
        while nodes:
            node, first, last = nodes.pop()
            if first >= until or self._reach[node] < other.start:
                continue
            if node < self._size:
                middle = (first + last) // 2
                nodes += ((2 * node + 1, middle, last), (2 * node, first, middle))
                continue
            stretch = self._stretches[first]
            same = (stretch.start, stretch.end) == (other.start, other.end)
            if same or stretch.shared(other):
                found.append(stretch)
        return found


def _found_as(gold: Stretch, found: Sequence[Stretch]) -> str | None:
    if any(stretch.type == gold.type for stretch in found):
        return gold.type
    return _most(gold, found).type if found else None


def _most(stretch: Stretch, others: Sequence[Stretch]) -> Stretch:
    """The first of those that share most with it."""
    return max(others, key=stretch.shared)


def _shows(text: str, gold: Stretch, found: Iterable[Stretch]) -> bool:
    """Whether a letter or digit of the gold span lies in none of the predictions."""
    at = gold.start
    for stretch in found:
        if any(map(str.isalnum, text[at : stretch.start])):
            return True
        at = max(at, stretch.end)
    return any(map(str.isalnum, text[at : gold.end]))
