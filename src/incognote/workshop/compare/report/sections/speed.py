"""Table 6: how fast the chosen cells train and predict, and on what machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from incognote.workshop.compare.report.content import Block, Points, Prose
from incognote.workshop.compare.report.scored import Material
from incognote.workshop.compare.report.table import MODEL, NUMBER, TEXT, Column, Table

RATES = (
    ("training samples/s", "training", "samples_per_second"),
    ("training steps/s", "training", "steps_per_second"),
    ("training tokens/s", "training", "tokens_per_second"),
    ("prediction samples/s", "prediction", "samples_per_second"),
    ("prediction steps/s", "prediction", "steps_per_second"),
    ("prediction notes/s", "prediction", "notes_per_second"),
)


def speed(material: Material) -> Iterator[Block]:
    """One row for each chosen cell; machines are numbered where there were several."""
    machines = list(dict.fromkeys(_machine(each.cell.machine) for each in material.judged))
    several = len(machines) > 1
    yield Prose(
        "A sample is a window of a note, a step a batch (in training, an update of the weights). "
        "Prediction is on the test part. Cells that ran side by side slowed each other down."
    )
    if machines:
        numbers = [
            f"Machine {place}" if several else "Machine" for place in range(1, 1 + len(machines))
        ]
        yield Points([f"{number}: {told}" for number, told in zip(numbers, machines, strict=True)])
    heads = [
        Column("model", MODEL),
        *(Column(name, NUMBER) for name, *_ in RATES),
        Column("training minutes", NUMBER),
    ]
    rows: list[list[Any]] = []
    for each in material.judged:
        machine = each.cell.machine
        rates = [machine.get(work, {}).get(rate) for _, work, rate in RATES]
        rows.append([each.model, *rates, minutes(machine.get("training", {}))])
        if several:
            rows[-1].append(str(1 + machines.index(_machine(machine))))
    if several:
        heads.append(Column("machine", TEXT))
    title = "Table 6: speed of training and prediction, the best on validation first"
    yield Table("speed", title, heads, rows)


def minutes(speed: Mapping[str, Any]) -> float | None:
    """Those that a run took, where that is known."""
    seconds = speed.get("seconds")
    return None if seconds is None else seconds / 60


def _machine(told: Mapping[str, Any]) -> str:
    return (
        f"{told.get('machine', '?')}, {told.get('cores', '?')} cores, threads of a cell: "
        f"{told.get('threads', '?')}, vector instructions {told.get('kernel', '?')}, torch "
        f"{told.get('torch', '?')}, Python {told.get('python', '?')}"
    )
