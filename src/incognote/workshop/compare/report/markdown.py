"""The report as Markdown, with the plots beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from incognote.workshop.compare.report.content import Block, Code, Content, Plot, Points, Prose
from incognote.workshop.compare.report.table import NO_ROWS, Table

_SIGNS = re.compile(r"([\\`*|<>\[\]])")


def markdown(content: Content) -> str:
    """One text that ends in a line end."""
    parts = [f"# {escaped(content.title)}", escaped(content.lead)]
    if content.notices:
        parts.append("\n".join(f"> - {escaped(notice)}" for notice in content.notices))
    for section in content.sections:
        parts.append(f"## {escaped(section.title)}")
        for block in section.blocks:
            parts += _block(block)
    return "\n\n".join(parts) + "\n"


def escaped(text: str) -> str:
    """With the signs that Markdown would read as its own taken as they are."""
    return _SIGNS.sub(r"\\\1", " ".join(text.split()))


def _block(block: Block) -> Iterator[str]:
    match block:
        case Prose(text):
            yield escaped(text)
        case Points(sentences):
            yield "\n".join(f"- {escaped(sentence)}" for sentence in sentences)
        case Code(text):
            fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
            yield f"{fence}\n{text}\n{fence}"
        case Plot(name, title, told, images):
            yield f"**{escaped(title)}**"
            file = next(iter(images))
            yield f"![{escaped(told)}](plots/{name}.{file})"
        case Table():
            yield f"**{escaped(block.title)}** ([CSV](tables/{block.name}.csv))"
            if block.listed:
                yield _table(block) if block.rows else NO_ROWS


def _table(table: Table) -> str:
    heads = [escaped(column.name) for column in table.columns]
    rules = ["---:" if column.kind.number else "---" for column in table.columns]
    rows = [[escaped(str(cell)) for cell in row] for row in table.shown()]
    return "\n".join(map(_line, (heads, rules, *rows)))


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
