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

_INVERTED = bytes((1, 0))


def measures(pairs: Sequence[Pair]) -> Tree:
    """All figures of a release."""
    tally = Tally(len(pairs))
    types: set[str] = set()
    detectors: set[str] = set()
    for note, pair in enumerate(pairs):
        gold, predicted = (places(d.spans, lambda s: s.type) for d in (pair.gold, pair.predicted))
        types |= gold.keys() | predicted.keys()
        found_by = places(pair.predicted.spans, lambda span: span.source)
        detectors |= found_by.keys()
        _count_covered(tally, note, pair.gold.text, gold, found_by)
        _count_characters(tally, note, pair.gold.text, gold, found_by)
        _count_overlap(tally, note, len(pair.gold.text), gold, predicted)
        _count_right(tally, note, len(pair.gold.text), gold, pair.predicted.spans)
    overlap = _overlap_by_type(tally, sorted(types))
    return {
        "covered_recall": Share(tally["covered"], tally["gold"]),
        "leaked_notes": Share(tally["leaked note"], tally["note with gold"]),
        "over_redaction": Share(tally["hidden outside"], tally["outside"]),
        "overlap": Agreement(tally["right"], tally["predicted"], tally["found"], tally["gold"]),
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
            tally["right", type],
            tally["predicted", type],
            tally["found", type],
            tally["gold", type],
        )
        for type in types
    }


def _of_detector(tally: Tally, detector: str) -> Tree:
    """`precision` is of its own spans; `alone` and `only` are shares of all gold spans."""
    return {
        "precision": Share(tally["right by", detector], tally["spans by", detector]),
        "alone": Share(tally["covered by", detector], tally["gold"]),
        "only": Share(tally["covered only by", detector], tally["gold"]),
        "over_redaction": Share(tally["hidden outside by", detector], tally["outside"]),
    }


def places(spans: Iterable[Span], of: Callable[[Span], str]) -> dict[str, set[Place]]:
    """The distinct places of each type, or of whatever else a span is counted by."""
    found: defaultdict[str, set[Place]] = defaultdict(set)
    for span in spans:
        found[of(span)].add((span.start, span.end))
    return dict(found)


def _count_covered(
    tally: Tally,
    note: int,
    text: str,
    gold: dict[str, set[Place]],
    found_by: dict[str, set[Place]],
) -> None:
    letters = bytes(map(str.isalnum, text))
    everything = [place for places in found_by.values() for place in places]
    showing = _without(letters, everything)
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
    golds = [place for places in gold.values() for place in places]
    covered_by_all = [place for place in golds if showing.find(1, *place) < 0]
    for detector, places in found_by.items():
        alone = _without(letters, places)
        tally.add(note, ("covered by", detector), sum(alone.find(1, *p) < 0 for p in golds))
        others = (found for other, found in found_by.items() if other != detector)
        rest = _without(letters, (place for found in others for place in found))
        lost = sum(rest.find(1, *place) >= 0 for place in covered_by_all)
        tally.add(note, ("covered only by", detector), lost)


def _count_characters(
    tally: Tally,
    note: int,
    text: str,
    gold: dict[str, set[Place]],
    found_by: dict[str, set[Place]],
) -> None:
    ink = bytes(map(str.isspace, text)).translate(_INVERTED + bytes(254))
    outside_gold = _without(ink, (place for places in gold.values() for place in places))
    everything = [place for places in found_by.values() for place in places]
    outside = outside_gold.count(1)
    hidden = outside - _without(outside_gold, everything).count(1)
    predicted = ink.count(1) - _without(ink, everything).count(1)
    tally.add(note, "outside", outside)
    tally.add(note, "hidden outside", hidden)
    tally.add(note, "gold characters", ink.count(1) - outside)
    tally.add(note, "predicted characters", predicted)
    tally.add(note, "characters", predicted - hidden)
    for detector, places in found_by.items():
        left = _without(outside_gold, places).count(1)
        tally.add(note, ("hidden outside by", detector), outside - left)


def _count_overlap(
    tally: Tally,
    note: int,
    length: int,
    gold: dict[str, set[Place]],
    predicted: dict[str, set[Place]],
) -> None:
    for type in gold.keys() | predicted.keys():
        golds, predictions = gold.get(type, set()), predicted.get(type, set())
        found = _touching(golds, _marked(length, predictions))
        right = _touching(predictions, _marked(length, golds))
        for name, value in (("found", found), ("right", right), ("predicted", len(predictions))):
            tally.add(note, name, value)
            tally.add(note, (name, type), value)


def _count_right(
    tally: Tally, note: int, length: int, gold: dict[str, set[Place]], spans: Sequence[Span]
) -> None:
    marked = {type: _marked(length, places) for type, places in gold.items()}
    for start, end, type, detector in {(s.start, s.end, s.type, s.source) for s in spans}:
        tally.add(note, ("spans by", detector))
        if type in marked and marked[type].find(1, start, end) >= 0:
            tally.add(note, ("right by", detector))


def _without(flags: bytes | bytearray, places: Iterable[Place]) -> bytearray:
    """A copy of the flags with those at the places taken away."""
    left = bytearray(flags)
    for start, end in places:
        left[start:end] = bytes(end - start)
    return left


def _marked(length: int, places: Iterable[Place]) -> bytearray:
    marks = bytearray(length)
    for start, end in places:
        marks[start:end] = b"\x01" * (end - start)
    return marks


def _touching(places: Iterable[Place], marks: bytearray) -> int:
    return sum(marks.find(1, start, end) >= 0 for start, end in places)
