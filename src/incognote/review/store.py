"""What a review keeps, in SQLite or PostgreSQL: notes, who reads them, and every action.

Words of notes are sealed before they come here. Everything else in the tables is numbers, types and
the names of reviewers. An action is saved before it is answered, so that a killed process loses none.

A note has one or two readings, and a third where two readers are brought together. A reading belongs
to who began it. Its `version` is the number of its actions: who acts on an older one is refused.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, delete, insert, select, update
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from incognote.base.errors import UserError
from incognote.review import tables
from incognote.review.marks import Action
from incognote.review.tables import StoreError, engine_of, keep_setting, migrate

State = Literal["open", "done"]
ADJUDICATION = 2
"""The number of the reading in which two others are brought together."""


class ConflictError(UserError):
    """Somebody, or another window, changed the reading first."""


@dataclass(frozen=True)
class NoteRow:
    """A note without its words: where it stands in the queue, and how many read it."""

    note: int
    characters: int
    expected_missed: float
    sampled: bool
    readers: int


@dataclass(frozen=True)
class NewNote:
    """A note to keep; `content` is sealed."""

    fingerprint: str
    patient: str | None
    characters: int
    expected_missed: float
    sampled: bool
    readers: int
    content: bytes


@dataclass(frozen=True)
class Reviewer:
    """Somebody who reads."""

    reviewer: int
    name: str
    role: str
    active: bool


@dataclass(frozen=True)
class Reading:
    """One person's reading of a note."""

    reading: int
    note: int
    number: int
    reviewer: int
    state: State
    flagged: bool
    version: int
    begun: float
    ended: float | None


@dataclass(frozen=True)
class Logged:
    """An action in the log: no words, but places and types."""

    note: int
    reading: int
    number: int
    version: int
    action: Action
    reviewer: int
    at: float


@dataclass(frozen=True)
class Session:
    """A reviewer who has signed in."""

    reviewer: Reviewer
    csrf: str


