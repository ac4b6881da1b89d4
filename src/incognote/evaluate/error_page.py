"""One HTML file that shows every error in its context: no network, no other file.

It shows identifiers by nature, says so at its top, and must be written where only its owner can
read it. Notes reach the page as data and are put into it as text, never as markup; a content
security policy forbids every script but its own and every request.

Below: the page, the errors as data for its script (`error_page.js`), notes cut into segments that
are marked, annotated, both or neither, and the tables and bars above the errors.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from itertools import pairwise
from math import ceil
from string import Template
from typing import Any
from urllib.parse import urlencode

from incognote.base.messages import quantity
from incognote.document import Span
from incognote.evaluate.error_analysis import (
    KINDS,
    Analysis,
    Confusion,
    DistinctSpan,
    SpanError,
)
from incognote.evaluate.report import RELEASE, Figure, Report, percent

AROUND = 70
"""Characters shown before and after an error."""
LONGEST = 600
"""Of a longer span only the two ends are shown."""

PLAIN, ANNOTATED, MARKED = 0, 1, 2
"""Flags of a segment; one that is annotated and marked has the sum of both."""

Segment = tuple[int, str]
"""Flags and text."""

BAR = 120
"""Width of a full bar."""
OVERVIEW = 1000
"""Width of the picture at the top, which is stretched to the page."""
HEATS = 9
"""Shades of a confusion."""


def error_page(report: Report, analysis: Analysis, title: str) -> str:
    """The page; `report` needs the release figures of the same prediction."""
    style, script = _part("css"), _part("js")
    return Template(_part("html")).substitute(
        title=escape(title),
        about=_about(report),
        style=style,
        style_hash=_hash(style),
        script=script,
        script_hash=_hash(script),
        overview=_overview(report, analysis),
        figures=_figures_table(report),
        types=_types_table(report, analysis),
        confusion=_confusion_table(analysis.confusion),
        kinds=_kinds_list(analysis),
        data=_embedded(_data(analysis)),
    )


def _part(suffix: str) -> str:
    return files(__package__).joinpath(f"error_page.{suffix}").read_text(encoding="utf-8")


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
    """Names and whole notes once, and each error as a row of numbers and segments, as the script
    reads it: those that leak first.
    """
    predictions = [span for error in analysis.errors for span in error.predictions]
    golds = [error.gold for error in analysis.errors if error.gold]
    types = _numbered(span.type for span in (*predictions, *golds))
    detectors = _numbered(name for span in predictions for name in span.detectors)
    notes = _numbered(analysis.notes[error.note].id for error in analysis.errors)

    def row(error: SpanError) -> list[Any]:
        note = analysis.notes[error.note]
        return [
            KINDS.index(error.kind),
            types[error.gold.type] if error.gold else -1,
            [types[span.type] for span in error.predictions],
            sorted({detectors[name] for span in error.predictions for name in span.detectors}),
            int(error.leaks),
            notes[note.id],
            *error.place,
            in_context(note.text, error.gold, error.predictions),
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


def in_context(
    text: str, gold: DistinctSpan | None, predictions: Sequence[DistinctSpan]
) -> list[Segment]:
    """The segments of the window around all spans of an error; together they are its text."""
    spans = [*predictions, gold] if gold else [*predictions]
    start = max(0, min(span.start for span in spans) - AROUND)
    end = min(len(text), max(span.end for span in spans) + AROUND)
    edges = sorted({start, end, *(edge for span in spans for edge in (span.start, span.end))})
    segments = [
        (_flags(left, right, gold, predictions), _shortened(text[left:right]))
        for left, right in pairwise(edges)
    ]
    before = [(PLAIN, "…")] if start > 0 else []
    after = [(PLAIN, "…")] if end < len(text) else []
    return before + segments + after


def whole_note(
    text: str, annotated: Iterable[tuple[int, int]], marked: Iterable[tuple[int, int]]
) -> list[Segment]:
    """A note in segments, given the places that are annotated and those that are marked."""
    changes: dict[int, list[int]] = {0: [0, 0], len(text): [0, 0]}
    for kind, places in enumerate((annotated, marked)):
        for start, end in places:
            changes.setdefault(start, [0, 0])[kind] += 1
            changes.setdefault(end, [0, 0])[kind] -= 1
    segments: list[Segment] = []
    depth = [0, 0]
    for left, right in pairwise(sorted(changes)):
        depth = [before + change for before, change in zip(depth, changes[left], strict=True)]
        flags = ANNOTATED * (depth[0] > 0) + MARKED * (depth[1] > 0)
        if segments and segments[-1][0] == flags:
            segments[-1] = (flags, segments[-1][1] + text[left:right])
        else:
            segments.append((flags, text[left:right]))
    return segments


def _flags(
    left: int, right: int, gold: DistinctSpan | None, predictions: Sequence[DistinctSpan]
) -> int:
    annotated = gold is not None and gold.start <= left and right <= gold.end
    marked = any(span.start <= left and right <= span.end for span in predictions)
    return ANNOTATED * annotated + MARKED * marked


def _shortened(text: str) -> str:
    half = LONGEST // 2
    return text if len(text) <= LONGEST else f"{text[:half]} … {text[-half:]}"


def _overview(report: Report, analysis: Analysis) -> str:
    """The whole at a glance: of all annotated identifiers, and of all notes, how many leak."""
    leaks = sum(error.leaks for error in analysis.errors)
    otherwise = sum(not error.leaks and error.gold is not None for error in analysis.errors)
    leaking = len({error.note for error in analysis.errors if error.leaks})
    with_gold = sum(bool(note.spans) for note in analysis.notes)
    parts = (
        ("leak", leaks, "show"),
        ("otherwise", otherwise, "hidden, with another type or other ends"),
        ("exact", max(0, report.gold_spans - leaks - otherwise), "hidden as annotated"),
    )
    notes = (("leak", leaking, "leak"), ("exact", with_gold - leaking, "leak nothing"))
    return (
        f'<p class="headline"><b>{leaks:,}</b> of {quantity(report.gold_spans, "identifier")} '
        f"{'shows' if leaks == 1 else 'show'}, in <b>{leaking:,}</b> of "
        f"{quantity(with_gold, 'note')} with identifiers.</p>"
        f"{_stacked('identifiers', parts)}{_stacked('notes', notes)}"
    )


def _stacked(what: str, parts: Iterable[tuple[str, int, str]]) -> str:
    """A bar of several parts, each with its count beside its words."""
    shown = [part for part in parts if part[1]]
    total = sum(count for _, count, _ in shown)
    rects, place = [], 0.0
    for kind, count, _ in shown:
        width = OVERVIEW * count / total
        rects.append(f'<rect class="{kind}" x="{place:.2f}" width="{width:.2f}" height="22"/>')
        place += width
    words = ", ".join(f"{count:,} {meaning}" for _, count, meaning in shown)
    keys = "".join(
        f'<li class="{kind}"><b>{count:,}</b> {meaning}</li>' for kind, count, meaning in shown
    )
    return (
        f'<figure class="overview"><figcaption>{what}</figcaption>'
        f'<svg viewBox="0 0 {OVERVIEW} 22" preserveAspectRatio="none" role="img" '
        f'aria-label="{what}: {words}">{"".join(rects)}</svg><ul>{keys}</ul></figure>'
    )


def _figures_table(report: Report) -> str:
    """The figures of a release with their intervals."""
    rows = []
    for name, path in RELEASE:
        figure = report.figures[path]
        count = "" if figure.whole is None else f"{figure.part:,.0f} of {figure.whole:,.0f}"
        rows.append(_row(name, percent(figure.value), _interval(figure), count))
    level = f"{report.resampling.level:.0%} interval"
    return _table(("figure", "%", level, "count"), rows, "figures")


def _interval(figure: Figure) -> str:
    return "" if figure.low is None else f"{percent(figure.low)} to {percent(figure.high)}"


def _kinds_list(analysis: Analysis) -> str:
    """How many errors of each kind, each a link that shows them."""
    counts = Counter[str](error.kind for error in analysis.errors)
    leaks = sum(error.leaks for error in analysis.errors)
    cards = [(str(kind), counts[kind], f"kind={kind}") for kind in KINDS]
    cards.append(("leaks", leaks, "leaks=1"))
    return "".join(
        f'<li><a class="card {name}" href="#{filter}"><b>{count:,}</b> {name}</a></li>'
        for name, count, filter in cards
    )


def _types_table(report: Report, analysis: Analysis) -> str:
    """For each type what was covered and how it agrees, with bars, and its errors."""
    covered = report.under("release", "covered_recall_by_type")
    overlap = report.under("release", "overlap_by_type")
    errors: Counter[tuple[str, str]] = Counter()
    for error in analysis.errors:
        errors[(error.gold or error.predictions[0]).type, error.kind] += 1
    types = sorted({path[0] for path in overlap}, key=lambda type: (-_gold(overlap, type), type))
    rows = [
        _row(
            f'<a href="#{escape(urlencode({"type": type}))}">{escape(type)}</a>',
            f"{_gold(overlap, type):,.0f}",
            _bar(covered.get((type,), Figure(None)), "covered"),
            _bar(overlap[type, "f1"], "f1"),
            *(f"{errors[type, kind]:,}" if errors[type, kind] else "" for kind in KINDS),
        )
        for type in types
    ]
    heads = ("type", "annotated", "covered recall", "overlap F1", *KINDS)
    return _table(heads, rows, "types")


def _gold(overlap: dict[tuple[str, ...], Figure], type: str) -> float:
    return overlap[type, "recall"].whole or 0.0


def _bar(figure: Figure, kind: str) -> str:
    """A bar with a line for the interval, and the value beside it."""
    if figure.value is None:
        return "–"
    line = ""
    if figure.low is not None and figure.high is not None:
        low, high = BAR * figure.low, BAR * figure.high
        line = f'<path class="interval" d="M{low:.1f} 6H{high:.1f}"/>'
    return (
        f'<svg class="bar {kind}" width="{BAR}" height="12" aria-hidden="true">'
        f'<rect class="track" width="{BAR}" height="12" rx="2"/>'
        f'<rect class="value" width="{BAR * figure.value:.1f}" height="12" rx="2"/>{line}</svg>'
        f"<span>{percent(figure.value)}</span>"
    )


def _confusion_table(confusion: Confusion) -> str:
    """Annotated types down, types found across; each count is a link that shows its errors."""
    types = _by_count(confusion)
    golds = [type for type in (*types, None) if any(pair[0] == type for pair in confusion)]
    predicted_types = [
        type for type in (None, *types) if any(pair[1] == type for pair in confusion)
    ]
    totals = {
        gold: sum(confusion[gold, predicted] for predicted in predicted_types) for gold in golds
    }
    rows = []
    for gold in golds:
        cells = "".join(
            _cell(gold, predicted, confusion[gold, predicted], totals[gold])
            for predicted in predicted_types
        )
        rows.append(f'<tr><th scope="row">{_name(gold, "spurious")}</th>{cells}</tr>')
    heads = "".join(
        f'<th scope="col"><span>{_name(predicted, "missed")}</span></th>'
        for predicted in predicted_types
    )
    head = f"<thead><tr><td>annotated ↓ found as →</td>{heads}</tr></thead>"
    return f'<table class="confusion">{head}<tbody>{"".join(rows)}</tbody></table>'


def _by_count(confusion: Confusion) -> list[str]:
    """Types by how often they are annotated, then by name."""
    totals: Counter[str] = Counter()
    for (gold, predicted), count in confusion.items():
        for type in {gold, predicted} - {None}:
            totals[str(type)] += count if type == gold else 0
    return sorted(totals, key=lambda type: (-totals[type], type))


def _name(type: str | None, absent: str) -> str:
    return f"<i>{absent}</i>" if type is None else escape(type)


def _cell(gold: str | None, predicted: str | None, count: int, total: int) -> str:
    if not count:
        return "<td></td>"
    if gold == predicted:
        return f'<td class="right">{count:,}</td>'
    heat = ceil(HEATS * count / total)
    if predicted is None:
        link = {"kind": "missed", "gold": gold}
    elif gold is None:
        link = {"kind": "spurious", "found": predicted}
    else:
        link = {"kind": "mistyped", "gold": gold, "found": predicted}
    return f'<td class="heat{heat}"><a href="#{escape(urlencode(link))}">{count:,}</a></td>'


def _row(*cells: str) -> str:
    first, *rest = cells
    return f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in rest)}</tr>'


def _table(heads: Iterable[str], rows: Iterable[str], name: str) -> str:
    head = "".join(f'<th scope="col">{head}</th>' for head in heads)
    return (
        f'<table class="{name}"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )
