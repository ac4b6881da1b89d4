"""Evidence from all notes of an annotated corpus, as a run reads them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

from incognote.base.errors import CalibrationError
from incognote.corpus.calibrate.evidence import Evidence, evidence
from incognote.formats.container import BadRecord, Record
from incognote.runs.deid import Advance
from incognote.runs.inputs import Input
from incognote.runs.pool import NoteError, Work
from incognote.runs.settings import Settings
from incognote.runs.stream import Broken, Ended, Opened, events, through


@dataclass(frozen=True)
class Gathered:
    """The notes in their order, and how many are of a patient who had one before."""

    notes: tuple[Evidence, ...]
    of_known_patients: int


@dataclass(frozen=True)
class Judge:
    """What each process builds: from an annotated note to its evidence."""

    settings: Settings

    def work(self) -> Work[Evidence]:
        """Built once in each process."""
        detector = self.settings.detector(suspects=True)
        return lambda documents: evidence(documents, detector)


def gather(
    inputs: Sequence[Input],
    settings: Settings,
    *,
    advance: Advance = lambda notes, size: None,
) -> Gathered:
    """All notes or an error: notes left out for some reason are not like the ones that stay."""
    settings.check()
    settings = settings.settled(inputs)
    notes: list[Evidence] = []
    patients: list[str] = []
    stream = events(inputs, settings.fields, settings.format)
    index = 0
    with closing(through(stream, Judge(settings).work, settings.workers)) as results:
        for event, outcomes in results:
            match event:
                case Opened():
                    index = event.input.index
                case BadRecord():
                    _refuse(index, event.error.place, event.error.reason)
                case Broken():
                    _refuse(event.input.index, event.place, event.reason)
                case Record():
                    for outcome in outcomes:
                        if isinstance(outcome, NoteError):
                            _refuse(index, event.place, outcome.reason)
                        else:
                            notes.append(outcome)
                    patients += [each.patient for each in event.documents if each.patient]
                    advance(len(outcomes), sum(len(each.text) for each in event.documents))
                case Ended():
                    pass
    return Gathered(tuple(notes), len(patients) - len(set(patients)))


def _refuse(input: int, place: str, reason: str) -> None:
    where = f"input {input}, {place}" if place else f"input {input}"
    raise CalibrationError(f"{where}: {reason}; mend or remove the note, then calibrate again")
