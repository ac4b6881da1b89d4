"""What a model often takes for an identifier and is none: eponyms, doses, scores, codes, departments.

Each veto reads the note and names places in it. A span or an uncertain word of the model all of whose
letters and digits lie in such places is dropped. What a rule or a known value marks is out of
reach, and so is a span that says more ("James Foley" beside "Foley catheter"). Some vetoes are for
certain types only: plain words are no names of people, though a town or a job is made of them; and
a bare figure is a date only where a rule says so.

No veto knows what was found, or with which probability: so what a lower threshold redacts still
contains what a higher one does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias

from incognote.detect.detector import Detection
from incognote.detect.note_index import NoteIndex
from incognote.detect.uncertain import UncertainWord
from incognote.detect.vetoes.eponyms import eponyms, namesakes
from incognote.detect.vetoes.figures import codes, counted, measures, undated
from incognote.detect.vetoes.vocabulary import (
    acronyms,
    answers,
    degrees,
    departments,
    medicines,
    ordinary,
    organisms,
    peoples,
    unnamed,
)
from incognote.document import Span

Veto: TypeAlias = Callable[[NoteIndex], Iterator[tuple[int, int]]]
"""From a note to the starts and ends of what only looks like an identifier. It depends on the note
alone, never on what was found in it, nor with which probability.
"""

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

_SHOWING = bytes(chr(code).isalnum() for code in range(128)) + bytes(128)


def without_false_alarms(note: NoteIndex, found: Detection, asserted: Iterable[Span]) -> Detection:
    """What a model found, without what a veto drops; `asserted` is what others are sure of."""
    if not found.spans and not found.uncertain:
        return found
    harmless = Harmless(note, VETOES, asserted)
    spans = (span for span in found.spans if not _is_vetoed(span, harmless))
    return replace(found, spans=tuple(spans), uncertain=tuple(_doubts(found, harmless)))


def _is_vetoed(span: Span, harmless: Harmless) -> bool:
    return harmless.may_hold(span.start, span.end) and harmless.holds(
        span.start, span.end, VETOES_OF.get(span.type, ())
    )


def _doubts(found: Detection, harmless: Harmless) -> Iterator[UncertainWord]:
    for word in found.uncertain:
        start, end = word.start, word.end
        if not harmless.may_hold(start, end):
            yield word
            continue
        kept = tuple(
            (type, share)
            for type, share in word.types
            if not harmless.holds(start, end, VETOES_OF.get(type, ()))
        )
        if len(kept) == len(word.types):
            yield word
        elif kept:
            score = min(word.score, sum(share for _, share in kept))
            yield replace(word, types=kept, score=score)


class Harmless:
    """The places that vetoes name, but for those that others are sure of."""

    def __init__(self, note: NoteIndex, vetoes: tuple[Veto, ...], sure: Iterable[Span]) -> None:
        self._note = note
        self._vetoes = vetoes
        self._showing = letters_and_digits(note.text)
        self._sure = bytearray(len(note.text))
        for span in sure:
            self._sure[span.start : span.end] = self._showing[span.start : span.end]
        self._bare: dict[tuple[Veto, ...], bytearray] = {}

    def may_hold(self, start: int, end: int) -> bool:
        """Whether the stretch has letters or digits, and others are sure of none of them."""
        return self._sure.find(1, start, end) < 0 <= self._showing.find(1, start, end)

    def holds(self, start: int, end: int, besides: tuple[Veto, ...]) -> bool:
        """Whether all letters and digits of a stretch that may be held are in such places."""
        return self._left_bare(besides).find(1, start, end) < 0

    def _left_bare(self, besides: tuple[Veto, ...]) -> bytearray:
        """1 for each letter or digit that neither the vetoes nor those `besides` name."""
        bare = self._bare.get(besides)
        if bare is None:
            bare = bytearray(self._left_bare(besides[:-1]) if besides else self._showing)
            for veto in besides[-1:] or self._vetoes:
                for start, end in veto(self._note):
                    bare[start:end] = bytes(end - start)
            self._bare[besides] = bare
        return bare


def letters_and_digits(text: str) -> bytes:
    """1 for each letter or digit of a text, 0 for whatever else."""
    if text.isascii():
        return text.encode("ascii").translate(_SHOWING)
    return bytes(map(str.isalnum, text))
