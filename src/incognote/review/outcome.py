"""What a review leaves behind: decisions for later runs, and the notes that people read."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.document import Document
from incognote.review.readings import Readings
from incognote.runs.decisions import Decisions, NoteDecision


def decisions_of(readings: Readings) -> Decisions:
    """Of every note that was read to the end. Of notes with the same text the last one counts."""
    notes: dict[str, NoteDecision] = {}
    seal = readings.project.seal
    for number, content, final in readings.read_to_the_end():
        chosen = tuple((span.start, span.end, span.type) for span in final.spans)
        places = {(start, end) for start, end, _ in chosen}
        detected = {(span.start, span.end) for span in content.document.spans}
        rejected = {
            (mark.start, mark.end)
            for reading in readings.project.store.readings(number)
            for mark in readings.marks(reading, content)
            if mark.status == "rejected"
        }
        notes[seal.fingerprint(content.document.text)] = NoteDecision(
            chosen, tuple(sorted((detected | rejected) - places))
        )
    return Decisions(seal.naming, notes)


def reviewed_notes(readings: Readings) -> Iterator[Document]:
    """The notes that were read to the end, with their identifiers marked."""
    for _, _, final in readings.read_to_the_end():
        yield final
