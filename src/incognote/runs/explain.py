"""Explain what is found in the notes of files: why it was marked, and what was left."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from incognote.base.errors import RunError
from incognote.document import Document
from incognote.runs.audit import Failure
from incognote.runs.find import Offsets, each_note, offset_table
from incognote.runs.inputs import Input
from incognote.runs.pool import Work
from incognote.runs.settings import Settings
from incognote.runs.stream import Advance, Event

Row = tuple[str, str, str, str]
"""Place, what it is, why, and the text if it was asked for."""


@dataclass(frozen=True)
class ExplainOptions:
    """How notes are explained: from which confidence on words are listed, and whether text is shown.

    `floor` None: as `detect.explain` has it.
    """

    floor: float | None = None
    with_text: bool = False
    offsets: Offsets = "codepoints"

    def __post_init__(self) -> None:
        if self.floor is not None:
            from incognote.detect.uncertain import FLOOR

            if not FLOOR <= self.floor <= 1:
                raise RunError(
                    f"--left-from {self.floor:g}: choose from {FLOOR:g} to 1; of less likely words "
                    "the model keeps nothing"
                )


@dataclass(frozen=True)
class _ExplainWork:
    """What is sent to each process: it explains notes, as JSON or as rows for people."""

    settings: Settings
    options: ExplainOptions
    as_rows: bool

    def work(self) -> Work[Any]:
        """The function that each process makes once, and calls with notes."""
        from incognote.detect.explain import LEFT_FROM, explain
        from incognote.detect.finder import Finder

        finder, options = self.settings.detector(), self.options
        assert isinstance(finder, Finder)
        floor = LEFT_FROM if options.floor is None else options.floor
        fields = _fields_by_type(self.settings.fields.known)

        def explained(document: Document) -> Any:
            explanation = explain(finder, document, floor=floor)
            if self.as_rows:
                return list(explanation.rows(with_text=options.with_text))
            at = offset_table(document.text, options.offsets)
            note = explanation.to_dict(at, with_text=options.with_text)
            _name_fields(note["spans"], document, fields)
            return note

        return lambda documents: map(explained, documents)


def explain_files(
    inputs: Sequence[Input],
    settings: Settings,
    options: ExplainOptions,
    *,
    advance: Advance = lambda notes, size: None,
    live: Generator[Event] | None = None,
) -> Iterator[str | Failure]:
    """One JSON line per note: `find`'s, with why each span is there, what was dropped and what left."""
    unit = {} if options.offsets == "codepoints" else {"offsets": options.offsets}
    for each in _each(inputs, settings, options, False, advance, live):
        if isinstance(each, Failure):
            yield each
        else:
            id, note = each
            yield json.dumps({"id": id, **unit, **note}, ensure_ascii=False) + "\n"


def explain_for_people(
    inputs: Sequence[Input],
    settings: Settings,
    options: ExplainOptions,
    *,
    advance: Advance = lambda notes, size: None,
    live: Generator[Event] | None = None,
) -> Iterator[tuple[str, list[Row]] | Failure]:
    """The id of each note, and rows to show."""
    return _each(inputs, settings, options, True, advance, live)


def _each(
    inputs: Sequence[Input],
    settings: Settings,
    options: ExplainOptions,
    as_rows: bool,
    advance: Advance,
    live: Generator[Event] | None,
) -> Iterator[tuple[str, Any] | Failure]:
    settings = settings.settled(inputs)
    work: Callable[[], Work[Any]] = _ExplainWork(settings, options, as_rows).work
    return each_note(inputs, settings, work, advance=advance, live=live)


def _fields_by_type(known: Mapping[str, str]) -> dict[str, str]:
    """The field of each type that one field only has."""
    types = list(known.values())
    return {type: name for name, type in known.items() if types.count(type) == 1}


def _name_fields(
    spans: Iterable[dict[str, Any]], document: Document, fields: Mapping[str, str]
) -> None:
    """Say of known values which field they come from, where that is certain."""
    for reason in (reason for span in spans for reason in span["why"]):
        types = [document.known[number - 1][0] for number in reason.get("values", ())]
        names = [fields[type] for type in types if type in fields]
        if names:
            reason["fields"] = names
