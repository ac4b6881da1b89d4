"""From decided tags to spans with a score."""

from __future__ import annotations

import numpy as np

from incognote.align.decode import Scores
from incognote.align.tags import Labels, tags_to_spans
from incognote.align.units import Integers, Units
from incognote.document import Span


def spans_of(
    text: str, tags: Integers, units: Units, shares: Scores, labels: Labels, source: str
) -> list[Span]:
    """The spans that tags mean; a span's score is the mean probability of its tags.

    shares: [units, labels], summing to 1 for each unit.
    """
    sure = shares[np.arange(len(tags)), tags]
    return [
        Span.of(
            text,
            span.start,
            span.end,
            span.type,
            score=float(sure[span.first : span.last].mean()),
            source=source,
        )
        for span in tags_to_spans(tags, units, labels)
    ]
