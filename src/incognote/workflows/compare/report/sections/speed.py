"""Table 6: how fast the chosen cells train and predict, and on what machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from incognote.workflows.compare.report.content import Points, Prose, Section
from incognote.workflows.compare.report.scored import Material
from incognote.workflows.compare.report.table import MODEL, NUMBER, TEXT, Column, Table

RATES = (
    ("training samples/s", "training", "samples_per_second"),
    ("training steps/s", "training", "steps_per_second"),
    ("training pieces/s", "training", "tokens_per_second"),
    ("prediction samples/s", "prediction", "samples_per_second"),
    ("prediction steps/s", "prediction", "steps_per_second"),
    ("prediction notes/s", "prediction", "notes_per_second"),
)


def speed(material: Material) -> Section:
    """One row for each chosen cell; machines are numbered where there were several."""
    machines = list(dict.fromkeys(_machine(each.cell.machine) for each in material.judged))
    heads = (
        Column("model", MODEL),
        Column("training minutes", NUMBER),
        *(Column(name, NUMBER) for name, *_ in RATES),
        *((Column("machine", TEXT),) if len(machines) > 1 else ()),
    )
    rows = []
    for each in material.judged:
        machine = each.cell.machine
        seconds = machine.get("training", {}).get("seconds")
        number = (str(1 + machines.index(_machine(machine))),) if len(machines) > 1 else ()
        rows.append(
            (
                each.model,
                None if seconds is None else seconds / 60,
                *(machine.get(work, {}).get(rate) for _, work, rate in RATES),
                *number,
            )
        )
    prose = Prose(
        "A sample is a window of a note, a step a batch (in training, an update of the weights). "
        "Prediction is on the test part. Cells that ran side by side slowed each other down."
    )
    listed = [
        f"Machine {place}: {told}" if len(machines) > 1 else f"Machine: {told}"
        for place, told in enumerate(machines, 1)
    ]
    title = "Table 6: speed of the chosen cells"
    table = Table("speed", title, heads, rows)
    return Section("Speed", [prose, *([Points(listed)] if listed else []), table])


def _machine(told: Mapping[str, Any]) -> str:
    return (
        f"{told.get('machine', '?')}, {told.get('cores', '?')} cores, threads of a cell: "
        f"{told.get('threads', '?')}, vector instructions {told.get('kernel', '?')}, torch "
        f"{told.get('torch', '?')}, Python {told.get('python', '?')}"
    )
