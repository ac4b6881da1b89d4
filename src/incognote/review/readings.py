"""How far each note of a review is, its marks as they are now, and what the sample says so far."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from incognote.base.errors import UserError
from incognote.document import Document
from incognote.review.marks import READER, Mark, Marks, detected_marks
from incognote.review.project import Content, Project
from incognote.review.sample import Statistics, finding, statistics
from incognote.review.store import ADJUDICATION, NoteRow, Reading

Stage = Literal["untouched", "begun", "differs", "done"]


class NotAllowedError(UserError):
    """Something that this reviewer may not do."""


@dataclass(frozen=True)
class Readings:
    """What was read of a review."""

    project: Project

    def row(self, note: int) -> NoteRow:
        row = self.project.store.note(note)
        if row is None:
            raise NotAllowedError("the review has no such note")
        return row

    def stage(self, row: NoteRow, readings: Sequence[Reading]) -> Stage:
        """How far a note is: `differs` if two readers are done and do not agree."""
        done = {each.number for each in readings if each.state == "done"}
        if ADJUDICATION in done:
            return "done"
        if any(each.number == ADJUDICATION for each in readings):
            return "begun"
        if len(done) < row.readers:
            return "begun" if readings else "untouched"
        if row.readers == 1:
            return "done"
        first, second = (self.marks(each) for each in readings[:2])
        return "done" if _places(first) == _places(second) else "differs"

    def marks(self, reading: Reading, content: Content | None = None) -> Marks:
        """The marks of a reading as they are now."""
        content = content or self.project.content(reading.note)
        actions = self.project.store.actions(reading.reading)
        if reading.number < ADJUDICATION:
            return Marks(detected_marks(content.document.spans), actions)
        readings = self.project.store.readings(reading.note)
        first, second = (self.marks(each, content) for each in readings[:2])
        return Marks(_brought_together(first, second), actions)

    def final(self, note: int, content: Content | None = None) -> Document | None:
        """The note with its marks as people left them; None while it is not read to the end."""
        row, readings = self.row(note), self.project.store.readings(note)
        if self.stage(row, readings) != "done":
            return None
        content = content or self.project.content(note)
        return self.marks(readings[-1], content).document(content.document)

    def read_to_the_end(self) -> Iterator[tuple[int, Content, Document]]:
        """Each note that is: its number, as it was detected, and as people left it."""
        readings: dict[int, list[Reading]] = {}
        for each in self.project.store.readings():
            readings.setdefault(each.note, []).append(each)
        for row in self.project.store.notes():
            if row.note in readings and self.stage(row, readings[row.note]) == "done":
                content = self.project.content(row.note)
                final = self.marks(readings[row.note][-1], content).document(content.document)
                yield row.note, content, final

    def statistics(self) -> Statistics:
        """What the sample says of all notes."""
        rows = self.project.store.notes()
        sampled = {row.note for row in rows if row.sampled}
        return statistics(
            [
                finding(content.document, final)
                for note, content, final in self.read_to_the_end()
                if note in sampled
            ],
            notes=len(rows),
            sample=len(sampled),
            risk=float(self.project.described["risk"]),
            confidence=self.project.confidence,
        )


def _places(marks: Marks) -> set[tuple[int, int, str]]:
    return {(mark.start, mark.end, mark.type) for mark in marks.shown}


def _brought_together(first: Marks, second: Marks) -> list[Mark]:
    """The marks of both readers: what both have is accepted, the rest is to be decided."""
    both = _places(first) & _places(second)
    found = [
        Mark(0, start, end, type, 1.0, READER, "accepted") for start, end, type in sorted(both)
    ]
    for source, marks in (("first reader", first), ("second reader", second)):
        found += [
            Mark(0, start, end, type, 1.0, source)
            for start, end, type in sorted(_places(marks) - both)
        ]
    return [replace(mark, id=number) for number, mark in enumerate(found)]
