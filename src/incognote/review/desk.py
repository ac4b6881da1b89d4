"""What reviewers do: see the queue, read a note, change its marks, finish it; who may do what.

A reviewer reads what nobody else has begun. Of a note with two readers each sees their own marks only;
where both are done and differ, an adjudicator decides. A lead also sees who reads what.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from incognote.detect.detector import Detection
from incognote.document import Document
from incognote.phi import KnownTypes
from incognote.pipeline import Deidentifier, Result
from incognote.review.marks import (
    Action,
    Kind,
    Mark,
    Marks,
    check_stretch,
)
from incognote.review.mentions import same_person, same_words
from incognote.review.project import Project
from incognote.review.readings import NotAllowedError, Readings, Stage
from incognote.review.store import ADJUDICATION, ConflictError, NoteRow, Reading, Reviewer

Role = Literal["reviewer", "adjudicator", "lead"]
ROLES: tuple[Role, ...] = get_args(Role)


@dataclass(frozen=True)
class Request:
    """What a reviewer wants done to the marks of a note; offsets count code points."""

    do: Kind
    mark: int | None = None
    start: int | None = None
    end: int | None = None
    type: str | None = None
    least: float = 0.0
    """With `bulk`: marks of this confidence or more."""


@dataclass(frozen=True)
class QueueEntry:
    """A note in the queue, as one reviewer sees it."""

    note: int
    characters: int
    expected_missed: float
    sampled: bool
    readers: int
    stage: Stage
    own: Literal["open", "done"] | None
    """How far the reviewer's own reading is."""
    flagged: bool
    open: bool
    """Whether the reviewer may read it."""
    by: list[str]
    """Who reads it; where two read blindly, reviewers see themselves only."""


