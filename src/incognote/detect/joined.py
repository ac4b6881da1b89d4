"""Rules and a model as one detector."""

from __future__ import annotations

from collections.abc import Sequence

from incognote.detect.decisions import decided
from incognote.detect.detector import Detection, Detector, RuleDetector
from incognote.detect.known import as_known, find_known
from incognote.detect.merge import merge
from incognote.detect.note_index import NoteIndex
from incognote.detect.propagate import propagate
from incognote.detect.trim import trimmed
from incognote.detect.vetoes import without_false_alarms
from incognote.document import Document, Span
from incognote.onnx.hybrid import Hybrid

UNION = Hybrid()


class JoinedDetector:
    """What rules find and what a model finds, as `hybrid` decides, and its other mentions."""

    def __init__(self, rules: RuleDetector, model: Detector, hybrid: Hybrid = UNION) -> None:
        self._rules = rules
        self._model = model
        self._hybrid = hybrid

    def detect(self, document: Document) -> Detection:
        """Seen is what the one that saw less saw. What a table knows is found in any case."""
        note = NoteIndex(document.text)
        rules, model = self._rules.read(note, document), self._model.detect(document)
        known = find_known(note, document.known)
        joined = join(note, rules.spans, model, self._hybrid, known)
        return Detection(joined.spans, min(rules.seen, model.seen), joined.suspects)


def join(
    note: NoteIndex,
    rules: Sequence[Span],
    model: Detection,
    hybrid: Hybrid = UNION,
    known: Sequence[Span] = (),
) -> Detection:
    """The model's false alarms go first, then decisions are made, then names spread."""
    model = without_false_alarms(note, model, [*rules, *known])
    found = decided(rules, tuple(trimmed(model.spans)), hybrid)
    spans = merge(note.text, [*as_known(note.text, found, known), *known])
    spans = merge(note.text, [*spans, *propagate(note, spans)])
    return Detection(tuple(spans), model.seen, model.suspects)
