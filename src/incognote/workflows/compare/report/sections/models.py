"""Table 1: the encoders."""

from __future__ import annotations

from incognote.workflows.compare.report.content import Section
from incognote.workflows.compare.report.scored import Material
from incognote.workflows.compare.report.table import COUNT, MODEL, NUMBER, TEXT, Column, Table

COLUMNS = (
    Column("model", MODEL),
    Column("family", TEXT),
    Column("begun from", TEXT),
    Column("layers", COUNT),
    Column("hidden", COUNT),
    Column("heads", COUNT),
    Column("E", COUNT),
    Column("vocabulary", COUNT),
    Column("parameters", COUNT),
    Column("MB", NUMBER),
)


def models(material: Material) -> Section:
    """One row for each encoder."""
    rows = [
        (
            material.models[facts.name],
            facts.family,
            facts.origin,
            facts.layers,
            facts.hidden_size,
            facts.heads,
            facts.embedding_size,
            facts.vocabulary,
            facts.parameters,
            facts.megabytes,
        )
        for facts in material.comparison.encoders
    ]
    title = "Table 1: the encoders; E is the size of an embedding, parameters with the classifier"
    return Section("Models", [Table("models", title, COLUMNS, rows)])
