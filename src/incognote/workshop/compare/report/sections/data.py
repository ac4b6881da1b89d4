"""Table 3: the notes of each part, their words by type, and each source where there are several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from incognote.corpus.reading import in_order
from incognote.workshop.compare.report.content import Block
from incognote.workshop.compare.report.printed import NON_PHI
from incognote.workshop.compare.report.scored import PARTS, Material
from incognote.workshop.compare.report.table import COUNT, NUMBER, SHARE, TEXT, Column, Table

Counts = Mapping[str, Any]


def data(material: Material) -> Iterator[Block]:
    """Counts only."""
    counted = material.comparison.parts
    parts: dict[str, Counts] = {part: counted[part] for part in PARTS if part in counted}
    columns = list(parts.values())
    if all("words_by_type" in part for part in columns):
        whole: dict[str, Counts] = {**parts, "total": _sum(columns)}
        yield _parts(whole)
        yield _words(whole)
    yield _spans(parts)
    sources = material.comparison.sources
    if len(sources) > 1:
        yield _sources(material)
        totals = [_total(columns, source) for source in sources]
        heads = (Column("", TEXT), *(Column(name, COUNT) for name in sources))
        rows = [row[:-1] for row in _by_type(totals)]
        yield Table("types-by-source", "Spans by type in each source", heads, rows)


def _sum(parts: Sequence[Counts]) -> Counts:
    """All parts as one."""
    words: Counter[str] = Counter()
    for part in parts:
        words.update(part["words_by_type"])
    totals = {name: sum(part[name] for part in parts) for name in ("notes", "words", "spans")}
    return {**totals, "words_by_type": words}


def phi_words(part: Counts) -> int:
    """The words of a part that are annotated."""
    return sum(part["words_by_type"].values())


def _parts(parts: Mapping[str, Counts]) -> Table:
    def a_note(part: str, words: int) -> float | None:
        notes = parts[part]["notes"]
        return words / notes if notes else None

    return Table.of(
        "parts",
        "The parts: words that are PHI with their per cent, and words a note",
        parts,
        (
            ("part", TEXT, lambda part: part),
            ("notes", COUNT, lambda part: parts[part]["notes"]),
            ("words", COUNT, lambda part: parts[part]["words"]),
            ("PHI words", SHARE, lambda part: (phi_words(parts[part]), parts[part]["words"])),
            ("spans", COUNT, lambda part: parts[part]["spans"]),
            ("words a note", NUMBER, lambda part: a_note(part, parts[part]["words"])),
            ("PHI words a note", NUMBER, lambda part: a_note(part, phi_words(parts[part]))),
        ),
    )


def _words(parts: Mapping[str, Counts]) -> Table:
    """In the study's order: what is not PHI, then types by their words in training."""
    first = next(iter(parts.values()))["words_by_type"]
    types = sorted(parts["total"]["words_by_type"], key=lambda type: (-first.get(type, 0), type))
    rows: list[tuple[Any, ...]] = [
        (NON_PHI, *((part["words"] - phi_words(part), part["words"]) for part in parts.values()))
    ]
    for type in types:
        counts = ((part["words_by_type"].get(type, 0), part["words"]) for part in parts.values())
        rows.append((type, *counts))
    heads = (Column("", TEXT), *(Column(part, SHARE) for part in parts))
    title = "Table 3: words of each type in each part, with their per cent"
    return Table("words-by-type", title, heads, rows)


def _spans(parts: Mapping[str, Counts]) -> Table:
    heads = (
        Column("", TEXT),
        *(Column(part, COUNT) for part in parts),
        Column("total", COUNT),
    )
    columns = list(parts.values())
    rows = [
        (name, *(part[name] for part in columns), sum(part[name] for part in columns))
        for name in ("notes", "words", "spans")
    ]
    counts = [part["types"] for part in columns]
    title = "Notes, words, and spans by type in each part"
    return Table("data", title, heads, [*rows, *_by_type(counts)])


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
