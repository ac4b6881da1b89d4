"""What annotated notes say of every threshold at once, in numbers without any text."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from incognote.align.tokens import Flags
from incognote.base.errors import CalibrationError
from incognote.detect.detector import Detection, Detector, detect_many
from incognote.detect.thresholds import Thresholds, unmarked
from incognote.detect.uncertain import UncertainWord
from incognote.document import Document, Span
from incognote.evaluate.guarantee import Losses
from incognote.formats.container import BadRecord, Record
from incognote.runs.inputs import Input
from incognote.runs.pool import NoteError, Work
from incognote.runs.settings import Settings
from incognote.runs.stream import Advance, Broken, Ended, Opened, events, work_through


@dataclass(frozen=True, slots=True)
class Identifier:
    """A gold span: the largest overall threshold that covers it, and the largest of its own type.

    Infinite: it is covered at the default operating point; 0: no threshold covers it.
    """

    type: str
    covered_at: float
    covered_by_type_at: float


@dataclass(frozen=True, slots=True)
class WordEvidence:
    """An uncertain word: its characters outside gold, its gold types, whether nothing marked it."""

    word: UncertainWord
    outside: int
    gold: frozenset[str]
    unmarked: bool


@dataclass(frozen=True, slots=True)
class Evidence:
    """A note: its identifiers, its characters outside gold, those hidden anyway, its uncertain words."""

    identifiers: tuple[Identifier, ...]
    outside: int
    hidden: int
    words: tuple[WordEvidence, ...]

    def hidden_at(self, thresholds: Thresholds) -> int:
        """The characters outside gold that are redacted at these thresholds."""
        return self.hidden + sum(
            each.outside for each in self.words if each.unmarked and thresholds.reach(each.word)
        )


def evidence(documents: Iterable[Document], detector: Detector) -> Iterator[Evidence]:
    """The evidence of annotated notes, whose marks the detector does not see."""
    documents = list(documents)
    bare = [document.with_spans(()) for document in documents]
    return map(evidence_of, documents, detect_many(detector, bare))


def evidence_of(document: Document, detection: Detection) -> Evidence:
    """From an annotated note and what the detector found in it."""
    text = document.text
    redacted = _under(detection.spans, len(text))
    counts = ~redacted & _flags(text, str.isalnum)
    remaining = unmarked(detection)
    overall = _levels(redacted, ((word, word.score) for word in remaining))
    gold: dict[str, Flags] = {}
    identifiers: list[Identifier] = []
    for type in sorted({span.type for span in document.spans}):
        spans = [span for span in document.spans if span.type == type]
        gold[type] = _under(spans, len(text))
        own = _levels(redacted, ((word, dict(word.types).get(type, 0.0)) for word in remaining))
        for place in sorted({(span.start, span.end) for span in spans}):
            levels = (_lowest(each, counts, *place) for each in (overall, own))
            identifiers.append(Identifier(type, *levels))
    outside = ~_flags(text, str.isspace)
    for flags in gold.values():
        outside &= ~flags
    return Evidence(
        tuple(identifiers),
        int(outside.sum()),
        int((outside & redacted).sum()),
        _word_evidence(detection.uncertain, frozenset(remaining), gold, outside & ~redacted),
    )


def _flags(text: str, test: Callable[[str], bool]) -> Flags:
    return np.fromiter(map(test, text), bool, len(text))


def _under(spans: Iterable[Span], length: int) -> Flags:
    flags = np.zeros(length, bool)
    for span in spans:
        flags[span.start : span.end] = True
    return flags


def _levels(redacted: Flags, words: Iterable[tuple[UncertainWord, float]]) -> Losses:
    """For each character the largest threshold at which it is redacted."""
    levels = np.where(redacted, math.inf, 0.0)
    for word, level in words:
        part = levels[word.start : word.end]
        np.maximum(part, level, out=part)
    return levels


def _lowest(levels: Losses, counts: Flags, start: int, end: int) -> float:
    """The threshold of a span is the lowest of its letters and digits: all must be covered."""
    letters = levels[start:end][counts[start:end]]
    return float(letters.min()) if len(letters) else math.inf


def _word_evidence(
    uncertain: Iterable[UncertainWord],
    remaining: frozenset[UncertainWord],
    gold: dict[str, Flags],
    outside: Flags,
) -> tuple[WordEvidence, ...]:
    words = []
    for word in uncertain:
        place = slice(word.start, word.end)
        types = frozenset(type for type, flags in gold.items() if flags[place].any())
        words.append(WordEvidence(word, int(outside[place].sum()), types, word in remaining))
    return tuple(words)


@dataclass(frozen=True)
class CorpusEvidence:
    """The notes of a corpus in their order; `repeat_notes` are of a patient who had one before."""

    notes: tuple[Evidence, ...]
    repeat_notes: int


@dataclass(frozen=True)
class _EvidenceWork:
    """What is sent to each process: it makes evidence of annotated notes."""

    settings: Settings

    def work(self) -> Work[Evidence]:
        """The function that each process makes once, and calls with notes."""
        detector = self.settings.detector(uncertain=True)
        return lambda documents: evidence(documents, detector)


def gather_evidence(
    inputs: Sequence[Input],
    settings: Settings,
    *,
    advance: Advance = lambda notes, size: None,
) -> CorpusEvidence:
    """The evidence of all notes, as a run reads them, or an error.

    None is left out: notes left out for some reason are not like the ones that stay.
    """
    settings.check(replaces=False)
    settings = settings.settled(inputs)
    notes: list[Evidence] = []
    patients: list[str] = []
    stream = events(inputs, settings.fields, settings.format)
    index = 0
    with closing(work_through(stream, _EvidenceWork(settings).work, settings.workers)) as results:
        for event, outcomes in results:
            match event:
                case Opened():
                    index = event.input.index
                case BadRecord():
                    _refuse(index, event.error.place, event.error.reason)
                case Broken():
                    _refuse(event.input.index, event.place, event.reason)
                case Record():
                    for outcome in outcomes:
                        if isinstance(outcome, NoteError):
                            _refuse(index, event.place, outcome.reason)
                        else:
                            notes.append(outcome)
                    patients += [each.patient for each in event.documents if each.patient]
                    advance(len(outcomes), sum(len(each.text) for each in event.documents))
                case Ended():
                    pass
    return CorpusEvidence(tuple(notes), len(patients) - len(set(patients)))


def _refuse(input: int, place: str, reason: str) -> None:
    where = f"input {input}, {place}" if place else f"input {input}"
    raise CalibrationError(f"{where}: {reason}; mend or remove the note, then calibrate again")
