"""One HTML file that shows every error in its context: no network, no other file.

It shows identifiers by nature, says so at its top, and must be written where only its owner can
read it. Notes reach the page as data and are put into it as text, never as markup; a content
security policy forbids every script but its own and every request.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from incognote.base.messages import quantity
from incognote.document import Span
from incognote.evaluate.error_page.context import in_context, whole_note
from incognote.evaluate.error_page.tables import (
    confusion_table,
    figures_table,
    kinds_list,
    overview,
    types_table,
)
from incognote.evaluate.errors import KINDS, Analysis, SpanError
from incognote.evaluate.report import Report

__all__ = ["error_page"]


def error_page(report: Report, analysis: Analysis, title: str) -> str:
    """The page; `report` needs the release figures of the same prediction."""
    style, script = _part("page.css"), _part("page.js")
    return Template(_part("page.html")).substitute(
        title=escape(title),
        about=_about(report),
        style=style,
        style_hash=_hash(style),
        script=script,
        script_hash=_hash(script),
        overview=overview(report, analysis),
        figures=figures_table(report),
        types=types_table(report, analysis),
        confusion=confusion_table(analysis.confusion),
        kinds=kinds_list(analysis),
        data=_embedded(_data(analysis)),
    )


def _part(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _about(report: Report) -> str:
    missing = f", {len(report.missing):,} of them without a prediction" if report.missing else ""
    return (
        f"{quantity(report.notes, 'note')}{missing}; {quantity(report.gold_spans, 'annotated span')}, "
        f"{report.predicted_spans:,} found."
    )


def _embedded(data: dict[str, Any]) -> str:
    """JSON that cannot end the element that holds it."""
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _data(analysis: Analysis) -> dict[str, Any]:
    """Names and whole notes once, and each error as a row of numbers and pieces, as the script
    reads it: those that leak first.
    """
    stretches = [s for e in analysis.errors for s in (*e.found, *((e.gold,) if e.gold else ()))]
    types = _numbered(stretch.type for stretch in stretches)
    detectors = _numbered(
        name for error in analysis.errors for stretch in error.found for name in stretch.detectors
    )
    notes = _numbered(analysis.notes[error.note].id for error in analysis.errors)

    def row(error: SpanError) -> list[Any]:
        note = analysis.notes[error.note]
        return [
            KINDS.index(error.kind),
            types[error.gold.type] if error.gold else -1,
            [types[stretch.type] for stretch in error.found],
            sorted({detectors[name] for stretch in error.found for name in stretch.detectors}),
            int(error.leaks),
            notes[note.id],
            *error.place,
            in_context(note.text, error.gold, error.found),
        ]

    with_errors = {analysis.notes[error.note].id: error.note for error in analysis.errors}
    return {
        "kinds": KINDS,
        "types": list(types),
        "detectors": list(detectors),
        "notes": list(notes),
        "whole": [_whole(analysis, with_errors[id]) for id in notes],
        "errors": [row(error) for error in sorted(analysis.errors, key=lambda e: not e.leaks)],
    }


def _whole(analysis: Analysis, note: int) -> list[tuple[int, str]]:
    gold, predicted = analysis.notes[note], analysis.predicted[note]
    return whole_note(gold.text, _places(gold.spans), _places(predicted.spans))


def _places(spans: Iterable[Span]) -> list[tuple[int, int]]:
    return [(span.start, span.end) for span in spans]


def _numbered(names: Iterable[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(sorted(set(names)))}
