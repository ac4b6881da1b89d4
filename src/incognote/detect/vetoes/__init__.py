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
from incognote.detect.reading import Reading
from incognote.detect.suspects import Suspect
from incognote.detect.vetoes.calendar import counted, undated
from incognote.detect.vetoes.codes import codes
from incognote.detect.vetoes.departments import departments
from incognote.detect.vetoes.eponyms import eponyms
from incognote.detect.vetoes.measures import measures
from incognote.detect.vetoes.medicines import medicines
from incognote.detect.vetoes.namesakes import namesakes
from incognote.detect.vetoes.ordinary import acronyms, degrees, ordinary, unnamed
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
    "PATIENT": (ordinary, degrees),
    "DOCTOR": (ordinary, degrees),
    "USERNAME": (ordinary,),
    "HOSPITAL": (acronyms, unnamed),
    "ORGANIZATION": (acronyms,),
    "DATE": (undated, counted),
}
"""Of one type, besides those."""


def without_false_alarms(note: Reading, found: Detection, asserted: Iterable[Span]) -> Detection:
    """What a model found, without what a veto drops; `asserted` is what others are sure of."""
    if not found.spans and not found.suspects:
        return found
    harmless = _Harmless(note, asserted)
    spans = (span for span in found.spans if not harmless.holds(span.start, span.end, span.type))
    return replace(found, spans=tuple(spans), suspects=tuple(_doubts(found, harmless)))


def _doubts(found: Detection, harmless: _Harmless) -> Iterator[Suspect]:
    for suspect in found.suspects:
        kept = tuple(
            (type, share)
            for type, share in suspect.types
            if not harmless.holds(suspect.start, suspect.end, type)
        )
        if len(kept) == len(suspect.types):
            yield suspect
        elif kept:
            score = min(suspect.score, sum(share for _, share in kept))
            yield replace(suspect, types=kept, score=score)


class _Harmless:
    """The places that vetoes name, but for those that others are sure of."""

    def __init__(self, note: Reading, sure: Iterable[Span]) -> None:
        self._note = note
        self._sure = tuple(sure)
        self._marked: dict[tuple[Veto, ...], bytearray] = {}

    def holds(self, start: int, end: int, type: str) -> bool:
        """Whether all letters and digits of the stretch are in such places; some are there."""
        marked = self._places(VETOES_OF.get(type, ()))
        text = self._note.text
        showing = [at for at in range(start, end) if text[at].isalnum()]
        return bool(showing) and all(marked[at] for at in showing)

    def _places(self, besides: tuple[Veto, ...]) -> bytearray:
        if besides not in self._marked:
            marked = bytearray(self._places(()) if besides else len(self._note.text))
            for veto in besides or VETOES:
                for start, end in veto(self._note):
                    marked[start:end] = b"\1" * (end - start)
            for span in self._sure:
                marked[span.start : span.end] = bytes(len(span))
            self._marked[besides] = marked
        return self._marked[besides]
