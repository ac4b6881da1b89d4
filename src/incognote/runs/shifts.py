"""Shifts of dates that were decided elsewhere: by a field of the table, or by a file of patients and days.

Every note must have one, and a patient only one; a note without fails, so that no dates are moved in
two ways in one release. What is said of a mistake names its place, never the patient or the days.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Generator, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from incognote.base.errors import RunError, reason_of
from incognote.document import Document, DocumentError, parse_shift
from incognote.formats.container import BadRecord, Record
from incognote.formats.format_error import FormatError
from incognote.formats.tables import read_table
from incognote.runs.stream import Event

PATIENT, DAYS = "patient", "days"
"""The columns of a file of shifts; where the header has not both, they are its first two."""


@dataclass
class Shifts:
    """The shift of every note: that of its row, or of its patient in `by_patient`."""

    by_patient: Mapping[str, int] | None = field(default=None, repr=False)
    _seen: dict[bytes, int] = field(default_factory=dict, repr=False)

    def assign(self, stream: Generator[Event]) -> Generator[Event]:
        """The stream with a shift for every note; where there is none, or two, a bad record."""
        with closing(stream):
            for event in stream:
                if isinstance(event, Record):
                    try:
                        notes = tuple(map(self._with_shift, event.documents))
                        event = replace(event, documents=notes)
                    except FormatError as error:
                        event = BadRecord(error.within(event.place))
                yield event

    def remember(self, stream: Iterable[Event]) -> None:
        """Learn the shifts of rows that an earlier run has written."""
        if self.by_patient is not None:
            return
        for event in stream:
            for note in event.documents if isinstance(event, Record) else ():
                if note.patient and note.shift is not None:
                    self._seen.setdefault(_hashed(note.patient), note.shift)

    def _with_shift(self, note: Document) -> Document:
        if not note.patient:
            raise FormatError("it does not tell its patient, whose dates are moved by given days")
        if self.by_patient is not None:
            days = self.by_patient.get(note.patient.strip())
            if days is None:
                raise FormatError("its patient is not in the file of --shift-file")
            return replace(note, shift=days)
        if note.shift is None:
            raise FormatError("it has no field with the days of --shift-field")
        if self._seen.setdefault(_hashed(note.patient), note.shift) != note.shift:
            raise FormatError("its patient has other days in --shift-field of an earlier note")
        return note


def _hashed(patient: str) -> bytes:
    return hashlib.blake2b(patient.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def read_shifts(path: Path) -> Mapping[str, int]:
    """From each patient of a file to the days; RunError names the line of what is wrong."""
    try:
        status = path.stat()
    except OSError as error:
        raise RunError(f"{path}: the shifts cannot be read: {reason_of(error)}") from None
    return _read_shifts(path, f"{status.st_size}-{status.st_mtime_ns}")


def fingerprint(path: Path, key: bytes | None) -> str | None:
    """Changes with the file. It is keyed: the few shifts of a small file could be guessed."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise RunError(f"{path}: the shifts cannot be read: {reason_of(error)}") from None
    return hmac.digest(key, b"incognote shifts\0" + content, "sha256").hex()[:16] if key else None


@lru_cache(maxsize=1)
def _read_shifts(path: Path, stamp: str) -> Mapping[str, int]:
    try:
        return dict(_rows(path))
    except FormatError as error:
        line = error.place.removeprefix("line ")
        raise RunError(f"{path}{':' + line if line else ''}: {error.reason}") from None
    except OSError as error:
        raise RunError(f"{path}: the shifts cannot be read: {reason_of(error)}") from None


def _rows(path: Path) -> Generator[tuple[str, int]]:
    table = read_table(path, (PATIENT, DAYS))
    names = table.names
    if len(names) < 2:
        raise FormatError(f"needs a header and two columns, {PATIENT} and {DAYS}", "line 1")
    named = names.count(PATIENT) == names.count(DAYS) == 1
    columns = (names.index(PATIENT), names.index(DAYS)) if named else (0, 1)
    earlier: dict[str, int] = {}
    for line, values in table.rows:
        place = f"line {line}"
        if len(values) != len(names):
            raise FormatError(f"{len(values)} fields where the header has {len(names)}", place)
        patient, text = values[columns[0]].strip(), values[columns[1]]
        if not patient:
            raise FormatError("no patient", place)
        try:
            days = parse_shift(text)
        except DocumentError as error:
            raise FormatError(str(error), place) from None
        if earlier.setdefault(patient, days) != days:
            raise FormatError("other days than an earlier line has for the same patient", place)
        yield patient, days
    if not earlier:
        raise FormatError("has no patients below its header")