class Store:
    """The tables of one review."""

    def __init__(self, url: str, *, clock: Callable[[], float] = time.time) -> None:
        self.engine = engine_of(url)
        self._clock = clock
        with self._transaction() as connection:
            migrate(connection)

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        try:
            with self.engine.begin() as connection:
                yield connection
        except IntegrityError:
            raise ConflictError("somebody else was first: look at the note again") from None
        except SQLAlchemyError as error:
            raise StoreError(
                f"the review's database cannot be used ({type(error).__name__})"
            ) from None

    # What the review is.

    def setting(self, name: str) -> Any:
        """A value that was kept by that name; None if there is none."""
        with self._transaction() as connection:
            value = connection.scalar(
                select(tables.project.c.value).where(tables.project.c.name == name)
            )
        return None if value is None else json.loads(value)

    def set(self, name: str, value: Any) -> None:
        """Keep a value."""
        with self._transaction() as connection:
            keep_setting(connection, name, json.dumps(value))

    # Notes.

    def add_notes(self, notes: Iterable[NewNote]) -> None:
        """Keep the notes of a review, the first of the queue first: all of them or none."""
        rows = [{"note": number, **vars(note)} for number, note in enumerate(notes, 1)]
        with self._transaction() as connection:
            if rows:
                connection.execute(insert(tables.notes), rows)

    def notes(self) -> list[NoteRow]:
        """In the order of the queue."""
        with self._transaction() as connection:
            rows = connection.execute(select(*_NOTE).order_by(tables.notes.c.note))
            return [NoteRow(*row) for row in rows]

    def note(self, note: int) -> NoteRow | None:
        """One note by its number."""
        with self._transaction() as connection:
            row = connection.execute(select(*_NOTE).where(tables.notes.c.note == note)).first()
        return None if row is None else NoteRow(*row)

    def content(self, note: int) -> bytes | None:
        """The sealed words of a note."""
        with self._transaction() as connection:
            return connection.scalar(
                select(tables.notes.c.content).where(tables.notes.c.note == note)
            )

    def contents(self) -> Iterator[tuple[int, bytes]]:
        """The sealed words of all notes, one at a time."""
        with self._transaction() as connection:
            numbers = list(
                connection.scalars(select(tables.notes.c.note).order_by(tables.notes.c.note))
            )
        for number in numbers:
            content = self.content(number)
            if content is not None:
                yield number, content

    def notes_of(self, patient: str) -> list[int]:
        """The notes of a patient, whose name is a fingerprint here."""
        with self._transaction() as connection:
            return list(
                connection.scalars(
                    select(tables.notes.c.note)
                    .where(tables.notes.c.patient == patient)
                    .order_by(tables.notes.c.note)
                )
            )

    def fingerprints(self) -> dict[str, int]:
        """From the fingerprint of each note to its number."""
        with self._transaction() as connection:
            rows = connection.execute(select(tables.notes.c.fingerprint, tables.notes.c.note))
            return {row.fingerprint: row.note for row in rows}

    # Reviewers.

    def add_reviewer(self, name: str, role: str, secret: str) -> Reviewer:
        """Let somebody in, whose secret has this digest."""
        values = {"name": name, "role": role, "secret": secret, "active": True}
        with self._transaction() as connection:
            key = connection.execute(insert(tables.reviewers).values(**values)).inserted_primary_key
        assert key is not None
        return Reviewer(int(key[0]), name, role, active=True)

    def reviewers(self) -> list[Reviewer]:
        """Everybody who ever was let in."""
        with self._transaction() as connection:
            rows = connection.execute(select(*_REVIEWER).order_by(tables.reviewers.c.reviewer))
            return [Reviewer(*row) for row in rows]

    def reviewer_of(self, secret: str) -> Reviewer | None:
        """Who has the secret of this digest, and may come in."""
        chosen = select(*_REVIEWER).where(
            tables.reviewers.c.secret == secret, tables.reviewers.c.active
        )
        with self._transaction() as connection:
            row = connection.execute(chosen).first()
        return None if row is None else Reviewer(*row)

    def change_reviewer(self, reviewer: int, **values: Any) -> None:
        """Another role or secret; or no longer let in, with which all sessions end."""
        with self._transaction() as connection:
            connection.execute(
                update(tables.reviewers)
                .where(tables.reviewers.c.reviewer == reviewer)
                .values(**values)
            )
            connection.execute(
                delete(tables.sessions).where(tables.sessions.c.reviewer == reviewer)
            )

    # Sessions, by the digests of their secrets.

    def begin_session(self, session: str, reviewer: int, csrf: str, seconds: float) -> None:
        """Keep a session; those that are over are forgotten."""
        now = self._clock()
        with self._transaction() as connection:
            connection.execute(delete(tables.sessions).where(tables.sessions.c.expires < now))
            values = {"session": session, "reviewer": reviewer, "csrf": csrf}
            connection.execute(insert(tables.sessions).values(**values, expires=now + seconds))

    def session(self, session: str) -> Session | None:
        """The session of this digest, unless it is over."""
        chosen = (
            select(*_REVIEWER, tables.sessions.c.csrf)
            .join_from(tables.sessions, tables.reviewers)
            .where(tables.sessions.c.session == session, tables.sessions.c.expires >= self._clock())
            .where(tables.reviewers.c.active)
        )
        with self._transaction() as connection:
            row = connection.execute(chosen).first()
        return None if row is None else Session(Reviewer(*row[:4]), row[4])

    def end_session(self, session: str) -> None:
        """Forget a session."""
        with self._transaction() as connection:
            connection.execute(delete(tables.sessions).where(tables.sessions.c.session == session))

    # Readings and their actions.

    def readings(self, note: int | None = None) -> list[Reading]:
        """Of a note, or of all, by note and number."""
        chosen = select(*_READING).order_by(tables.readings.c.note, tables.readings.c.number)
        if note is not None:
            chosen = chosen.where(tables.readings.c.note == note)
        with self._transaction() as connection:
            return [Reading(*row) for row in connection.execute(chosen)]

    def begin_reading(self, note: int, number: int, reviewer: int) -> Reading:
        """Make a reading somebody's; ConflictError if it is already somebody else's."""
        values = {"note": note, "number": number, "reviewer": reviewer, "begun": self._clock()}
        with self._transaction() as connection:
            connection.execute(insert(tables.readings).values(**values))
        return next(each for each in self.readings(note) if each.number == number)

    def actions(self, reading: int) -> list[Action]:
        """All that was done in a reading, in order."""
        chosen = (
            select(tables.actions.c.kind, tables.actions.c.changes)
            .where(tables.actions.c.reading == reading)
            .order_by(tables.actions.c.version)
        )
        with self._transaction() as connection:
            rows = connection.execute(chosen).all()
        return [Action.from_json(kind, json.loads(changes)) for kind, changes in rows]

    def act(self, reading: Reading, actions: Sequence[Action], reviewer: int) -> int:
        """Save actions on a reading as it was read; gives its new version.

        ConflictError if it has changed since.
        """
        version = reading.version + len(actions)
        rows = [
            {
                "reading": reading.reading,
                "version": reading.version + number,
                "kind": action.kind,
                "changes": json.dumps(action.to_json()),
                "reviewer": reviewer,
                "at": self._clock(),
            }
            for number, action in enumerate(actions, 1)
        ]
        with self._transaction() as connection:
            changed = connection.execute(
                update(tables.readings)
                .where(
                    tables.readings.c.reading == reading.reading,
                    tables.readings.c.version == reading.version,
                )
                .values(version=version)
            )
            if changed.rowcount != 1:
                raise ConflictError("the note was changed in another window: look at it again")
            if rows:
                connection.execute(insert(tables.actions), rows)
        return version

    def change_reading(self, reading: int, **values: Any) -> None:
        """Its state, its flag or its memo."""
        if values.get("state") == "done":
            values["ended"] = self._clock()
        with self._transaction() as connection:
            connection.execute(
                update(tables.readings).where(tables.readings.c.reading == reading).values(**values)
            )

    def memo(self, reading: int) -> bytes | None:
        """What the reader wrote down, sealed."""
        with self._transaction() as connection:
            return connection.scalar(
                select(tables.readings.c.memo).where(tables.readings.c.reading == reading)
            )

    def log(self) -> Iterator[Logged]:
        """Every action, the oldest first."""
        chosen = (
            select(
                tables.readings.c.note,
                tables.readings.c.reading,
                tables.readings.c.number,
                tables.actions.c.version,
                tables.actions.c.kind,
                tables.actions.c.changes,
                tables.actions.c.reviewer,
                tables.actions.c.at,
            )
            .join_from(tables.actions, tables.readings)
            .order_by(tables.actions.c.at, tables.actions.c.reading, tables.actions.c.version)
        )
        with self._transaction() as connection:
            for note, reading, number, version, kind, changes, reviewer, at in connection.execute(
                chosen
            ):
                action = Action.from_json(kind, json.loads(changes))
                yield Logged(note, reading, number, version, action, reviewer, at)

    # Who saw what.

    def saw(self, reviewer: int, note: int, what: str) -> None:
        """Write down that somebody was shown a note, before they are."""
        values = {"at": self._clock(), "reviewer": reviewer, "note": note, "what": what}
        with self._transaction() as connection:
            connection.execute(insert(tables.access).values(**values))

    def accesses(self) -> Iterator[Mapping[str, Any]]:
        """Who saw which note when, the oldest first."""
        chosen = (
            select(
                tables.access.c.at,
                tables.reviewers.c.name,
                tables.access.c.note,
                tables.access.c.what,
            )
            .join_from(tables.access, tables.reviewers)
            .order_by(tables.access.c.entry)
        )
        with self._transaction() as connection:
            for row in connection.execute(chosen):
                yield dict(row._mapping)


_NOTE = (
    tables.notes.c.note,
    tables.notes.c.characters,
    tables.notes.c.expected_missed,
    tables.notes.c.sampled,
    tables.notes.c.readers,
)
_REVIEWER = (
    tables.reviewers.c.reviewer,
    tables.reviewers.c.name,
    tables.reviewers.c.role,
    tables.reviewers.c.active,
)
_READING = (
    tables.readings.c.reading,
    tables.readings.c.note,
    tables.readings.c.number,
    tables.readings.c.reviewer,
    tables.readings.c.state,
    tables.readings.c.flagged,
    tables.readings.c.version,
    tables.readings.c.begun,
    tables.readings.c.ended,
)
