"""What a data manager asks before a release: what still shows, and what was lost for nothing.

A gold span is *covered* when every letter and digit of it lies in predicted spans, of whatever type
and however many; a span without a letter or digit is therefore always covered. A *leaked note* has
at least one span that is not covered; its share is of the notes that have gold. *Over-redaction* is
the share of the non-space characters outside gold that predictions hide. *Overlap* is typed: a span
is matched when it shares a character with a span of the same type on the other side. *Characters*
compares the non-space characters under gold and under predicted spans, whatever their types.

A span that occurs twice with one type counts once. A detector is what `Span.source` names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from incognote.document import Span
from incognote.evaluate.counts import Agreement, Share, Tally, Tree
from incognote.evaluate.pairing import Pair

Place = tuple[int, int]
Places = dict[str, set[Place]]
"""Distinct places by type, or by detector."""

_INVERTED = bytes((1, 0))


def measures(pairs: Sequence[Pair]) -> Tree:
    """The figures of a release, over all identifiers, by type and by detector."""
    tally = Tally(len(pairs))
    types: set[str] = set()
    detectors: set[str] = set()
    for note, pair in enumerate(pairs):
        gold, predicted = (
            _places(document.spans, lambda span: span.type)
            for document in (pair.gold, pair.predicted)
        )
        types |= gold.keys() | predicted.keys()
        by_detector = _places(pair.predicted.spans, lambda span: span.source)
        detectors |= by_detector.keys()
        _count_covered(tally, note, pair.gold.text, gold, by_detector)
        _count_characters(tally, note, pair.gold.text, gold, by_detector)
        _count_overlap(tally, note, len(pair.gold.text), gold, predicted)
        _count_hits_by_detector(tally, note, len(pair.gold.text), gold, pair.predicted.spans)
    overlap = _overlap_by_type(tally, sorted(types))
    return {
        "covered_recall": Share(tally["covered"], tally["gold"]),
        "leaked_notes": Share(tally["leaked note"], tally["note with gold"]),
        "over_redaction": Share(tally["hidden outside"], tally["outside"]),
        "overlap": Agreement(
            tally["predicted hits"], tally["predicted"], tally["gold hits"], tally["gold"]
        ),
        "characters": Agreement.matched(
            tally["characters"], tally["predicted characters"], tally["gold characters"]
        ),
        "covered_recall_by_type": {
            type: Share(tally["covered", type], tally["gold", type])
            for type in sorted(types)
            if tally["gold", type].any()
        },
        "overlap_by_type": overlap,
        "by_detector": {detector: _of_detector(tally, detector) for detector in sorted(detectors)},
    }


def _overlap_by_type(tally: Tally, types: Sequence[str]) -> Tree:
    return {
        type: Agreement(
            tally["predicted hits", type],
            tally["predicted", type],
            tally["gold hits", type],
            tally["gold", type],
        )
        for type in types
    }


def _of_detector(tally: Tally, detector: str) -> Tree:
    """`precision` is of its own spans; `alone` and `only` are shares of all gold spans."""
    return {
        "precision": Share(tally["hits by", detector], tally["spans by", detector]),
        "alone": Share(tally["covered by", detector], tally["gold"]),
        "only": Share(tally["covered only by", detector], tally["gold"]),
        "over_redaction": Share(tally["hidden outside by", detector], tally["outside"]),
    }


def _places(spans: Iterable[Span], key: Callable[[Span], str]) -> Places:
    """The distinct places of each type, or of whatever else a span is counted by."""
    places: defaultdict[str, set[Place]] = defaultdict(set)
    for span in spans:
        places[key(span)].add((span.start, span.end))
    return dict(places)


def _all_places(places: Places) -> list[Place]:
    return [place for distinct in places.values() for place in distinct]


def _count_covered(
    tally: Tally,
    note: int,
    text: str,
    gold: Places,
    by_detector: Places,
) -> None:
    letters = bytes(map(str.isalnum, text))
    showing = _without(letters, _all_places(by_detector))
    leaked = False
    for type, places in gold.items():
        covered = sum(showing.find(1, *place) < 0 for place in places)
        tally.add(note, "gold", len(places))
        tally.add(note, ("gold", type), len(places))
        tally.add(note, "covered", covered)
        tally.add(note, ("covered", type), covered)
        leaked = leaked or covered < len(places)
    if gold:
        tally.add(note, "note with gold")
        tally.add(note, "leaked note", leaked)
    golds = _all_places(gold)
    covered_by_all = [place for place in golds if showing.find(1, *place) < 0]
    for detector, places in by_detector.items():
        alone = _without(letters, places)
        tally.add(note, ("covered by", detector), sum(alone.find(1, *p) < 0 for p in golds))
        others = {other: its for other, its in by_detector.items() if other != detector}
        without_it = _without(letters, _all_places(others))
        only = sum(without_it.find(1, *place) >= 0 for place in covered_by_all)
        tally.add(note, ("covered only by", detector), only)


def _count_characters(
    tally: Tally,
    note: int,
    text: str,
    gold: Places,
    by_detector: Places,
) -> None:
    ink = bytes(map(str.isspace, text)).translate(_INVERTED + bytes(254))
    outside_gold = _without(ink, _all_places(gold))
    everything = _all_places(by_detector)
    outside = outside_gold.count(1)
    hidden = outside - _without(outside_gold, everything).count(1)
    predicted = ink.count(1) - _without(ink, everything).count(1)
    tally.add(note, "outside", outside)
    tally.add(note, "hidden outside", hidden)
    tally.add(note, "gold characters", ink.count(1) - outside)
    tally.add(note, "predicted characters", predicted)
    tally.add(note, "characters", predicted - hidden)
    for detector, places in by_detector.items():
        visible = _without(outside_gold, places).count(1)
        tally.add(note, ("hidden outside by", detector), outside - visible)


def _count_overlap(
    tally: Tally,
    note: int,
    length: int,
    gold: Places,
    predicted: Places,
) -> None:
    for type in gold.keys() | predicted.keys():
        golds, predictions = gold.get(type, set()), predicted.get(type, set())
        counts = {
            "predicted": len(predictions),
            "predicted hits": _touching(predictions, _marks(length, golds)),
            "gold hits": _touching(golds, _marks(length, predictions)),
        }
        for name, count in counts.items():
            tally.add(note, name, count)
            tally.add(note, (name, type), count)


def _count_hits_by_detector(
    tally: Tally, note: int, length: int, gold: Places, spans: Sequence[Span]
) -> None:
    marks = {type: _marks(length, places) for type, places in gold.items()}
    for start, end, type, detector in {(s.start, s.end, s.type, s.source) for s in spans}:
        tally.add(note, ("spans by", detector))
        if type in marks and marks[type].find(1, start, end) >= 0:
            tally.add(note, ("hits by", detector))


def _without(flags: bytes | bytearray, places: Iterable[Place]) -> bytearray:
    """A copy of the flags with those at the places taken away."""
    copy = bytearray(flags)
    for start, end in places:
        copy[start:end] = bytes(end - start)
    return copy


def _marks(length: int, places: Iterable[Place]) -> bytearray:
    marks = bytearray(length)
    for start, end in places:
        marks[start:end] = b"\x01" * (end - start)
    return marks


def _touching(places: Iterable[Place], marks: bytearray) -> int:
    return sum(marks.find(1, start, end) >= 0 for start, end in places)
