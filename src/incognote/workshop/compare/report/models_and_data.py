"""What was compared: the encoders (table 1) and the notes of each part and source (table 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from incognote.corpus.source import in_order
from incognote.workshop.compare.report.content import (
    COUNT,
    MODEL,
    NUMBER,
    SHARE,
    SIZE,
    TEXT,
    Block,
    Column,
    Prose,
    Table,
)
from incognote.workshop.compare.report.material import Material
from incognote.workshop.compare.results import PARTS

NON_PHI = "Non-PHI"
"""What the study calls words that are no identifier."""
ACTIVATIONS = {
    "gelu": "GELU",
    "gelu_new": "GELU (tanh)",
    "gelu_pytorch_tanh": "GELU (tanh)",
    "relu": "ReLU",
    "tanh": "tanh",
}
Counts = Mapping[str, Any]


def models(material: Material) -> Iterator[Block]:
    """One row for each encoder."""
    yield Prose(
        "Parameters are those of the encoder with its classifier; the size is theirs in 32 bits. "
        "Embedding, attention and feed-forward are widths. Objectives of pretraining: MLM, masked "
        "words; NSP, next sentence; SOP, order of sentences; RTD, replaced words; PLM, permuted "
        "words; BiLM, the next and the previous word. A checkpoint that does not tell its own has that of its family as published."
    )
    yield Table.of(
        "models",
        material.study_title(1, "size and architecture of the encoders"),
        material.comparison.encoders,
        (
            ("model", MODEL, lambda facts: material.models[facts.name]),
            ("size, GiB", SIZE, lambda facts: gibibytes(facts.parameters)),
            ("parameters", COUNT, lambda facts: facts.parameters),
            ("layers", COUNT, lambda facts: facts.layers),
            ("vocabulary", COUNT, lambda facts: facts.vocabulary),
            ("embedding", COUNT, lambda facts: facts.embedding_size),
            ("attention", COUNT, lambda facts: facts.hidden_size),
            ("feed-forward", COUNT, lambda facts: facts.feed_forward_size),
            ("dropout", NUMBER, lambda facts: facts.dropout),
            ("activation", TEXT, lambda facts: ACTIVATIONS.get(facts.activation, facts.activation)),
            ("shared layers", TEXT, lambda facts: _yes(facts.shared)),
            ("objective", TEXT, lambda facts: facts.objective),
            ("heads", COUNT, lambda facts: facts.heads),
            ("family", TEXT, lambda facts: facts.family),
            ("begun from", TEXT, lambda facts: facts.origin),
        ),
    )


def gibibytes(parameters: int) -> float:
    """The size of so many parameters in 32 bits."""
    return 4 * parameters / 2**30


def _yes(flag: bool | None) -> str | None:
    return None if flag is None else "yes" if flag else "no"


def data(material: Material) -> Iterator[Block]:
    """The notes, words and spans of each part, of each type, and of each source."""
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
    """The counts of all parts together."""
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