@dataclass(frozen=True)
class Desk:
    """The review as reviewers meet it. Threads may share it."""

    project: Project
    deidentifier: Deidentifier

    @property
    def readings(self) -> Readings:
        """What was read so far."""
        return Readings(self.project)

    @property
    def types(self) -> KnownTypes:
        """The types that a mark can have."""
        return self.deidentifier.types

    # Whose reading it is.

    def reading_for(self, reviewer: Reviewer, note: int) -> Reading:
        """The reviewer's own reading of a note, begun if need be."""
        row, readings = self.readings.row(note), self.project.store.readings(note)
        own = [each for each in readings if each.reviewer == reviewer.reviewer]
        if own and not (own[-1].state == "done" and self._may_decide(reviewer, row, readings)):
            return own[-1]
        taken = {each.number for each in readings}
        free = [number for number in range(row.readers) if number not in taken]
        if free:
            return self.project.store.begin_reading(note, free[0], reviewer.reviewer)
        if self._may_decide(reviewer, row, readings):
            return self.project.store.begin_reading(note, ADJUDICATION, reviewer.reviewer)
        raise NotAllowedError("somebody else reads this note")

    def _may_decide(self, reviewer: Reviewer, row: NoteRow, readings: Sequence[Reading]) -> bool:
        return reviewer.role != "reviewer" and self.readings.stage(row, readings) == "differs"

    # Marks.

    def output(self, document: Document) -> Result:
        """What will be released of a note with these marks."""
        return self.deidentifier.replaced(document, Detection(document.spans, len(document.text)))

    # Actions.

    def act(self, reviewer: Reviewer, note: int, version: int, request: Request) -> Reading:
        """Do what a reviewer wants, on the marks as they saw them; gives the reading as it is then."""
        reading = self._changeable(reviewer, note, version)
        content = self.project.content(note)
        marks = self.readings.marks(reading, content)
        action = self._action(marks, content.document, request)
        if request.do not in ("undo", "redo") and not action.changes:
            return reading
        marks.apply(action)
        version = self.project.store.act(reading, [action], reviewer.reviewer)
        if request.do == "person":
            self._elsewhere(reviewer, content.document, note, marks[request.mark or 0])
        return replace(reading, version=version)

    def _changeable(self, reviewer: Reviewer, note: int, version: int) -> Reading:
        reading = self.reading_for(reviewer, note)
        if reading.version != version:
            raise ConflictError("the note was changed in another window: look at it again")
        if reading.state == "done":
            raise NotAllowedError("the note is finished: open it again to change it")
        return reading

    def _action(self, marks: Marks, document: Document, request: Request) -> Action:
        text = document.text
        if request.do in ("undo", "redo"):
            if not (marks.can_undo if request.do == "undo" else marks.can_redo):
                raise NotAllowedError(f"there is nothing to {request.do}")
            return Action(request.do)
        if request.do == "bulk":
            return marks.all_accepted(request.type, request.least)
        if request.do == "add" or request.mark is None:
            start, end = self._stretch(text, request)
            type = self._type(request.type)
            if request.do == "everywhere":
                places = [(*place, type) for place in same_words(text, text[start:end])]
                return marks.added(self._new(marks, places), "everywhere")
            return marks.added([(start, end, type)])
        mark = marks[request.mark]
        if request.do == "accept":
            return marks.accepted(mark.id)
        if request.do == "reject":
            return marks.rejected(mark.id)
        if request.do == "retype":
            return marks.retyped(mark.id, self._type(request.type))
        if request.do == "resize":
            return marks.resized(mark.id, *self._stretch(text, request))
        search = same_person if request.do == "person" else _same_words
        found = search(text, text[mark.start : mark.end], mark.type)
        places = [(mark.start, mark.end, mark.type), *((*place, mark.type) for place in found)]
        return marks.added(self._new(marks, places), request.do)

    def _new(
        self, marks: Marks, places: Sequence[tuple[int, int, str]]
    ) -> list[tuple[int, int, str]]:
        """Without those that lie in what is marked already, or overlap one before them."""
        kept: list[tuple[int, int, str]] = []
        for start, end, type in places:
            covered = any(
                mark.start <= start and end <= mark.end and (mark.start, mark.end) != (start, end)
                for mark in marks.shown
            )
            if not covered and not any(s < end and start < e for s, e, _ in kept):
                kept.append((start, end, type))
        return kept

    def _elsewhere(self, reviewer: Reviewer, document: Document, note: int, mark: Mark) -> None:
        """Mark a person in the patient's other notes too, in readings that are this reviewer's or free."""
        if document.patient is None:
            return
        name = document.text[mark.start : mark.end]
        for other in self.project.store.notes_of(self.project.seal.fingerprint(document.patient)):
            if other == note:
                continue
            try:
                reading = self.reading_for(reviewer, other)
            except (NotAllowedError, ConflictError):
                continue
            if reading.state == "done":
                continue
            content = self.project.content(other)
            marks = self.readings.marks(reading, content)
            found = same_person(content.document.text, name, mark.type)
            places = [(*place, mark.type) for place in found]
            action = marks.added(self._new(marks, places), "person")
            if action.changes:
                self.project.store.act(reading, [action], reviewer.reviewer)

    def _type(self, type: str | None) -> str:
        if type is None or self.types.category_of(type) is None:
            raise NotAllowedError("there is no such type")
        return type

    def _stretch(self, text: str, request: Request) -> tuple[int, int]:
        start, end = request.start or 0, request.end or 0
        check_stretch(text, start, end)
        return start, end

    # The end of a reading.

    def finish(self, reviewer: Reviewer, note: int, version: int) -> Reading:
        """Confirm a note as it is marked."""
        reading = self._changeable(reviewer, note, version)
        if reading.number == ADJUDICATION:
            left = sum(mark.status == "proposed" for mark in self.readings.marks(reading))
            if left:
                raise NotAllowedError(
                    f"decide the places where the readers differ: {left} are left"
                )
        self.project.store.change_reading(reading.reading, state="done")
        return replace(reading, state="done")

    def reopen(self, reviewer: Reviewer, note: int) -> Reading:
        """Go on with a note that was finished, unless it was decided since."""
        reading = self.reading_for(reviewer, note)
        if reading.number < ADJUDICATION and any(
            each.number == ADJUDICATION for each in self.project.store.readings(note)
        ):
            raise NotAllowedError("an adjudicator has this note: it cannot be opened again")
        self.project.store.change_reading(reading.reading, state="open")
        return replace(reading, state="open")

    def annotate(self, reading: Reading, *, flagged: bool | None, memo: str | None) -> None:
        """Flag a reading for a second look, or keep what its reader notes down."""
        values: dict[str, Any] = {}
        if flagged is not None:
            values["flagged"] = flagged
        if memo is not None:
            words = memo.encode("utf-8", "surrogatepass")
            values["memo"] = self.project.seal.close(words, f"memo {reading.reading}")
        self.project.store.change_reading(reading.reading, **values)

    def memo(self, reading: Reading) -> str:
        """What the reader noted down."""
        sealed = self.project.store.memo(reading.reading)
        if sealed is None:
            return ""
        words = self.project.seal.open(sealed, f"memo {reading.reading}")
        return words.decode("utf-8", "surrogatepass")

    # The queue.

    def queue(self, reviewer: Reviewer, search: str = "") -> list[QueueEntry]:
        """The notes in order; those whose id or text has the words, if some are given."""
        store = self.project.store
        readings: dict[int, list[Reading]] = {}
        for each in store.readings():
            readings.setdefault(each.note, []).append(each)
        names = {each.reviewer: each.name for each in store.reviewers()}
        entries = []
        for row in store.notes():
            if search and not self._has(row.note, search):
                continue
            entries.append(self._entry(reviewer, row, readings.get(row.note, []), names))
        return entries

    def _has(self, note: int, search: str) -> bool:
        document = self.project.content(note).document
        words = search.casefold()
        return words in document.id.casefold() or words in document.text.casefold()

    def _entry(
        self,
        reviewer: Reviewer,
        row: NoteRow,
        readings: Sequence[Reading],
        names: Mapping[int, str],
    ) -> QueueEntry:
        own = [each for each in readings if each.reviewer == reviewer.reviewer]
        stage = self.readings.stage(row, readings)
        open_to = (
            bool(own) or len(readings) < row.readers or self._may_decide(reviewer, row, readings)
        )
        shown = reviewer.role != "reviewer" or row.readers == 1
        return QueueEntry(
            note=row.note,
            characters=row.characters,
            expected_missed=round(row.expected_missed, 3),
            sampled=row.sampled,
            readers=row.readers,
            stage=stage,
            own=own[-1].state if own else None,
            flagged=any(each.flagged for each in (readings if shown else own)),
            open=open_to,
            by=[names[each.reviewer] for each in (readings if shown else own)],
        )


def _same_words(text: str, words: str, _: str) -> Iterator[tuple[int, int]]:
    return same_words(text, words)
