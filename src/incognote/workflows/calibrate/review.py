"""Which notes to review first: where most identifiers are expected to have been missed."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from incognote.calibration.site_file import read_site
from incognote.detect.detector import Detection
from incognote.detect.suspects import Scales
from incognote.detect.thresholds import unmarked
from incognote.detect.together import detect_many
from incognote.document import Document
from incognote.workflows.run.deid import Advance
from incognote.workflows.run.find import each_note
from incognote.workflows.run.inputs import Input, RunError
from incognote.workflows.run.settings import Settings
from incognote.workflows.run.stream import Work
from incognote.workflows.run.tally import Failure


@dataclass(frozen=True)
class Doubt:
    """How much may have been missed in a note: in numbers, without its text.

    Neighbouring words that nothing marked are one place, since they may be one identifier; a place
    counts with the probability of its likeliest word. `type` is the likeliest type of the most
    doubtful place.
    """

    expected_missed: float
    places: int
    highest: float
    type: str | None


@dataclass(frozen=True)
class Doubter:
    """What each process builds: from a note to how much may have been missed in it."""

    settings: Settings

    def __post_init__(self) -> None:
        if self.settings.choice.model is None:
            raise RunError(
                "--sample-review needs a model (see --model): rules know no probabilities"
            )

    def work(self) -> Work[Doubt]:
        """Built once in each process."""
        detector = self.settings.detector(suspects=True)
        site = self.settings.calibration
        scales = Scales() if site is None else read_site(site).scales

        def doubt(document: Document, found: Detection) -> Doubt:
            return doubt_of(document.text, found, scales)

        return lambda documents: map(doubt, documents, detect_many(detector, documents))


def doubt_of(text: str, found: Detection, scales: Scales) -> Doubt:
    """Over the words that were not marked; `scales` are the site's, where it has any."""
    places: list[tuple[float, str]] = []
    end = -1
    for word in unmarked(found):
        word = scales.rescaled(word)
        if end >= 0 and not text[end : word.start].strip():
            places[-1] = max(places[-1], (word.score, word.type))
        else:
            places.append((word.score, word.type))
        end = word.end
    highest, type = max(places, default=(0.0, None))
    return Doubt(sum(score for score, _ in places), len(places), highest, type)


def for_review(
    inputs: Sequence[Input],
    settings: Settings,
    count: int,
    *,
    advance: Advance = lambda notes, size: None,
) -> Iterator[str | Failure]:
    """JSON lines of the notes where review pays most, the first of equals first; and failures."""
    settings = settings.settled(inputs)
    found: list[tuple[str, Doubt]] = []
    for each in each_note(inputs, settings, Doubter(settings).work, advance=advance):
        if isinstance(each, Failure):
            yield each
        else:
            found.append(each)
    chosen = heapq.nsmallest(count, found, key=lambda note: -note[1].expected_missed)
    for rank, (id, doubt) in enumerate(chosen, 1):
        values = {
            name: round(value, 4) if isinstance(value, float) else value
            for name, value in asdict(doubt).items()
        }
        yield json.dumps({"rank": rank, "id": id, **values}, ensure_ascii=False) + "\n"
