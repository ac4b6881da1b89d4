"""A threshold and a promise for each type, all promises at once.

A type's loss counts only what its own threshold adds, so that it is right whatever the other
thresholds are. The types that are tested share the error that is allowed (Bonferroni). Which are
tested is told by the numbers of their notes alone, never by what leaks in them: the commonest
types, as many as could all be certified were nothing to leak.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from incognote.base.errors import CalibrationError
from incognote.base.messages import quantity
from incognote.calibration.site_file import Curve
from incognote.corpus.calibrate.curves import losses_of, measured, unmarked_words
from incognote.corpus.calibrate.evidence import Evidence, Identifier
from incognote.corpus.calibrate.promise import Promise
from incognote.evaluate.guarantee import certified, notes_needed

Groups = dict[str, list[tuple[Identifier, ...]]]
"""By type, the identifiers of each note that has some."""


def by_type(
    notes: Sequence[Evidence], grid: Sequence[float], promise: Promise
) -> tuple[dict[str, Curve], dict[str, int | None]]:
    """A curve for each type with a promise; for each other type the notes it would take."""
    groups: Groups = {}
    for note in notes:
        for type in {each.type for each in note.identifiers}:
            group = tuple(each for each in note.identifiers if each.type == type)
            groups.setdefault(type, []).append(group)
    commonest = sorted(groups, key=lambda type: (-len(groups[type]), type))
    tried = commonest[: _sharing([len(groups[type]) for type in commonest], promise)]
    confidence = _shared(promise, len(tried))
    words = unmarked_words(notes)
    curves: dict[str, Curve] = {}
    lacking: dict[str, int | None] = {}
    for type in sorted(groups):
        losses = losses_of(groups[type], lambda each: each.covered_by_type_at, grid)
        if type in tried:
            doubtful = [(dict(word.suspect.types).get(type, 0.0), word) for word in words]
            curve = measured(losses, notes, doubtful, promise, confidence)
            if certified(curve.points, promise.risk) is not None:
                curves[type] = curve
                continue
        sure = confidence if type in tried else _shared(promise, len(tried) + 1)
        lacking[type] = notes_needed(losses[0][1], promise.risk, promise.how, sure)
    if not curves:
        least = notes_needed(np.zeros(0), promise.risk, promise.how, promise.confidence)
        raise CalibrationError(
            f"no guarantee for any type: {promise.in_words()} takes {least:,} notes with identifiers "
            f"of one type and no leak; the commonest type is in {quantity(len(groups[commonest[0]]), 'note')}"
        )
    return curves, lacking


def _sharing(counts: Sequence[int], promise: Promise) -> int:
    """How many of the types, the commonest first, could all be certified by their numbers."""
    for sharing in range(len(counts), 0, -1):
        sure = _shared(promise, sharing)
        least = notes_needed(np.zeros(0), promise.risk, promise.how, sure)
        if least is not None and counts[sharing - 1] >= least:
            return sharing
    return 0


def _shared(promise: Promise, types: int) -> float:
    """The confidence that each of several promises needs so that all hold with the one asked."""
    return 1 - (1 - promise.confidence) / max(types, 1)
