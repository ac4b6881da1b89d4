"""Notes as they come: a JSON line in, a JSON line out at once."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path, PurePath
from typing import BinaryIO

from incognote.base.errors import kind_of_error
from incognote.formats.container import BadRecord, Record
from incognote.formats.fields import Fields
from incognote.formats.format_error import FormatError
from incognote.formats.jsonl import Jsonl, JsonlSource
from incognote.runs.audit import Audit, Failure, Tally
from incognote.runs.date_columns import DateFields
from incognote.runs.inputs import Input
from incognote.runs.pool import NoteError
from incognote.runs.settings import Cleaned, Settings
from incognote.runs.stream import Advance, Broken, Ended, Event, Opened, file_events, work_through

STANDARD_INPUT = Input(1, Path("-"), PurePath("-"))
_JSONL = Jsonl()


def can_stream(format: str | None, fields: Fields) -> bool:
    """Whether notes of this format can be answered as they come: JSON lines, which are UTF-8."""
    return format == "jsonl" and (fields.encoding or "utf-8").lower() in ("utf-8", "utf8")


def line_events(lines: BinaryIO, fields: Fields) -> Generator[Event]:
    """The records of a stream of JSON lines, each as soon as its line is there."""
    return file_events(STANDARD_INPUT, _JSONL, JsonlSource(lines, fields))


def deid_lines(
    lines: BinaryIO,
    settings: Settings,
    write: Callable[[bytes], None],
    report: Callable[[Failure], None],
    advance: Advance = lambda notes, size: None,
) -> Audit:
    """De-identify JSON lines. One that fails is told of and not written; the others go on."""
    settings.check()
    settings = settings.settled([])
    audit, tally = Audit(settings, files=1), Tally()

    def fail(place: str, reason: str) -> None:
        tally.add_failure(place, reason)
        report(Failure(STANDARD_INPUT.index, place, reason))

    events = line_events(lines, settings.fields)
    if settings.moves_dates:
        events = _without_dates(
            events, DateFields(settings.fields, frozenset(settings.keep_columns))
        )
    notes = settings.assign(events)
    with closing(work_through(notes, settings.cleaner, settings.workers, live=True)) as results:
        for event, outcomes in results:
            match event:
                case Record():
                    try:
                        record = replace(event, marks=settings.with_spans)
                        write(_line(record, outcomes, tally))
                    except FormatError as error:
                        fail(event.place, error.reason)
                    advance(len(event.notes), sum(len(note.text) for note in event.documents))
                case BadRecord():
                    fail(event.error.place, event.error.reason)
                case Broken():
                    fail(event.place, event.reason)
                case Opened() | Ended():
                    pass
    audit.add_file(STANDARD_INPUT, tally)
    audit.stop()
    return audit


def _without_dates(events: Generator[Event], dates: DateFields) -> Generator[Event]:
    """The events, with a bad record for one whose dates would tell how far others were moved."""
    with closing(events):
        for event in events:
            if isinstance(event, Record):
                try:
                    dates.check(event)
                except FormatError as error:
                    event = BadRecord(error.within(event.place))
            yield event


def _line(record: Record, outcomes: Sequence[Cleaned | NoteError], tally: Tally) -> bytes:
    """What may leave of a record; FormatError if nothing may."""
    cleaned: list[Cleaned] = []
    for outcome in outcomes:
        if isinstance(outcome, NoteError):
            raise FormatError(outcome.reason)
        cleaned.append(outcome)
    try:
        outputs = _JSONL.written(record, tuple(note.output for note in cleaned))
        line = b"".join(_JSONL.render_files(record, outputs))
        for original, output, note in zip(record.documents, outputs, cleaned, strict=True):
            tally.add_note(original, output, note.seen, note.remarks)
    except FormatError:
        raise
    except Exception as error:
        raise FormatError(f"could not be written ({kind_of_error(error)})") from None
    return line
