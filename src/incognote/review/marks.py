"""The marks of a note while it is read, and what a reader does to them.

An action is what became of each mark that it touched: as it was, and as it is. So everything can be
undone by the same rule, and the marks of a note follow from those that were detected and the log of
actions. An action has places and types, never the words of a note.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from incognote.base.errors import UserError
from incognote.document import Document, Span

Status = Literal["proposed", "accepted", "rejected", "replaced"]
"""Rejected: a reader said that it is no identifier. Replaced: another mark took its place."""
SHOWN: tuple[Status, ...] = ("proposed", "accepted")
READER = "reader"
"""The source of a mark that a person made."""

Kind = Literal[
    "accept",
    "reject",
    "retype",
    "resize",
    "add",
    "everywhere",
    "person",
    "bulk",
    "undo",
    "redo",
]


class MarkError(UserError):
    """An action that does not fit the note as it is now."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of a note that is an identifier, or was said not to be one."""

    id: int
    start: int
    end: int
    type: str
    score: float
    source: str
    status: Status = "proposed"

    @property
    def is_shown(self) -> bool:
        """Whether it will be replaced."""
        return self.status in SHOWN

    def overlaps(self, start: int, end: int) -> bool:
        """Whether a character of the stretch is its own."""
        return self.start < end and start < self.end

    def to_json(self) -> list[Any]:
        """In a row of plain values."""
        return [self.id, self.start, self.end, self.type, self.score, self.source, self.status]


@dataclass(frozen=True, slots=True)
class Change:
    """A mark as it was before an action, and after it; None: it was not there."""

    before: Mark | None
    after: Mark | None

    @property
    def reversed(self) -> Change:
        """What undoes it."""
        return Change(self.after, self.before)


@dataclass(frozen=True, slots=True)
class Action:
    """What a reader did: one wish, and all the marks that it changed."""

    kind: Kind
    changes: tuple[Change, ...] = ()

    def to_json(self) -> list[Any]:
        """The changes in rows of plain values."""
        return [[side and side.to_json() for side in (c.before, c.after)] for c in self.changes]

    @classmethod
    def from_json(cls, kind: Kind, rows: Iterable[Any]) -> Action:
        """As `to_json` wrote it."""
        return cls(kind, tuple(Change(*(side and Mark(*side) for side in sides)) for sides in rows))


class Marks:
    """The marks of a note after some actions, each of which can be undone."""

    def __init__(self, detected: Iterable[Mark], actions: Iterable[Action] = ()) -> None:
        self._marks = {mark.id: mark for mark in detected}
        self._next = max(self._marks, default=-1) + 1
        self._actions: list[Action] = []
        self._undone: list[Action] = []
        for action in actions:
            self.apply(action)

    def __iter__(self) -> Iterator[Mark]:
        """All marks, also rejected ones, by place."""
        return iter(sorted(self._marks.values(), key=lambda mark: (mark.start, mark.end, mark.id)))

    def __getitem__(self, id: int) -> Mark:
        if id not in self._marks:
            raise MarkError("there is no such mark any more: look at the note again")
        return self._marks[id]

    @property
    def shown(self) -> list[Mark]:
        """Those that will be replaced, by place."""
        return [mark for mark in self if mark.is_shown]

    @property
    def can_undo(self) -> bool:
        """Whether there is an action to undo."""
        return bool(self._actions)

    @property
    def can_redo(self) -> bool:
        """Whether an action was undone, and none came after it."""
        return bool(self._undone)

    def apply(self, action: Action) -> Action:
        """Do an action, or undo or redo one; gives what was done."""
        if action.kind == "undo":
            if not self._actions:
                raise MarkError("there is nothing to undo")
            done = self._actions.pop()
            self._undone.append(done)
            self._change(change.reversed for change in reversed(done.changes))
        elif action.kind == "redo":
            if not self._undone:
                raise MarkError("there is nothing to redo")
            done = self._undone.pop()
            self._actions.append(done)
            self._change(done.changes)
        else:
            done = action
            self._actions.append(action)
            self._undone.clear()
            self._change(action.changes)
        return done

    def _change(self, changes: Iterable[Change]) -> None:
        for change in changes:
            if change.before is not None:
                del self._marks[change.before.id]
            if change.after is not None:
                self._marks[change.after.id] = change.after
                self._next = max(self._next, change.after.id + 1)

    def accepted(self, id: int) -> Action:
        """A mark accepted; those that have its place meanwhile give way."""
        mark = self[id]
        if mark.status == "accepted":
            return Action("accept")
        return Action("accept", self._changed(mark, status="accepted"))

    def rejected(self, id: int) -> Action:
        """A mark that is no identifier."""
        mark = self[id]
        if mark.status == "rejected":
            return Action("reject")
        return Action("reject", (Change(mark, replace(mark, status="rejected")),))

    def all_accepted(self, type: str | None, least: float) -> Action:
        """All proposed marks of a type, or of any, that are as likely as that."""
        chosen = (
            mark
            for mark in self
            if mark.status == "proposed" and mark.score >= least and type in (None, mark.type)
        )
        changes = (Change(mark, replace(mark, status="accepted")) for mark in chosen)
        return Action("bulk", tuple(changes))

    def retyped(self, id: int, type: str) -> Action:
        """A mark of another type, accepted by that."""
        return Action("retype", self._changed(self[id], type=type, status="accepted"))

    def resized(self, id: int, start: int, end: int) -> Action:
        """A mark over another stretch, accepted by that."""
        changed = self._changed(self[id], start=start, end=end, status="accepted")
        return Action("resize", changed)

    def _changed(self, mark: Mark, **values: Any) -> tuple[Change, ...]:
        """A shown mark with other values, and those that it meets giving way."""
        after = replace(mark, **values)
        return (*self._giving_way(after.start, after.end, mark.id), Change(mark, after))

    def added(self, places: Sequence[tuple[int, int, str]], kind: Kind = "add") -> Action:
        """New marks; those that they meet give way, and a mark that is there already is accepted."""
        changes: dict[int, Change] = {}
        new: list[Change] = []
        for start, end, type in places:
            same = next((m for m in self if (m.start, m.end, m.type) == (start, end, type)), None)
            for change in self._giving_way(start, end, None if same is None else same.id):
                assert change.before is not None
                changes[change.before.id] = change
            if same is None:
                mark = Mark(self._next + len(new), start, end, type, 1.0, READER, "accepted")
                new.append(Change(None, mark))
            elif same.status != "accepted":
                changes[same.id] = Change(same, replace(same, status="accepted"))
        return Action(kind, (*changes.values(), *new))

    def _giving_way(self, start: int, end: int, but: int | None) -> Iterator[Change]:
        for mark in self.shown:
            if mark.id != but and mark.overlaps(start, end):
                yield Change(mark, replace(mark, status="replaced"))

    def document(self, document: Document) -> Document:
        """The note with the marks that will be replaced."""
        text = document.text
        return document.with_spans(
            Span.of(text, m.start, m.end, m.type, score=m.score, source=m.source)
            for m in self.shown
        )


def detected_marks(spans: Iterable[Span]) -> list[Mark]:
    """What detection found, as the marks that a reader begins with."""
    return [
        Mark(number, span.start, span.end, span.type, span.score, span.source)
        for number, span in enumerate(spans)
    ]


def check_stretch(text: str, start: int, end: int) -> None:
    """Refuse a stretch that is not in the note, or has nothing but white space."""
    if not (0 <= start < end <= len(text)):
        raise MarkError("the stretch is not in the note")
    if not text[start:end].strip():
        raise MarkError("the stretch has no letter, digit or sign")
