"""A report as one HTML file (no script, no network, no other file), and as Markdown with its plots beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template

from incognote.base.files import write_private
from incognote.evaluate.plots import GRID, INK, QUIET
from incognote.workshop.compare.report.content import (
    NO_ROWS,
    Block,
    CellText,
    Code,
    Column,
    Content,
    Plot,
    Points,
    Prose,
    Table,
    csv_text,
)

_THEMED = {
    INK: "var(--ink)",
    QUIET: "var(--quiet)",
    GRID: "var(--line)",
    "#ffffff": "var(--raised)",
}
"""Colours of the plots that follow the page into the dark."""
_REFERENCE = re.compile(r'(\bid="|href="#|url\(#)')
_OUTSIDE = re.compile(r"<metadata>.*?</metadata>|<defs>\s*</defs>| xmlns(?::\w+)?=\"[^\"]*\"", re.S)
_SIGNS = re.compile(r"([\\`*|<>\[\]])")
"""What Markdown would read as its own."""


PAGE = "report.html"
MARKDOWN = "report.md"
TABLES = "tables"
PLOTS = "plots"


def write_content(folder: Path, content: Content) -> None:
    """Write a report over the one before it: the page, Markdown, tables and plots."""
    for block in (block for section in content.sections for block in section.blocks):
        if isinstance(block, Table):
            write_private(folder / TABLES / f"{block.name}.csv", csv_text(block).encode())
        elif isinstance(block, Plot):
            for format, image in block.images.items():
                write_private(folder / PLOTS / f"{block.name}.{format}", image)
    write_private(folder / MARKDOWN, markdown(content).encode())
    write_private(folder / PAGE, page(content).encode())


def page(content: Content) -> str:
    """The report as HTML."""
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
            f"{''.join(map(_html_block, section.blocks))}</section>\n"
            for section in content.sections
        ),
    )


def _notices(content: Content) -> str:
    if not content.notices:
        return ""
    return f'<ul class="notices">{_items(content.notices)}</ul>'


def _items(sentences: Sequence[str]) -> str:
    return "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)


def _html_block(block: Block) -> str:
    match block:
        case Prose(text):
            return f"<p>{escape(text)}</p>"
        case Points(sentences):
            return f"<ul>{_items(sentences)}</ul>"
        case Code(text):
            return f"<pre><code>{escape(text)}</code></pre>"
        case Plot():
            return _html_plot(block)
        case Table():
            return _html_table(block)


def _html_plot(plot: Plot) -> str:
    return (
        f"<figure><figcaption>{escape(plot.title)}</figcaption>"
        f'<div class="plot" role="img" aria-label="{escape(plot.description)}">'
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


def _html_table(table: Table) -> str:
    file = f'<a class="file" href="tables/{table.name}.csv">CSV</a>'
    if not table.listed or not table.rows:
        note = "" if table.rows else NO_ROWS
        return f'<p class="unlisted"><b>{escape(table.title)}</b> {file} {note}</p>'
    heads = "".join(_html_head(column) for column in table.columns)
    rows = "".join(
        f"<tr>{''.join(map(_html_cell, range(len(row)), table.columns, row))}</tr>\n"
        for row in table.cell_texts()
    )
    return (
        f'<div class="wide"><table id="table-{table.name}">'
        f"<caption>{escape(table.title)} {file}</caption>"
        f"<thead><tr>{heads}</tr></thead>\n<tbody>{rows}</tbody></table></div>"
    )


def _html_head(column: Column) -> str:
    return f'<th scope="col"{_align(column)}>{escape(column.name)}</th>'


def _html_cell(place: int, column: Column, text: CellText) -> str:
    aside = f" <small>({escape(text.aside)})</small>" if text.aside else ""
    tag = "td" if place else "th"
    scope = "" if place else ' scope="row"'
    return f"<{tag}{scope}{_align(column)}>{escape(text.main)}{aside}</{tag}>"


def _align(column: Column) -> str:
    return ' class="number"' if column.kind.number else ""


def markdown(content: Content) -> str:
    """The report as Markdown, which ends in a line end."""
    parts = [f"# {escaped(content.title)}", escaped(content.lead)]
    if content.notices:
        parts.append("\n".join(f"> - {escaped(notice)}" for notice in content.notices))
    for section in content.sections:
        parts.append(f"## {escaped(section.title)}")
        for block in section.blocks:
            parts += _markdown_block(block)
    return "\n\n".join(parts) + "\n"


def escaped(text: str) -> str:
    """With the signs that Markdown would read as its own taken as they are."""
    return _SIGNS.sub(r"\\\1", " ".join(text.split()))


def _markdown_block(block: Block) -> Iterator[str]:
    match block:
        case Prose(text):
            yield escaped(text)
        case Points(sentences):
            yield "\n".join(f"- {escaped(sentence)}" for sentence in sentences)
        case Code(text):
            fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
            yield f"{fence}\n{text}\n{fence}"
        case Plot(name, title, description, images):
            yield f"**{escaped(title)}**"
            file = next(iter(images))
            yield f"![{escaped(description)}](plots/{name}.{file})"
        case Table():
            yield f"**{escaped(block.title)}** ([CSV](tables/{block.name}.csv))"
            if block.listed:
                yield _markdown_table(block) if block.rows else NO_ROWS


def _markdown_table(table: Table) -> str:
    heads = [escaped(column.name) for column in table.columns]
    rules = ["---:" if column.kind.number else "---" for column in table.columns]
    rows = [[escaped(str(cell)) for cell in row] for row in table.cell_texts()]
    return "\n".join(map(_markdown_row, (heads, rules, *rows)))


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
