"""The result in one table: the chosen cells on the test part, the best on validation first."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.workshop.compare.report.content import Block, Prose
from incognote.workshop.compare.report.scored import (
    COVERED,
    LEAKED,
    OVER_REDACTION,
    STRICT,
    WORDS,
    Material,
)
from incognote.workshop.compare.report.table import (
    COUNT,
    ESTIMATE,
    MODEL,
    NUMBER,
    PERCENT,
    Table,
)
from incognote.workshop.compare.results import SELECTED


def glance(material: Material) -> Iterator[Block]:
    """The figures most readers come for."""
    if not material.judged:
        yield Prose("No cell is done yet.")
        return
    parameters = {facts.name: facts.parameters for facts in material.comparison.encoders}
    selected = SELECTED[material.comparison.select]
    yield Table.of(
        "glance",
        f"The chosen cell of each encoder, by its {selected} on validation",
        material.judged,
        (
            ("model", MODEL, lambda each: each.model),
            ("parameters", COUNT, lambda each: parameters[each.model.name]),
            (f"validation {selected} %", PERCENT, lambda each: each.cell.f1),
            ("test strict F1 %", ESTIMATE, lambda each: each.figure("test", *STRICT, "f1")),
            ("words F1 %", ESTIMATE, lambda each: each.figure("test", *WORDS, "f1")),
            ("covered recall %", ESTIMATE, lambda each: each.figure("test", *COVERED)),
            ("leaked notes %", ESTIMATE, lambda each: each.figure("test", *LEAKED)),
            ("over-redaction %", ESTIMATE, lambda each: each.figure("test", *OVER_REDACTION)),
            (
                "prediction samples/s",
                NUMBER,
                lambda each: each.cell.machine.get("prediction", {}).get("samples_per_second"),
            ),
        ),
    )
