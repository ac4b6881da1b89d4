"""The product as the golden record calls it: the only module here that changes when calls do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from incognote import Deidentifier
from incognote.detect.decisions import assign_types, counting, trimmed
from incognote.detect.detector import Detection
from incognote.detect.finder import Finder
from incognote.detect.known import find_known
from incognote.detect.model import ModelDetector
from incognote.detect.note_index import NoteIndex
from incognote.detect.propagate import propagate
from incognote.detect.rules import FAMILIES
from incognote.detect.thresholds import Thresholds
from incognote.detect.uncertain import FLOOR, UncertainWord
from incognote.detect.vetoes import without_false_alarms
from incognote.document import Document, Span
from incognote.models import shipped_model
from incognote.onnx.model_folder import Hybrid, read_model
from incognote.replace import Operators, parse_operators, rewrite
from incognote.replace.surrogate.date_shift import DateSettings
from incognote.replace.surrogate.settings import Avoided, SurrogateSettings

__all__ = [
    "Avoided",
    "DateSettings",
    "Detection",
    "Joining",
    "Operators",
    "SurrogateSettings",
    "Thresholds",
    "UncertainWord",
    "by_families",
    "by_rules",
    "deidentified",
    "known_places",
    "of_both",
    "of_decisions",
    "of_model",
    "parse_operators",
    "propagated",
    "replaced",
    "shipped_findings",
    "shipped_joining",
    "without_vetoed",
]


def by_families(text: str) -> dict[str, list[Span]]:
    """What each family of rules finds in a text."""
    note = NoteIndex(text)
    return {family.name: list(family.find(note)) for family in FAMILIES}


def by_rules(note: Document) -> Detection:
    return Finder().detect(note)


def known_places(note: Document) -> list[Span]:
    """Where the known values of a note stand in it."""
    return find_known(NoteIndex(note.text), note.known)


def propagated(note: Document, spans: Sequence[Span]) -> list[Span]:
    """What follows from the spans elsewhere in the note."""
    return propagate(NoteIndex(note.text), spans)


@dataclass(frozen=True)
class Joining:
    """How rules and a model are joined: whose findings count, who names, and from which
    probability a single word is redacted.
    """

    decisions: Mapping[str, str]
    names: Mapping[str, str]
    words: float | None

    @property
    def hybrid(self) -> Hybrid:
        """As the product takes it."""
        return Hybrid(decisions=self.decisions, names=self.names)


def without_vetoed(text: str, found: Detection, asserted: Iterable[Span] = ()) -> Detection:
    """What remains of a model's findings after the vetoes."""
    return without_false_alarms(NoteIndex(text), found, asserted)


def of_decisions(note: Document, model: Detection, joining: Joining) -> list[Span]:
    """The spans that count and their types, before anything is merged or spread."""
    rules = by_rules(note).spans
    remaining = without_vetoed(note.text, model, rules)
    counted = counting(rules, tuple(trimmed(remaining.spans)), joining.hybrid)
    return assign_types(*counted, joining.hybrid)


def of_both(
    note: Document, model: Detection, joining: Joining, thresholds: Thresholds | None = None
) -> Detection:
    """What rules and a model with these findings find together."""
    finder = Finder(
        _Stored(model), hybrid=joining.hybrid, words=joining.words, thresholds=thresholds
    )
    return finder.detect(note)


def of_model(note: Document, model: Detection, thresholds: Thresholds) -> Detection:
    """What a model with these findings finds alone, under thresholds."""
    return Finder(_Stored(model), families=None, thresholds=thresholds).detect(note)


@dataclass(frozen=True)
class _Stored:
    """Stands where the model would."""

    found: Detection

    def detect(self, document: Document) -> Detection:
        return self.found


def shipped_joining(speed: str) -> Joining:
    """As the shipped model's folder says."""
    folder = shipped_model()
    assert folder is not None
    model = read_model(folder)
    hybrid = model.hybrid or Hybrid()
    words = model.variant(speed).words or hybrid.words
    return Joining(dict(hybrid.decisions), dict(hybrid.names), words)


def shipped_findings(speed: str) -> Callable[[Document], Detection]:
    """The shipped model, with all words that a threshold could ask for."""
    folder = shipped_model()
    assert folder is not None
    return ModelDetector(folder, speed=speed, uncertain=FLOOR).detect


def replaced(
    note: Document, policy: Operators
) -> tuple[list[str], str, dict[tuple[str, str], int]]:
    """What stands in place of each span, the whole text, and the remarks by type."""
    new = rewrite(note, policy)
    return [span.text for span in new.document.spans], new.document.text, dict(new.remarks)


def deidentified(note: Document, policy: Operators) -> tuple[tuple[Span, ...], list[str], str]:
    """What rules find in a note, what stands in place of each, and the whole text."""
    result = Deidentifier(policy, detector="rules")(replace(note, spans=()))
    return result.spans, [span.text for span in result.output.spans], result.text
