"""The result in one table: the chosen cells on the test part, the best on validation first."""

from __future__ import annotations

from incognote.workflows.compare.report.content import Prose, Section
from incognote.workflows.compare.report.scored import (
    COVERED,
    LEAKED,
    OVER_REDACTION,
    STRICT,
    WORDS,
    Material,
)
from incognote.workflows.compare.report.table import (
    COUNT,
    ESTIMATE,
    MODEL,
    NUMBER,
    PERCENT,
    Column,
    Table,
)

COLUMNS = (
    Column("model", MODEL),
    Column("parameters", COUNT),
    Column("validation F1 %", PERCENT),
    Column("test strict F1 %", ESTIMATE),
    Column("words F1 %", ESTIMATE),
    Column("covered recall %", ESTIMATE),
    Column("leaked notes %", ESTIMATE),
    Column("over-redaction %", ESTIMATE),
    Column("prediction samples/s", NUMBER),
)


def glance(material: Material) -> Section:
    """The figures most readers come for."""
    if not material.judged:
        return Section("At a glance", [Prose("No cell is done yet.")])
    parameters = {facts.name: facts.parameters for facts in material.comparison.encoders}
    rows = [
        (
            each.model,
            parameters[each.model.name],
            each.cell.f1,
            each.figure("test", *STRICT, "f1"),
            each.figure("test", *WORDS, "f1"),
            each.figure("test", *COVERED),
            each.figure("test", *LEAKED),
            each.figure("test", *OVER_REDACTION),
            each.cell.machine.get("prediction", {}).get("samples_per_second"),
        )
        for each in material.by_validation()
    ]
    title = "The chosen cell of each encoder, by its strict F1 on validation"
    return Section("At a glance", [Table("glance", title, COLUMNS, rows)])
