"""What a model often takes for an identifier and is none: eponyms, doses, scores, codes, departments.

Each veto reads the note and names places in it. A span or a suspect of the model all of whose
letters and digits lie in such places is dropped. What a rule or a known value marks is out of
reach, and so is a span that says more ("James Foley" beside "Foley catheter"). Some vetoes are for
certain types only: plain words are no names of people, though a town or a job is made of them; and
a bare figure is a date only where a rule says so.

No veto knows what was found, or with which probability: so what a lower threshold redacts still
contains what a higher one does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from incognote.detect.detector import Detection
from incognote.detect.note_index import NoteIndex
from incognote.detect.suspects import Suspect
from incognote.detect.vetoes.calendar import counted, undated
from incognote.detect.vetoes.codes import codes
from incognote.detect.vetoes.departments import departments
from incognote.detect.vetoes.eponyms import eponyms
from incognote.detect.vetoes.harmless import Harmless
from incognote.detect.vetoes.measures import measures
from incognote.detect.vetoes.medicines import medicines
from incognote.detect.vetoes.namesakes import namesakes
from incognote.detect.vetoes.ordinary import acronyms, answers, degrees, ordinary, unnamed
from incognote.detect.vetoes.organisms import organisms
from incognote.detect.vetoes.peoples import peoples
from incognote.detect.vetoes.veto import Veto
from incognote.document import Span

VETOES: tuple[Veto, ...] = (
    eponyms,
    namesakes,
    medicines,
    measures,
    codes,
    departments,
    organisms,
    peoples,
)
"""Of whatever type."""

VETOES_OF: Mapping[str, tuple[Veto, ...]] = {
    "PATIENT": (ordinary, degrees, answers),
    "DOCTOR": (ordinary, degrees, answers),
    "USERNAME": (ordinary,),
    "HOSPITAL": (acronyms, unnamed),
    "ORGANIZATION": (acronyms,),
    "DATE": (undated, counted),
}
"""Of one type, besides those."""


def without_false_alarms(note: NoteIndex, found: Detection, asserted: Iterable[Span]) -> Detection:
    """What a model found, without what a veto drops; `asserted` is what others are sure of."""
    if not found.spans and not found.suspects:
        return found
    harmless = Harmless(note, VETOES, asserted)
    spans = (span for span in found.spans if not _is_vetoed(span, harmless))
    return replace(found, spans=tuple(spans), suspects=tuple(_doubts(found, harmless)))


def _is_vetoed(span: Span, harmless: Harmless) -> bool:
    return harmless.may_hold(span.start, span.end) and harmless.holds(
        span.start, span.end, VETOES_OF.get(span.type, ())
    )


def _doubts(found: Detection, harmless: Harmless) -> Iterator[Suspect]:
    for suspect in found.suspects:
        start, end = suspect.start, suspect.end
        if not harmless.may_hold(start, end):
            yield suspect
            continue
        kept = tuple(
            (type, share)
            for type, share in suspect.types
            if not harmless.holds(start, end, VETOES_OF.get(type, ()))
        )
        if len(kept) == len(suspect.types):
            yield suspect
        elif kept:
            score = min(suspect.score, sum(share for _, share in kept))
            yield replace(suspect, types=kept, score=score)
