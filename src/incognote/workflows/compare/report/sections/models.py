"""Table 1: the encoders."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.workflows.compare.report.content import Block
from incognote.workflows.compare.report.scored import Material
from incognote.workflows.compare.report.table import COUNT, MODEL, NUMBER, TEXT, Table


def models(material: Material) -> Iterator[Block]:
    """One row for each encoder."""
    yield Table.of(
        "models",
        "Table 1: the encoders; E is the size of an embedding, parameters with the classifier",
        material.comparison.encoders,
        (
            ("model", MODEL, lambda facts: material.models[facts.name]),
            ("family", TEXT, lambda facts: facts.family),
            ("begun from", TEXT, lambda facts: facts.origin),
            ("layers", COUNT, lambda facts: facts.layers),
            ("hidden", COUNT, lambda facts: facts.hidden_size),
            ("heads", COUNT, lambda facts: facts.heads),
            ("E", COUNT, lambda facts: facts.embedding_size),
            ("vocabulary", COUNT, lambda facts: facts.vocabulary),
            ("parameters", COUNT, lambda facts: facts.parameters),
            ("MB", NUMBER, lambda facts: facts.megabytes),
        ),
    )
