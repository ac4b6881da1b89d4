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
class DistinctSpan:
    """A place and type of one side, counted once, and the detectors that marked it."""

    start: int
    end: int
    type: str
    detectors: tuple[str, ...] = ()

    def shared(self, other: DistinctSpan) -> int:
        """How many characters both have."""
        return max(0, min(self.end, other.end) - max(self.start, other.start))


@dataclass(frozen=True, slots=True)
class SpanError:
    """One disagreement, in the note at index `note` of the analysis."""

    note: int
    kind: Kind
    gold: DistinctSpan | None
    predictions: tuple[DistinctSpan, ...]
    """The predictions that share a character with the gold span; the prediction, if spurious."""
    leaks: bool = False

    @property
    def place(self) -> tuple[int, int]:
        """Where it is: the gold span, or the prediction."""
        span = self.gold or self.predictions[0]
        return span.start, span.end


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
    golds, predictions = _distinct(pair.gold), _distinct(pair.predicted)
    predictions_at = _Overlaps(predictions)
    in_errors: set[DistinctSpan] = set()
    for gold in golds:
        overlaps = predictions_at(gold)
        same_type = [span for span in overlaps if span.type == gold.type]
        confusion[gold.type, _predicted_type(gold, overlaps)] += 1
        if not any((s.start, s.end) == (gold.start, gold.end) for s in same_type):
            kind: Kind = "boundary" if same_type else "mistyped" if overlaps else "missed"
            in_errors.update(overlaps)
            leaks = _shows(pair.gold.text, gold, overlaps)
            yield SpanError(note, kind, gold, tuple(overlaps), leaks)
    golds_at = _Overlaps(golds)
    for prediction in predictions:
        overlaps = golds_at(prediction)
        if not overlaps:
            confusion[None, prediction.type] += 1
            yield SpanError(note, "spurious", None, (prediction,))
        elif prediction not in in_errors and all(g.type != prediction.type for g in overlaps):
            yield SpanError(note, "mistyped", _closest(prediction, overlaps), (prediction,))


def _distinct(document: Document) -> list[DistinctSpan]:
    detectors: defaultdict[tuple[int, int, str], set[str]] = defaultdict(set)
    for span in document.spans:
        detectors[span.start, span.end, span.type].add(span.source)
    return [DistinctSpan(*place, tuple(sorted(who))) for place, who in sorted(detectors.items())]


class _Overlaps:
    """The spans of a sorted list that share a character with one, or are the same place.

    `_reach` is a tree over the list: how far those below a node reach at most. So one span over all
    the others does not mean that all are looked at for each.
    """

    def __init__(self, spans: Sequence[DistinctSpan]) -> None:
        self._spans = spans
        self._size = size = 1 << max(0, len(spans) - 1).bit_length()
        self._reach = [-1] * size + [span.end for span in spans]
        self._reach += [-1] * (2 * size - len(self._reach))
        for node in range(size - 1, 0, -1):
            self._reach[node] = max(self._reach[2 * node], self._reach[2 * node + 1])

    def __call__(self, other: DistinctSpan) -> list[DistinctSpan]:
        until = bisect_right(self._spans, other.end, key=lambda span: span.start)
        overlaps = []
        nodes = [(1, 0, self._size)]
        while nodes:
            node, first, last = nodes.pop()
            if first >= until or self._reach[node] < other.start:
                continue
            if node < self._size:
                middle = (first + last) // 2
                nodes += ((2 * node + 1, middle, last), (2 * node, first, middle))
                continue
            span = self._spans[first]
            same = (span.start, span.end) == (other.start, other.end)
            if same or span.shared(other):
                overlaps.append(span)
        return overlaps


def _predicted_type(gold: DistinctSpan, predictions: Sequence[DistinctSpan]) -> str | None:
    if any(span.type == gold.type for span in predictions):
        return gold.type
    return _closest(gold, predictions).type if predictions else None


def _closest(span: DistinctSpan, others: Sequence[DistinctSpan]) -> DistinctSpan:
    """The first of those that share most with it."""
    return max(others, key=span.shared)


def _shows(text: str, gold: DistinctSpan, predictions: Iterable[DistinctSpan]) -> bool:
    """Whether a letter or digit of the gold span lies in none of the predictions."""
    at = gold.start
    for span in predictions:
        if any(map(str.isalnum, text[at : span.start])):
            return True
        at = max(at, span.end)
    return any(map(str.isalnum, text[at : gold.end]))
