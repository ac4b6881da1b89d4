"""Spans as JSON: `{"start", "end", "type"}`, then score, source, label and attributes if any."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from typing import Any

from incognote.document import GOLD, Document, DocumentError, Span
from incognote.formats.characters import lone_surrogate
from incognote.formats.container import FormatError
from incognote.formats.json_object import Number, number

_OWN = ("start", "end", "type", "text", "score", "source", "label")


def read_spans(value: Any, text: str) -> Iterator[Span | FormatError]:
    """The spans of a `spans` value; their text, if given, must be that of the note."""
    if value is not None and not isinstance(value, list):
        yield FormatError("the spans are not a list")
        return
    for count, item in enumerate(value or (), 1):
        try:
            yield _span(item, text, count)
        except FormatError as error:
            yield error


def place_of(item: Any, count: int) -> tuple[int, int, str]:
    """The start, end and type of the span that has this number in its list."""
    if not isinstance(item, dict):
        raise FormatError(f"span {count} is not an object")
    start, end, type = number(item.get("start")), number(item.get("end")), item.get("type")
    if start is None or end is None or isinstance(type, Number) or not isinstance(type, str):
        raise FormatError(f"span {count} lacks a start, an end or a type")
    return start, end, type


def _span(item: Any, text: str, count: int) -> Span:
    start, end, type = place_of(item, count)
    try:
        score = float(item.get("score", 1.0) or 0.0)
        span = Span.of(
            text,
            start,
            end,
            type,
            score=score,
            source=str(item.get("source") or GOLD),
            label=str(item.get("label") or ""),
            attributes={
                key: value if isinstance(value, str) else json.dumps(value)
                for key, value in item.items()
                if key not in _OWN
            },
        )
    except (TypeError, ValueError) as error:
        reason = str(error) if isinstance(error, DocumentError) else "its score is not a number"
        raise FormatError(f"span {count}: {reason}") from None
    if item.get("text", span.text) != span.text:
        raise FormatError(f"span {count}: its text differs from the note at {start}-{end}")
    return span


def spans_json(document: Document) -> str:
    """The spans of a document as one JSON value, without their texts."""
    return json.dumps([_object(span) for span in document.spans], ensure_ascii=False)


def _object(span: Span) -> dict[str, Any]:
    item: dict[str, Any] = {"start": span.start, "end": span.end, "type": span.type}
    if span.score != 1.0:
        item["score"] = span.score
    if span.source != GOLD:
        item["source"] = span.source
    if span.label != span.type:
        item["label"] = span.label
    return item | dict(span.attributes)


def span_problem(spans: Iterable[Span]) -> str | None:
    """Why spans cannot be written as JSON."""
    for span in spans:
        where = f"span {span.start}-{span.end}"
        if not math.isfinite(span.score):
            return f"{where} has a score that is not a finite number"
        if any(key in _OWN for key in span.attributes):
            return f"{where} has an attribute with the name of a field of its own"
        words = (span.type, span.source, span.label, *span.attributes, *span.attributes.values())
        for word in words:
            if problem := lone_surrogate(word):
                return f"{where}: in its type, source, label or attributes {problem}"
    return None
