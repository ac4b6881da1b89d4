"""From decided tags to spans with a score."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from incognote.align.decode import Scores
from incognote.align.tags import Labels, TaggedSpan, tags_to_spans
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
    found = tags_to_spans(tags, units, labels)
    means = _means(shares[np.arange(len(tags)), tags], found)
    return [
        Span.of(
            text,
            span.start,
            span.end,
            span.type,
            score=scaled(span.type, mean),
            source=source,
        )
        for span, mean in zip(found, means, strict=True)
    ]


def _means(shares: Scores, spans: Sequence[TaggedSpan]) -> list[float]:
    """The mean over the units of each span; shares: [units]."""
    edges = np.array([(span.first, span.last) for span in spans], np.int64).reshape(-1, 2)
    sums = np.add.reduceat(np.append(shares, 0.0), edges.ravel())[::2]
    means: list[float] = (sums / (edges[:, 1] - edges[:, 0])).tolist()
    return means
