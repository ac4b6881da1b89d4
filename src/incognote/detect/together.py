"""A detector that asks a model, over many notes: the model reads them together, ahead of the rest."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from typing import Protocol, runtime_checkable

from incognote.base.ahead import Ahead
from incognote.detect.detector import Detection, Detector
from incognote.document import Document

NOTES_AHEAD = 64


@runtime_checkable
class ManyDetector(Protocol):
    """A detector that gains by being given many notes at once."""

    def detect(self, document: Document) -> Detection: ...

    def detect_many(self, documents: Sequence[Document]) -> Generator[Detection]:
        """In order, the same as one by one."""
        ...


def detect_many(detector: Detector, documents: Sequence[Document]) -> Iterable[Detection]:
    """In order, the same as one by one; at once if the detector gains by that."""
    if isinstance(detector, ManyDetector) and len(documents) > 1:
        return detector.detect_many(documents)
    return map(detector.detect, documents)


class TogetherDetector:
    """`around` builds the whole detector from its model, which asks it for one note at a time.

    With `overlapped`, the model reads on in a thread of its own while the rest works on what it has
    read: onnxruntime does not hold Python's lock. On one core that gains nothing.
    """

    def __init__(
        self,
        model: ManyDetector,
        around: Callable[[Detector], Detector],
        *,
        overlapped: bool = False,
    ) -> None:
        self._model = _Told(model)
        self._whole = around(self._model)
        self._overlapped = overlapped

    def detect(self, document: Document) -> Detection:
        """One note."""
        return self._whole.detect(document)

    def detect_many(self, documents: Sequence[Document]) -> Generator[Detection]:
        """Many notes. Where the model fails, each is tried alone, so that the one at fault is."""
        left = iter(documents)
        found = self._model.model.detect_many(documents)
        if self._overlapped:
            found = Ahead(found, NOTES_AHEAD).items()
        with closing(found):
            for document in left:
                try:
                    told = next(found)
                except Exception:
                    yield self.detect(document)
                    break
                yield self._model.telling(document, told, self._whole)
        yield from map(self.detect, left)


class _Told:
    """The model, which needs not read again what it has read."""

    def __init__(self, model: ManyDetector) -> None:
        self.model = model
        self._told: dict[str, Detection] = {}

    def detect(self, document: Document) -> Detection:
        told = self._told.get(document.text)
        return self.model.detect(document) if told is None else told

    def telling(self, document: Document, told: Detection, whole: Detector) -> Detection:
        """What the whole detector finds when the model says this."""
        self._told[document.text] = told
        try:
            return whole.detect(document)
        finally:
            self._told.pop(document.text, None)
