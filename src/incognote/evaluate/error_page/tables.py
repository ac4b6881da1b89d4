"""The tables and bars above the errors, as HTML with every text escaped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from html import escape
from math import ceil
from urllib.parse import urlencode

from incognote.base.messages import quantity
from incognote.evaluate.errors import KINDS, Analysis, Confusion
from incognote.evaluate.report import RELEASE, Figure, Report, percent

BAR = 120
"""Width of a full bar."""
OVERVIEW = 1000
"""Width of the picture at the top, which is stretched to the page."""
HEATS = 9
"""Shades of a confusion."""


def overview(report: Report, analysis: Analysis) -> str:
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


def figures_table(report: Report) -> str:
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


def kinds_list(analysis: Analysis) -> str:
    """How many errors of each kind, each a link that shows them."""
    counts = Counter[str](error.kind for error in analysis.errors)
    leaks = sum(error.leaks for error in analysis.errors)
    cards = [(str(kind), counts[kind], f"kind={kind}") for kind in KINDS]
    cards.append(("leaks", leaks, "leaks=1"))
    return "".join(
        f'<li><a class="card {name}" href="#{filter}"><b>{count:,}</b> {name}</a></li>'
        for name, count, filter in cards
    )


def types_table(report: Report, analysis: Analysis) -> str:
    """For each type what was covered and how it agrees, with bars, and its errors."""
    covered = report.under("release", "covered_recall_by_type")
    overlap = report.under("release", "overlap_by_type")
    errors: Counter[tuple[str, str]] = Counter()
    for error in analysis.errors:
        errors[(error.gold or error.found[0]).type, error.kind] += 1
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


def confusion_table(confusion: Confusion) -> str:
    """Annotated types down, types found across; each count is a link that shows its errors."""
    types = _by_count(confusion)
    golds = [type for type in (*types, None) if any(pair[0] == type for pair in confusion)]
    founds = [type for type in (None, *types) if any(pair[1] == type for pair in confusion)]
    totals = {gold: sum(confusion[gold, found] for found in founds) for gold in golds}
    rows = []
    for gold in golds:
        cells = "".join(
            _cell(gold, found, confusion[gold, found], totals[gold]) for found in founds
        )
        rows.append(f'<tr><th scope="row">{_name(gold, "spurious")}</th>{cells}</tr>')
    heads = "".join(
        f'<th scope="col"><span>{_name(found, "missed")}</span></th>' for found in founds
    )
    head = f"<thead><tr><td>annotated ↓ found as →</td>{heads}</tr></thead>"
    return f'<table class="confusion">{head}<tbody>{"".join(rows)}</tbody></table>'


def _by_count(confusion: Confusion) -> list[str]:
    """Types by how often they are annotated, then by name."""
    totals: Counter[str] = Counter()
    for (gold, found), count in confusion.items():
        for type in {gold, found} - {None}:
            totals[str(type)] += count if type == gold else 0
    return sorted(totals, key=lambda type: (-totals[type], type))


def _name(type: str | None, absent: str) -> str:
    return f"<i>{absent}</i>" if type is None else escape(type)


def _cell(gold: str | None, found: str | None, count: int, total: int) -> str:
    if not count:
        return "<td></td>"
    if gold == found:
        return f'<td class="right">{count:,}</td>'
    heat = ceil(HEATS * count / total)
    if found is None:
        link = {"kind": "missed", "gold": gold}
    elif gold is None:
        link = {"kind": "spurious", "found": found}
    else:
        link = {"kind": "mistyped", "gold": gold, "found": found}
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
