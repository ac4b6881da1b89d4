"""What a model often takes for an identifier and is none: eponyms, doses, scores, codes, departments.

Each veto reads the note and names places in it. A span or a suspect of the model all of whose
letters and digits lie in such places is dropped. What a rule or a known value marks is out of
reach, and so is a span that says more ("James Foley" beside "Foley catheter").

No veto knows what was found, or with which probability: so what a lower threshold redacts still
contains what a higher one does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from incognote.detect.detector import Detection
from incognote.detect.reading import Reading
from incognote.detect.suspects import Suspect
from incognote.detect.vetoes.codes import codes
from incognote.detect.vetoes.departments import departments
from incognote.detect.vetoes.eponyms import eponyms
from incognote.detect.vetoes.measures import measures
from incognote.detect.vetoes.medicines import medicines
from incognote.detect.vetoes.peoples import peoples
from incognote.detect.vetoes.veto import Veto
from incognote.document import Span

VETOES: tuple[Veto, ...] = (eponyms, medicines, measures, codes, departments, peoples)


def without_false_alarms(
    note: Reading,
    found: Detection,
    asserted: Iterable[Span],
    vetoes: Sequence[Veto] = VETOES,
) -> Detection:
    """What a model found, without what a veto drops; `asserted` is what others are sure of."""
    if not found.spans and not found.suspects:
        return found
    harmless = bytearray(len(note.text))
    for veto in vetoes:
        for start, end in veto(note):
            harmless[start:end] = b"\1" * (end - start)
    for span in asserted:
        harmless[span.start : span.end] = bytes(len(span))

    def stays(each: Span | Suspect) -> bool:
        showing = (place for place in range(each.start, each.end) if note.text[place].isalnum())
        return not harmless[each.start] or not all(harmless[place] for place in showing)

    return replace(
        found,
        spans=tuple(filter(stays, found.spans)),
        suspects=tuple(filter(stays, found.suspects)),
    )
