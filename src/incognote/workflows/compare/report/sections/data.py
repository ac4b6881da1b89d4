"""Table 3: the notes of each part, and of each source where there are several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from incognote.workflows.compare.report.content import Block
from incognote.workflows.compare.report.scored import PARTS, Material
from incognote.workflows.compare.report.table import COUNT, TEXT, Column, Table
from incognote.workflows.corpus.reading import in_order

Counts = Mapping[str, Any]


def data(material: Material) -> Iterator[Block]:
    """Counts only."""
    parts = material.comparison.parts
    columns = [parts[part] for part in PARTS if part in parts]
    heads = (
        Column("", TEXT),
        *(Column(part, COUNT) for part in PARTS if part in parts),
        Column("total", COUNT),
    )
    rows = [
        (name, *(part[name] for part in columns), sum(part[name] for part in columns))
        for name in ("notes", "words", "spans")
    ]
    counts = [part["types"] for part in columns]
    yield Table(
        "data",
        "Table 3: notes, words, and spans by type in each part",
        heads,
        [*rows, *_by_type(counts)],
    )
    sources = material.comparison.sources
    if len(sources) > 1:
        yield _sources(material)
        totals = [_total(columns, source) for source in sources]
        heads = (Column("", TEXT), *(Column(name, COUNT) for name in sources))
        rows = [row[:-1] for row in _by_type(totals)]
        yield Table("types-by-source", "Spans by type in each source", heads, rows)


def _by_type(columns: Sequence[Mapping[str, int]]) -> list[tuple[Any, ...]]:
    types = in_order({type for column in columns for type in column})
    return [
        (type, *(column.get(type, 0) for column in columns), sum(c.get(type, 0) for c in columns))
        for type in types
    ]


def _total(parts: list[Counts], source: str) -> Counter[str]:
    total: Counter[str] = Counter()
    for part in parts:
        total.update(part["sources"].get(source, {}).get("types", {}))
    return total


def _sources(material: Material) -> Table:
    parts = material.comparison.parts
    rows = []
    for source in material.comparison.sources:
        for part in PARTS:
            counts = parts.get(part, {}).get("sources", {}).get(source)
            if counts:
                kinds = sum(count > 0 for count in counts["types"].values())
                rows.append(
                    (source, part, counts["notes"], counts["words"], counts["spans"], kinds)
                )
    heads = (
        Column("source", TEXT),
        Column("part", TEXT),
        *(Column(name, COUNT) for name in ("notes", "words", "spans", "types")),
    )
    return Table("sources", "The sources in each part", heads, rows)
