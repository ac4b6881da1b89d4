"""How fast the chosen cells are (table 6), and how all cells learned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from incognote.workshop.compare.report import plots
from incognote.workshop.compare.report.content import (
    COUNT,
    LOSS,
    MODEL,
    NUMBER,
    PERCENT,
    TEXT,
    Block,
    Column,
    ColumnSpec,
    Plot,
    Points,
    Prose,
    Table,
)
from incognote.workshop.compare.report.material import Material, minutes
from incognote.workshop.compare.results import Comparison, figure_title

RATES = (
    ("training samples/s", "training", "samples_per_second"),
    ("training steps/s", "training", "steps_per_second"),
    ("training tokens/s", "training", "tokens_per_second"),
    ("prediction samples/s", "prediction", "samples_per_second"),
    ("prediction steps/s", "prediction", "steps_per_second"),
)
"""Of notes and of tasks; each has one more, of what is predicted for."""
_ON_NOTES = (
    "A sample is a window of a note, a step a batch (in training, an update of the weights). "
    "Prediction is on the test part. Cells that ran side by side slowed each other down."
)
_ON_A_TASK = (
    "A sample is a sequence: a text or a pair, one option of a question, a window of a long text; a "
    "step is a batch (in training, an update of the weights). Prediction is on the {part} part. "
    "Cells that ran side by side slowed each other down."
)


def speed(material: Material) -> Iterator[Block]:
    """One row for each chosen cell; machines are numbered where there were several."""
    machines = list(dict.fromkeys(_machine(each.cell.machine) for each in material.best))
    several = len(machines) > 1
    comparison = material.comparison
    part = "test" if "test" in comparison.parts else "validation"
    yield Prose(_ON_NOTES if comparison.task is None else _ON_A_TASK.format(part=part))
    things = "notes" if comparison.task is None else "examples"
    columns = (*RATES, (f"prediction {things}/s", "prediction", f"{things}_per_second"))
    if machines:
        names = [
            f"Machine {place}" if several else "Machine" for place in range(1, 1 + len(machines))
        ]
        yield Points([f"{name}: {machine}" for name, machine in zip(names, machines, strict=True)])
    heads = [
        Column("model", MODEL),
        *(Column(name, NUMBER) for name, *_ in columns),
        Column("training minutes", NUMBER),
    ]
    rows: list[list[Any]] = []
    for each in material.best:
        machine = each.cell.machine
        rates = [machine.get(work, {}).get(rate) for _, work, rate in columns]
        rows.append([each.model, *rates, minutes(machine.get("training", {}))])
        if several:
            rows[-1].append(str(1 + machines.index(_machine(machine))))
    if several:
        heads.append(Column("machine", TEXT))
    title = material.study_title(
        6, "speed of training and prediction, the best on validation first"
    )
    yield Table("speed", title, heads, rows)


def _machine(facts: Mapping[str, Any]) -> str:
    return (
        f"{facts.get('machine', '?')}, {facts.get('cores', '?')} cores, threads of a cell: "
        f"{facts.get('threads', '?')}, vector instructions {facts.get('kernel', '?')}, torch "
        f"{facts.get('torch', '?')}, Python {facts.get('python', '?')}"
    )


def curves(material: Material) -> Iterator[Block]:
    """A panel for each encoder, and all curves as a file."""
    comparison = material.comparison
    if not any(cell.curve for cell in comparison.cells):
        yield Prose("No epoch is done yet.")
        return
    best = {each.cell.id for each in material.best}
    panels = [
        plots.Curves(
            str(model),
            [(cell.curve, cell.id in best) for cell in comparison.of(name) if cell.curve],
        )
        for name, model in material.models.items()
    ]
    panels = [each for each in panels if each.cells]
    if material.has_plots and panels:
        more = f"; the first {plots.MOST} encoders" if len(panels) > plots.MOST else ""
        yield Plot(
            "learning-curves",
            f"Training loss and {_epochs_figure(comparison)} on validation after each epoch, chosen "
            f"cells bold{more}",
            "A panel for each encoder with a line for each cell; the CSV file has every point.",
            plots.learning_curves(
                panels[: plots.MOST],
                comparison.metric,
                "F1" if comparison.task is None else comparison.chosen_by,
            ),
        )
    models = material.models
    yield Table.of(
        "learning-curves",
        "Every epoch of every cell",
        [(cell, row) for cell in comparison.cells for row in cell.curve],
        (
            ("model", MODEL, lambda row: models[row[0].encoder]),
            ("cell", TEXT, lambda row: row[0].id),
            ("left out", TEXT, lambda row: row[0].fold or ""),
            ("epoch", COUNT, lambda row: int(row[1]["epoch"])),
            ("steps", COUNT, lambda row: int(row[1]["steps"])),
            ("loss", LOSS, lambda row: row[1]["loss"]),
            *map(_epoch_column, _epoch_figures(comparison)),
            ("seconds", NUMBER, lambda row: row[1].get("seconds")),
        ),
        listed=False,
    )


def _epochs_figure(comparison: Comparison) -> str:
    """That by which the best epoch is kept; of notes always the strict F1."""
    return "strict F1" if comparison.task is None else comparison.chosen_by


def _epoch_figures(comparison: Comparison) -> Sequence[str]:
    return ("precision", "recall", "f1") if comparison.task is None else comparison.figures


def _epoch_column(name: str) -> ColumnSpec:
    return f"{figure_title(name)} %", PERCENT, lambda row: row[1].get(name)
