"""From notes to a review: read, detected, ranked by expected misses, and the sample drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from incognote.base.errors import RunError
from incognote.calibration import read_calibration
from incognote.corpus.review_order import Doubt, doubt_of
from incognote.detect.detector import Detection, detect_many
from incognote.detect.merge import merge
from incognote.detect.uncertain import Scales
from incognote.document import Document
from incognote.review.project import (
    Content,
    Doubtful,
    Project,
    discard_project,
    keep_project,
    make_project,
)
from incognote.review.sample import Place, SamplePlan, queue
from incognote.review.store import NewNote
from incognote.runs.audit import Failure
from incognote.runs.find import each_note
from incognote.runs.inputs import Input
from incognote.runs.pool import Work
from incognote.runs.settings import Settings
from incognote.runs.settings_record import describe
from incognote.runs.stream import Advance


@dataclass(frozen=True)
class _Look:
    """What is sent to each process: it marks notes, and says what it left in doubt."""

    settings: Settings

    def work(self) -> Work[tuple[Document, Doubt]]:
        """The function that each process makes once, and calls with notes."""
        with_model = self.settings.choice.model is not None
        detector = self.settings.detector(uncertain=with_model)
        path = self.settings.calibration
        scales = Scales() if path is None else read_calibration(path).scales

        def look(document: Document, detection: Detection) -> tuple[Document, Doubt]:
            spans = merge(document.text, [*detection.spans, *document.spans])
            return document.with_spans(spans), doubt_of(document.text, detection, scales)

        return lambda documents: map(look, documents, detect_many(detector, documents))


@dataclass(frozen=True)
class Started:
    """A review that was begun, and the notes that could not be read."""

    project: Project
    notes: int
    sample: int
    failures: Sequence[Failure]


def start_review(
    inputs: Sequence[Input],
    settings: Settings,
    plan: SamplePlan,
    folder: Path,
    key: bytes,
    *,
    database: str | None = None,
    paths: Sequence[str] = (),
    options: Sequence[str] = (),
    reading: Sequence[str] = (),
    advance: Advance = lambda notes, size: None,
) -> Started:
    """Make a review of all notes of the inputs; nothing is left of one that cannot be made.

    paths, options, reading: what was given on the command line of the notes, of finding and replacing,
        and of reading, with which the notes will be released.
    """
    settings = settings.settled(inputs)
    settings.check()
    noted: list[tuple[Document, Doubt]] = []
    failures: list[Failure] = []
    for each in each_note(inputs, settings, _Look(settings).work, advance=advance):
        if isinstance(each, Failure):
            failures.append(each)
        else:
            id, (document, doubt) = each
            noted.append((replace(document, id=id), doubt))
    if not noted:
        raise RunError("there is no note to review")
    project = make_project(
        folder,
        key,
        database=database,
        described={
            **_described(inputs, settings, plan),
            "paths": list(paths),
            "options": list(options),
            "reading": list(reading),
        },
    )
    places = queue([doubt.expected_missed for _, doubt in noted], plan)
    try:
        _fill(project, noted, places)
    except BaseException:
        discard_project(project)
        raise
    return Started(project, len(noted), sum(place.sampled for place in places), failures)


def _fill(
    project: Project, noted: Sequence[tuple[Document, Doubt]], places: Sequence[Place]
) -> None:
    project.store.add_notes(
        _new_note(
            project, number, *noted[place.index], sampled=place.sampled, readers=place.readers
        )
        for number, place in enumerate(places, 1)
    )
    keep_project(project)


def _new_note(
    project: Project, number: int, document: Document, doubt: Doubt, *, sampled: bool, readers: int
) -> NewNote:
    content = Content(
        document,
        tuple(Doubtful(each.start, each.end, each.type, each.score) for each in doubt.doubtful),
    )
    patient = document.patient
    return NewNote(
        fingerprint=project.seal.fingerprint(document.text),
        patient=None if patient is None else project.seal.fingerprint(patient),
        characters=len(document.text),
        expected_missed=doubt.expected_missed,
        sampled=sampled,
        readers=readers,
        content=project.seal.close_note(content, number),
    )


def _described(inputs: Sequence[Input], settings: Settings, plan: SamplePlan) -> dict[str, Any]:
    first = inputs[0].path.resolve()
    return {
        "name": first.name if len(inputs) == 1 else first.parent.name,
        "settings": describe(settings),
        "replacement": settings.replace or (settings.policy.name if settings.policy else "tag"),
        "risk": plan.allowed_risk,
        "confidence": plan.confidence,
        "double": plan.double,
        "seed": plan.seed,
    }
