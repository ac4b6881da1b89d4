"""What a run would read: every file opened and every note counted, none searched, nothing written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from incognote.formats.container import BadRecord, Record
from incognote.runs.deid import Advance
from incognote.runs.inputs import Input
from incognote.runs.settings import Settings
from incognote.runs.stream import Broken, Opened, events
from incognote.runs.tally import Failure


@dataclass
class Rehearsal:
    """Counts of files and notes by format, and what could not be read."""

    files: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    characters: int = 0
    without_patient: int = 0
    patients: set[str] = field(default_factory=set, repr=False)
    failures: list[Failure] = field(default_factory=list)


def rehearse(
    inputs: Sequence[Input], settings: Settings, advance: Advance = lambda notes, size: None
) -> Rehearsal:
    """Read everything once."""
    seen = Rehearsal()
    file: Opened | None = None
    for event in settings.patients.told(events(inputs, settings.fields, settings.format)):
        match event:
            case Opened():
                file = event
                seen.files[event.format.name] += 1
            case Record() if file is not None:
                _count(seen, event, file.format.name)
                advance(len(event.documents), sum(len(note.text) for note in event.documents))
            case BadRecord() if file is not None:
                seen.failures.append(
                    Failure(file.input.index, event.error.place, event.error.reason)
                )
            case Broken():
                seen.failures.append(Failure(event.input.index, event.place, event.reason))
    return seen


def _count(seen: Rehearsal, record: Record, format: str) -> None:
    for note in record.documents:
        seen.notes[format] += 1
        seen.characters += len(note.text)
        if note.patient:
            seen.patients.add(note.patient)
        else:
            seen.without_patient += 1
