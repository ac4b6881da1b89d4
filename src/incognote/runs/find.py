"""Find identifiers in files, and write their places without any text."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Literal, TypeVar

from incognote.detect.detector import Detection, detect_many
from incognote.document import Document, Span
from incognote.formats.container import BadRecord, Record
from incognote.formats.streams import readable
from incognote.runs.audit import Failure
from incognote.runs.inputs import Input
from incognote.runs.outputs import suffix_of
from incognote.runs.pool import NoteError, Work
from incognote.runs.settings import Settings
from incognote.runs.stream import Advance, Broken, Ended, Event, Opened, events, work_through

Outcome = TypeVar("Outcome")
Offsets = Literal["codepoints", "utf8", "utf16"]
_WIDTH: dict[Offsets, Callable[[str], int]] = {
    "utf8": lambda character: len(character.encode("utf-8", "surrogatepass")),
    "utf16": lambda character: 2 if character > "\uffff" else 1,
}


def offset_table(text: str, offsets: Offsets) -> Callable[[int], int]:
    """From an offset in code points to one in UTF-8 bytes or UTF-16 units."""
    width = _WIDTH.get(offsets)
    if width is None or text.isascii():
        return lambda offset: offset
    wide = [place for place, character in enumerate(text) if width(character) > 1]
    extra = [0, *accumulate(width(text[place]) - 1 for place in wide)]
    return lambda offset: offset + extra[bisect_left(wide, offset)]


@dataclass(frozen=True)
class Finder:
    """What each process builds: from a note to its spans as plain rows."""

    settings: Settings
    offsets: Offsets = "codepoints"

    def work(self) -> Work[list[dict[str, Any]]]:
        """Built once in each process."""
        detector = self.settings.detector()

        def find(document: Document, detection: Detection) -> list[dict[str, Any]]:
            at = offset_table(document.text, self.offsets)
            return [_row(span, at) for span in detection.spans]

        return lambda documents: map(find, documents, detect_many(detector, documents))


def _row(span: Span, at: Callable[[int], int]) -> dict[str, Any]:
    return {
        "start": at(span.start),
        "end": at(span.end),
        "type": span.type,
        "score": round(span.score, 4),
        "source": span.source,
    }


def find_files(
    inputs: Sequence[Input],
    settings: Settings,
    *,
    offsets: Offsets = "codepoints",
    advance: Advance = lambda notes, size: None,
    live: Generator[Event] | None = None,
) -> Iterator[str | Failure]:
    """One JSON line per note, `{"id", "spans"}`, and the failures among them.

    `live`: the notes as they come, instead of those of files.
    """
    settings = settings.settled(inputs)
    unit = {} if offsets == "codepoints" else {"offsets": offsets}
    for each in each_note(
        inputs, settings, Finder(settings, offsets).work, advance=advance, live=live
    ):
        if isinstance(each, Failure):
            yield each
        else:
            id, spans = each
            yield json.dumps({"id": id, **unit, "spans": spans}, ensure_ascii=False) + "\n"


def each_note(
    inputs: Sequence[Input],
    settings: Settings,
    make_work: Callable[[], Work[Outcome]],
    *,
    advance: Advance = lambda notes, size: None,
    live: Generator[Event] | None = None,
    id_problem: Callable[[str], str | None] = lambda id: None,
) -> Iterator[tuple[str, Outcome] | Failure]:
    """The id of each note and what the work made of it, and the failures among them.

    `id_problem`: why a note of this id must fail, if it must.
    """
    settings.check(replaces=False)
    stream = live or events(inputs, settings.fields, settings.format)
    current: Opened | None = None
    with closing(
        work_through(stream, make_work, settings.workers, live=live is not None)
    ) as results:
        for event, outcomes in results:
            match event:
                case Opened():
                    current = event
                case Record():
                    assert current is not None
                    for result in _results(current, event, outcomes, len(inputs) > 1):
                        if not isinstance(result, Failure) and (reason := id_problem(result[0])):
                            result = Failure(current.input.index, event.place, reason)
                        yield result
                    advance(len(outcomes), sum(len(document.text) for document in event.documents))
                case BadRecord():
                    assert current is not None
                    yield Failure(current.input.index, event.error.place, event.error.reason)
                case Broken():
                    yield Failure(event.input.index, event.place, event.reason)
                case Ended():
                    pass


def _results(
    file: Opened, record: Record, outcomes: Iterable[Outcome | NoteError], several: bool
) -> Iterator[tuple[str, Outcome] | Failure]:
    for document, outcome in zip(record.documents, outcomes, strict=True):
        if isinstance(outcome, NoteError):
            yield Failure(file.input.index, record.place, outcome.reason)
        else:
            yield document.id if record.has_own_ids else _id(file, document, several), outcome


def _id(file: Opened, document: Document, several: bool) -> str:
    """The id that `formats.read` gives: the note's place in the tree, without the ending."""
    path = file.input.relative
    place = readable(path.as_posix().removesuffix(suffix_of(path)))
    if not file.format.table:
        return place
    return f"{place}/{document.id}" if several else document.id
