"""MEDDOCAN's figures, on whatever labels the spans carry: score its corpus unmapped.

As its evaluation script has it, on sets of a note's spans:

- `ner` (track 1): label, start and end are the same;
- `spans` (track 2, strict): start and end are the same;
- `merged` (track 2): on each side, neighbours with no letter or digit between them are joined, from
  the start of the first to the end of the last. Hits are the spans that are the same on both sides,
  joined or not; what lies inside a hit is neither missed nor spurious. A run that is joined on one
  side and whole on the other is thus one hit, and the totals are hits plus what is left over;
- `leak`: spans that `ner` missed, per sentence.

The script takes the number of sentences from files of a sentence splitter that are not published
with it. Here a sentence ends at a line end, and at `.`, `!`, `?` or `…` when space and then an
upper-case letter, a digit or an opening sign follow; a stretch without a letter or digit is none.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from incognote.document import Document
from incognote.evaluate.counts import Agreement, Share, Tally, Tree
from incognote.evaluate.pairing import Pair

Place = tuple[int, int]

_BREAK = re.compile(r"""[\r\n]+|(?<=[.!?…])[ \t]+(?=[^\W_a-zà-ÿ]|[¿¡"«(\[])""")


def measures(pairs: Sequence[Pair]) -> Tree:
    """The figures of both tracks, and the leak score."""
    tally = Tally(len(pairs))
    for note, pair in enumerate(pairs):
        gold_labels = {(span.type, span.start, span.end) for span in pair.gold.spans}
        predicted_labels = {(span.type, span.start, span.end) for span in pair.predicted.spans}
        hits = len(gold_labels & predicted_labels)
        _add(tally, note, "ner", hits, len(predicted_labels) - hits, len(gold_labels) - hits)
        gold, predicted = _places(pair.gold), _places(pair.predicted)
        same = gold & predicted
        _add(tally, note, "spans", len(same), len(predicted - same), len(gold - same))
        same |= join_neighbours(pair.gold.text, gold) & join_neighbours(pair.gold.text, predicted)
        spurious, missed = _outside(predicted, same), _outside(gold, same)
        _add(tally, note, "merged", len(same), spurious, missed)
        tally.add(note, "sentences", sentences(pair.gold.text))
    return {
        **{name: _agreement(tally, name) for name in ("ner", "spans", "merged")},
        "leak": Share(tally["ner", "missed"], tally["sentences"]),
    }


def _add(tally: Tally, note: int, name: str, hits: int, spurious: int, missed: int) -> None:
    tally.add(note, (name, "hits"), hits)
    tally.add(note, (name, "spurious"), spurious)
    tally.add(note, (name, "missed"), missed)


def _agreement(tally: Tally, name: str) -> Agreement:
    hits = tally[name, "hits"]
    return Agreement.matched(hits, hits + tally[name, "spurious"], hits + tally[name, "missed"])


def _places(document: Document) -> set[Place]:
    return {(span.start, span.end) for span in document.spans}


def join_neighbours(text: str, places: set[Place]) -> set[Place]:
    """Neighbours become one where nothing but signs and spaces lies between them."""
    result: list[Place] = []
    for start, end in sorted(places):
        if result and not any(map(str.isalnum, text[result[-1][1] : start])):
            result[-1] = (result[-1][0], end)
        else:
            result.append((start, end))
    return set(result)


def _outside(places: set[Place], hits: set[Place]) -> int:
    """How many places lie inside no hit."""
    starts = sorted(start for start, _ in hits)
    reach = list(accumulate((end for _, end in sorted(hits)), max))
    count = 0
    for start, end in places:
        before = bisect_right(starts, start)
        count += not before or reach[before - 1] < end
    return count


def sentences(text: str) -> int:
    """How many sentences a note has; see above."""
    return sum(any(map(str.isalnum, part)) for part in _BREAK.split(text))
