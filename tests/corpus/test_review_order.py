"""Which notes to review first."""

from __future__ import annotations

from incognote.corpus.review_order import doubt_of
from incognote.detect.detector import Detection
from incognote.detect.uncertain import Scales, UncertainWord
from incognote.document import Span


def test_doubt_counts_places_not_words() -> None:
    text = "Ana Ruiz went to Oslo"
    detection = Detection(
        (Span.of(text, 17, 21, "CITY"),),
        len(text),
        (
            UncertainWord(0, 3, 0.25, (("PATIENT", 0.25),)),
            UncertainWord(4, 8, 0.5, (("PATIENT", 0.5),)),
            UncertainWord(14, 16, 0.125, (("DATE", 0.125),)),
            UncertainWord(17, 21, 0.9, (("CITY", 0.9),)),
        ),
    )
    doubt = doubt_of(text, detection, Scales())
    assert (doubt.expected_missed, doubt.places) == (0.625, 2)
    assert (doubt.highest, doubt.type) == (0.5, "PATIENT")
    lower = doubt_of(text, detection, Scales({"PATIENT": (1.0, -2.0)}))
    assert lower.expected_missed < doubt.expected_missed
    assert doubt_of("", Detection((), 0), Scales()).expected_missed == 0
