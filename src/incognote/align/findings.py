"""From decided tags to spans with a score."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from incognote.align.decode import Scores
from incognote.align.tags import Labels, tags_to_spans
from incognote.align.units import Integers, Units
from incognote.document import Span


def as_it_is(_type: str, share: float) -> float:
    """A probability that needs no scaling."""
    return share


def spans_of(
    text: str,
    tags: Integers,
    units: Units,
    shares: Scores,
    labels: Labels,
    source: str,
    scaled: Callable[[str, float], float] = as_it_is,
) -> list[Span]:
    """The spans that tags mean; a span's score is the mean probability of its tags, scaled.

    shares: [units, labels], summing to 1 for each unit.
    """
    sure = shares[np.arange(len(tags)), tags]
    return [
        Span.of(
            text,
            span.start,
            span.end,
            span.type,
            score=scaled(span.type, _mean(sure[span.first : span.last])),
            source=source,
        )
        for span in tags_to_spans(tags, units, labels)
    ]


def _mean(shares: Scores) -> float:
    """As numpy's own, which takes its time for a few numbers."""
    return float(np.add.reduce(shares) / len(shares))
