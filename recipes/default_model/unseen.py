"""What rules and each fold's model say of the set that the fold has not seen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from incognote.corpus.predictions import read_gold, read_predicted
from incognote.detect.detector import Detection
from incognote.detect.finder import join
from incognote.detect.note_index import NoteIndex
from incognote.detect.thresholds import Thresholds, redact
from incognote.document import Document, Span
from incognote.evaluate.pairing import Marks
from incognote.formats import Fields
from incognote.onnx.model_folder import Hybrid


@dataclass(frozen=True)
class Outcome:
    """A note's identifiers that were covered, by place and type, and how much else was hidden."""

    covered: frozenset[tuple[int, int, str]]
    hidden: int


@dataclass(frozen=True)
class UnseenNote:
    """A note as annotated, and what rules and a model that never saw it found."""

    gold: Document
    rules: tuple[Span, ...]
    model: Detection

    @cached_property
    def reading(self) -> NoteIndex:
        """The note, read once for all decisions that are tried."""
        return NoteIndex(self.gold.text)

    @cached_property
    def identifiers(self) -> frozenset[tuple[int, int, str]]:
        """The gold spans, each once."""
        return frozenset((span.start, span.end, span.type) for span in self.gold.spans)

    @cached_property
    def outside(self) -> frozenset[int]:
        """The places outside gold that are not blank."""
        inside = {at for start, end, _ in self.identifiers for at in range(start, end)}
        return frozenset(
            at
            for at, character in enumerate(self.gold.text)
            if not character.isspace() and at not in inside
        )

    def above(self, thresholds: Mapping[str, float]) -> UnseenNote:
        """The note without spans of the model whose score stays below their type's threshold."""
        spans = tuple(s for s in self.model.spans if s.score >= thresholds.get(s.type, 0.0))
        return replace(self, model=replace(self.model, spans=spans))

    def outcome(self, hybrid: Hybrid) -> Outcome:
        """What comes of the decisions, words that reach the threshold included."""
        joined = join(self.reading, self.rules, self.model, hybrid)
        if hybrid.words is not None:
            joined = redact(self.gold.text, joined, Thresholds(hybrid.words))
        return self.judged(joined.spans)

    def judged(self, spans: Sequence[Span]) -> Outcome:
        """What these spans cover and hide."""
        text = self.gold.text
        marked = {at for span in spans for at in range(span.start, span.end)}
        covered = frozenset(
            each
            for each in self.identifiers
            if all(at in marked for at in range(*each[:2]) if text[at].isalnum())
        )
        return Outcome(covered, len(self.outside & marked))


def kept_findings(work: Path, corpus: Path, sets: Sequence[str]) -> Iterator[UnseenNote]:
    """From the files that `make.py` kept of each fold."""
    for name in sets:
        found = work / f"fold-{name}-found"
        rules, model = (_by_id(found / f"{each}.jsonl") for each in ("rules", "model"))
        for gold in read_gold(corpus / name, None, Fields()):
            by_rules, by_model = (each[gold.id].on(gold.text).spans for each in (rules, model))
            yield UnseenNote(gold, by_rules, Detection(by_model, len(gold.text)))


def _by_id(path: Path) -> dict[str, Marks]:
    notes = read_predicted(path, None, Fields())
    return {note.id: note for note in notes if isinstance(note, Marks)}
