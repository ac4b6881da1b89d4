"""Which notes to review first: where most identifiers are expected to have been missed."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace

from incognote.base.errors import RunError
from incognote.calibration import read_calibration
from incognote.detect.detector import Detection, detect_many
from incognote.detect.thresholds import unmarked
from incognote.detect.uncertain import Scales
from incognote.document import Document
from incognote.runs.audit import Failure
from incognote.runs.find import Offsets, each_note, offset_table
from incognote.runs.inputs import Input
from incognote.runs.pool import Work
from incognote.runs.settings import Settings
from incognote.runs.stream import Advance

MOST_PLACES = 20
"""Of a note with more doubtful places than that, the likeliest are named."""


@dataclass(frozen=True)
class DoubtfulPlace:
    """Words that nothing marked, the type they may be of, and the probability of the likeliest."""

    start: int
    end: int
    type: str
    score: float


@dataclass(frozen=True)
class Doubt:
    """How much may have been missed in a note: in numbers, without its text.

    Neighbouring words that nothing marked are one place, since they may be one identifier; a place
    counts with the probability of its likeliest word. `type` is the likeliest type of the most
    doubtful place. `doubtful` has the most doubtful places, in the order of the note.
    """

    expected_missed: float
    places: int
    highest: float
    type: str | None
    doubtful: tuple[DoubtfulPlace, ...]


@dataclass(frozen=True)
class _ReviewWork:
    """What is sent to each process: it says how much may have been missed in notes."""

    settings: Settings
    offsets: Offsets = "codepoints"

    def __post_init__(self) -> None:
        if self.settings.choice.model is None:
            raise RunError(
                "--sample-review needs a model (see --model): rules know no probabilities"
            )

    def work(self) -> Work[Doubt]:
        """The function that each process makes once, and calls with notes."""
        detector = self.settings.detector(uncertain=True)
        path = self.settings.calibration
        scales = Scales() if path is None else read_calibration(path).scales

        def doubt(document: Document, detection: Detection) -> Doubt:
            return doubt_of(document.text, detection, scales, self.offsets)

        return lambda documents: map(doubt, documents, detect_many(detector, documents))


def doubt_of(
    text: str, detection: Detection, scales: Scales, offsets: Offsets = "codepoints"
) -> Doubt:
    """How much may have been missed, over the words that nothing marked; `scales` are the site's."""
    at = offset_table(text, offsets)
    places: list[DoubtfulPlace] = []
    for word in map(scales.rescaled, unmarked(detection)):
        place = DoubtfulPlace(word.start, word.end, word.type, word.score)
        if places and not text[places[-1].end : word.start].strip():
            place = _join(places.pop(), place)
        places.append(place)
    likeliest = heapq.nlargest(MOST_PLACES, places, key=lambda place: place.score)
    doubtful = tuple(
        replace(place, start=at(place.start), end=at(place.end), score=round(place.score, 4))
        for place in sorted(likeliest, key=lambda place: place.start)
    )
    highest, type = max(((place.score, place.type) for place in places), default=(0.0, None))
    return Doubt(sum(place.score for place in places), len(places), highest, type, doubtful)


def _join(left: DoubtfulPlace, right: DoubtfulPlace) -> DoubtfulPlace:
    likelier = max(left, right, key=lambda place: (place.score, place.type))
    return replace(likelier, start=left.start, end=right.end)


def review_order(
    inputs: Sequence[Input],
    settings: Settings,
    count: int,
    *,
    offsets: Offsets = "codepoints",
    advance: Advance = lambda notes, size: None,
) -> Iterator[str | Failure]:
    """JSON lines of the notes where review pays most, the first of equals first; and failures."""
    settings = settings.settled(inputs)
    doubts: list[tuple[str, Doubt]] = []
    for each in each_note(inputs, settings, _ReviewWork(settings, offsets).work, advance=advance):
        if isinstance(each, Failure):
            yield each
        else:
            doubts.append(each)
    first = heapq.nsmallest(count, doubts, key=lambda note: -note[1].expected_missed)
    for rank, (id, doubt) in enumerate(first, 1):
        values = {
            name: round(value, 4) if isinstance(value, float) else value
            for name, value in asdict(doubt).items()
        }
        unit = {} if offsets == "codepoints" else {"offsets": offsets}
        row = {"rank": rank, "id": id, **unit, **values}
        yield json.dumps(row, ensure_ascii=False) + "\n"
