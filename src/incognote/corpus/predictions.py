"""Gold and predicted notes from files of any format, or from what `find` wrote."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from incognote.base.errors import RunError
from incognote.document import GOLD, Document
from incognote.evaluate import Mark, Marks
from incognote.formats import Fields, FormatError, detect, inputs, read
from incognote.formats.encoding import UTF8, UTF8_MARK
from incognote.formats.json_object import Number, Object
from incognote.formats.jsonl import place_of
from incognote.formats.streams import lines, open_bytes, readable

PREDICTED = "predicted"
"""The detector of spans whose file names none."""


def read_gold(path: Path, format: str | None, fields: Fields) -> list[Document]:
    """The annotated notes; a file or folder without any is an error."""
    return _read(path, format, fields)


def read_predicted(path: Path, format: str | None, fields: Fields) -> list[Document | Marks]:
    """Notes with predicted spans, or the spans alone where the file has no texts."""
    if _holds_marks(path, format, fields):
        return list(_marks(path))
    return [_as_predicted(document) for document in _read(path, format, fields)]


def _read(path: Path, format: str | None, fields: Fields) -> list[Document]:
    try:
        notes = list(read(path, format, fields))
    except FormatError as error:
        if not path.is_dir():
            raise
        raise FormatError(error.reason, _place_by_number(path, format, error.place)) from None
    if not notes:
        raise RunError(f"{path}: no notes here")
    return notes


def _place_by_number(folder: Path, format: str | None, place: str) -> str:
    """The place with the file's number, in the order of paths: a file's name may be PHI."""
    for count, file in enumerate(inputs(folder, format), 1):
        name = readable(str(file))
        if place == name or place.startswith(f"{name}, "):
            return f"{folder}, file {count}{place.removeprefix(name)}"
    return str(folder)


def _as_predicted(document: Document) -> Document:
    """The note with spans that do not pass for gold: their source is `predicted`."""
    return document.with_spans(
        replace(span, source=PREDICTED) if span.source == GOLD else span for span in document.spans
    )


def _holds_marks(path: Path, format: str | None, fields: Fields) -> bool:
    """Whether the first line of a JSONL file has spans but no note."""
    if path.is_dir() or format not in (None, "jsonl"):
        return False
    try:
        if detect(path, format).name != "jsonl":
            return False
        first = next(_objects(path), None)
    except FormatError:
        return False
    texts = fields.text or ("text",)
    return (
        first is not None and "spans" in first[1].values and not set(texts) & set(first[1].values)
    )


def _objects(path: Path) -> Iterator[tuple[str, Object]]:
    """The lines that are not blank, each with its place."""
    with closing(open_bytes(path)) as stream:
        for count, line in enumerate(lines(stream), 1):
            if body := line.removeprefix(UTF8_MARK if count == 1 else b"").strip(b" \t\r\n"):
                place = f"{path}, line {count}"
                try:
                    yield place, Object.parse(UTF8.decode(body, 0))
                except FormatError as error:
                    raise error.within(place) from None


def _marks(path: Path) -> Iterator[Marks]:
    for place, line in _objects(path):
        try:
            id = line.string("id", required=True)
            spans = line.get("spans")
            if not isinstance(spans, list):
                raise FormatError("the spans are not a list")
            if (unit := line.get("offsets") or "codepoints") != "codepoints":
                raise FormatError(f"the offsets count {unit} units: find again without --offsets")
            yield Marks(str(id), tuple(_mark(span, at) for at, span in enumerate(spans, 1)))
        except FormatError as error:
            raise FormatError(error.reason, place) from None


def _mark(item: Any, count: int) -> Mark:
    start, end, type = place_of(item, count)
    score = item.get("score", Number("1"))
    if not isinstance(score, Number):
        raise FormatError(f"span {count}: its score is not a number")
    return Mark(start, end, type, float(score), str(item.get("source") or PREDICTED))
