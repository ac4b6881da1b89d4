"""What a model often takes for an identifier and is none: eponyms, doses, scores, codes, departments.

Each veto reads the note and names places in it. A span or a suspect of the model all of whose
letters and digits lie in such places is dropped. What a rule or a known value marks is out of
reach, and so is a span that says more ("James Foley" beside "Foley catheter"). Plain words are
vetoed as names of people only: a town or a job is made of such words.

No veto knows what was found, or with which probability: so what a lower threshold redacts still
contains what a higher one does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from incognote.detect.detector import Detection
from incognote.detect.reading import Reading
from incognote.detect.suspects import Suspect
from incognote.detect.vetoes.codes import codes
from incognote.detect.vetoes.departments import departments
from incognote.detect.vetoes.eponyms import eponyms
from incognote.detect.vetoes.measures import measures
from incognote.detect.vetoes.medicines import medicines
from incognote.detect.vetoes.ordinary import ordinary
from incognote.detect.vetoes.peoples import peoples
from incognote.detect.vetoes.veto import Veto
from incognote.document import Span

VETOES: tuple[Veto, ...] = (eponyms, medicines, measures, codes, departments, peoples)
"""Of whatever type."""

VETOES_OF_NAMES: tuple[Veto, ...] = (ordinary,)
NAMES = frozenset({"PATIENT", "DOCTOR"})


def without_false_alarms(note: Reading, found: Detection, asserted: Iterable[Span]) -> Detection:
    """What a model found, without what a veto drops; `asserted` is what others are sure of."""
    if not found.spans and not found.suspects:
        return found
    sure = list(asserted)
    harmless = _Harmless(note, VETOES, sure)
    nameless = _Harmless(note, (*VETOES, *VETOES_OF_NAMES), sure)
    spans = (
        span
        for span in found.spans
        if not (nameless if span.type in NAMES else harmless).holds(span.start, span.end)
    )
    return replace(found, spans=tuple(spans), suspects=tuple(_doubts(found, harmless, nameless)))


def _doubts(found: Detection, harmless: _Harmless, nameless: _Harmless) -> Iterator[Suspect]:
    for suspect in found.suspects:
        if harmless.holds(suspect.start, suspect.end):
            continue
        if nameless.holds(suspect.start, suspect.end):
            kept = tuple(pair for pair in suspect.types if pair[0] not in NAMES)
            if not kept:
                continue
            score = min(suspect.score, sum(share for _, share in kept))
            suspect = replace(suspect, types=kept, score=score)
        yield suspect


class _Harmless:
    """The places that vetoes name, but for those that others are sure of."""

    def __init__(self, note: Reading, vetoes: Sequence[Veto], sure: Sequence[Span]) -> None:
        self.text = note.text
        self.marked = bytearray(len(note.text))
        for veto in vetoes:
            for start, end in veto(note):
                self.marked[start:end] = b"\1" * (end - start)
        for span in sure:
            self.marked[span.start : span.end] = bytes(len(span))

    def holds(self, start: int, end: int) -> bool:
        """Whether all letters and digits of the stretch are in such places; some are there."""
        showing = [at for at in range(start, end) if self.text[at].isalnum()]
        return bool(showing) and all(self.marked[at] for at in showing)
