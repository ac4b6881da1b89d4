"""Several detectors as one."""

from __future__ import annotations

from incognote.detect.detector import Detection, Detector
from incognote.detect.merge import merge
from incognote.detect.propagate import propagate
from incognote.detect.reading import Reading
from incognote.document import Document


class JoinedDetector:
    """All that any of the detectors finds, and its other mentions in the note."""

    def __init__(self, *detectors: Detector) -> None:
        self._detectors = detectors

    def detect(self, document: Document) -> Detection:
        """The findings merged; seen is what the one that saw least saw."""
        text = document.text
        found = [detector.detect(document) for detector in self._detectors]
        spans = merge(text, [span for each in found for span in each.spans])
        spans = merge(text, [*spans, *propagate(Reading(text), spans)])
        suspects = tuple(suspect for each in found for suspect in each.suspects)
        return Detection(tuple(spans), min(each.seen for each in found), suspects)
