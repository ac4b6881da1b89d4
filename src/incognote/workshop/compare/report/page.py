"""The report as one HTML file: no script, no network, no other file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from string import Template

from incognote.evaluate.plots import GRID, INK, QUIET
from incognote.workshop.compare.report.content import Block, Code, Content, Plot, Points, Prose
from incognote.workshop.compare.report.table import NO_ROWS, Column, Shown, Table

_THEMED = {
    INK: "var(--ink)",
    QUIET: "var(--quiet)",
    GRID: "var(--line)",
    "#ffffff": "var(--raised)",
}
"""Colours of the plots that follow the page into the dark."""
_REFERENCE = re.compile(r'(\bid="|href="#|url\(#)')
_OUTSIDE = re.compile(r"<metadata>.*?</metadata>|<defs>\s*</defs>| xmlns(?::\w+)?=\"[^\"]*\"", re.S)


def page(content: Content) -> str:
    """The whole page."""
    template = files(__package__).joinpath("page.html").read_text(encoding="utf-8")
    return Template(template).substitute(
        title=escape(content.title),
        style=files(__package__).joinpath("page.css").read_text(encoding="utf-8"),
        lead=escape(content.lead),
        notices=_notices(content),
        links="".join(
            f'<li><a href="#{section.anchor}">{escape(section.title)}</a></li>'
            for section in content.sections
        ),
        sections="".join(
            f'<section id="{section.anchor}"><h2>{escape(section.title)}</h2>'
            f"{''.join(map(_block, section.blocks))}</section>\n"
            for section in content.sections
        ),
    )


def _notices(content: Content) -> str:
    if not content.notices:
        return ""
    return f'<ul class="notices">{_items(content.notices)}</ul>'


def _items(sentences: Sequence[str]) -> str:
    return "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)


def _block(block: Block) -> str:
    match block:
        case Prose(text):
            return f"<p>{escape(text)}</p>"
        case Points(sentences):
            return f"<ul>{_items(sentences)}</ul>"
        case Code(text):
            return f"<pre><code>{escape(text)}</code></pre>"
        case Plot():
            return _plot(block)
        case Table():
            return _table(block)


def _plot(plot: Plot) -> str:
    return (
        f"<figure><figcaption>{escape(plot.title)}</figcaption>"
        f'<div class="plot" role="img" aria-label="{escape(plot.told)}">'
        f"{inline(plot.images['svg'].decode(), plot.name)}</div></figure>"
    )


def inline(svg: str, name: str) -> str:
    """An SVG file as an element: in the page's colours, its ids its own, nothing named outside."""
    element = _OUTSIDE.sub("", svg[svg.index("<svg") :]).replace("xlink:href", "href")
    element = re.sub(r'^<svg width="[^"]*" height="[^"]*"', "<svg", element)
    element = re.sub("<!--.*?-->", "", element, flags=re.S)
    for colour, variable in _THEMED.items():
        element = element.replace(colour, variable)
    return _REFERENCE.sub(rf"\g<1>{name}-", element)


def _table(table: Table) -> str:
    file = f'<a class="file" href="tables/{table.name}.csv">CSV</a>'
    if not table.listed or not table.rows:
        note = "" if table.rows else NO_ROWS
        return f'<p class="unlisted"><b>{escape(table.title)}</b> {file} {note}</p>'
    heads = "".join(_head(column) for column in table.columns)
    rows = "".join(
        f"<tr>{''.join(map(_cell, range(len(row)), table.columns, row))}</tr>\n"
        for row in table.shown()
    )
    return (
        f'<div class="wide"><table id="table-{table.name}">'
        f"<caption>{escape(table.title)} {file}</caption>"
        f"<thead><tr>{heads}</tr></thead>\n<tbody>{rows}</tbody></table></div>"
    )


def _head(column: Column) -> str:
    return f'<th scope="col"{_align(column)}>{escape(column.name)}</th>'


def _cell(place: int, column: Column, shown: Shown) -> str:
    aside = f" <small>({escape(shown.aside)})</small>" if shown.aside else ""
    tag = "td" if place else "th"
    scope = "" if place else ' scope="row"'
    return f"<{tag}{scope}{_align(column)}>{escape(shown.main)}{aside}</{tag}>"


def _align(column: Column) -> str:
    return ' class="number"' if column.kind.number else ""
