"""Curves over the thresholds: what leaks, what that bounds, and what it costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from incognote.calibration.site_file import Curve
from incognote.corpus.calibrate.evidence import Evidence, Identifier, SeenWord
from incognote.corpus.calibrate.promise import Promise
from incognote.evaluate.guarantee import Losses, curve_of

Level = Callable[[Identifier], float]


def losses_of(
    groups: Sequence[Sequence[Identifier]], level: Level, grid: Sequence[float]
) -> list[tuple[float, Losses]]:
    """For each threshold the share of each note's identifiers that leak."""
    levels = [np.array([level(each) for each in group]) for group in groups]
    return [(t, np.array([float((each < t).mean()) for each in levels])) for t in grid]


def unmarked_words(notes: Sequence[Evidence]) -> list[SeenWord]:
    """The suspects that only a threshold would redact."""
    return [word for note in notes for word in note.words if word.unmarked]


def measured(
    losses: list[tuple[float, Losses]],
    notes: Sequence[Evidence],
    doubtful: Sequence[tuple[float, SeenWord]],
    promise: Promise,
    confidence: float,
) -> Curve:
    """`doubtful` has the words that thresholds may add, each with what is compared to them."""
    levels = np.array([level for level, _ in doubtful])
    sizes = np.array([word.outside for _, word in doubtful])
    hidden = sum(note.hidden for note in notes)
    outside = max(1, sum(note.outside for note in notes))
    points = tuple(
        replace(
            point, over_redaction=(hidden + int(sizes[levels >= point.threshold].sum())) / outside
        )
        for point in curve_of(losses, promise.how, confidence)
    )
    return Curve(len(losses[0][1]), confidence, points)
