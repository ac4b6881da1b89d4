"""What the commands of `incognote task` have in common: the task's name, its data, its figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from incognote.base.options import Choices
from incognote.cli.training_options import DATA
from incognote.workshop.tasks.columns import Columns

if TYPE_CHECKING:
    from incognote.workshop.tasks.task import Task

Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="The task: cola, sst-2, mrpc, sts-b, qqp, mnli, qnli, rte or wnli (GLUE), snli, squad, "
        "squad2, race; or, for your own data, sentence, pair, choice or span.",
    ),
]
DATA_HELP = (
    "The files as they are published (TSV of GLUE, JSON of SQuAD, JSON lines of SNLI, a folder of "
    "RACE), compressed or not; of your own data CSV, TSV or JSON lines."
)
OwnRegression = Annotated[
    bool,
    typer.Option(
        "--regression",
        help="Predict numbers, not labels, of your own texts or pairs.",
        rich_help_panel=DATA,
    ),
]


def task_of(name: str, *, regression: bool = False) -> Task:
    from incognote.workshop.task_training import regression as of_numbers
    from incognote.workshop.tasks.task import task_named

    task = task_named(name)
    return of_numbers(task) if regression else task


def named_columns(columns: Choices[Columns]) -> Columns | None:
    """Those that were named; published files have no others."""
    default = Columns()
    named = {key: value for key, value in columns.values.items() if value != getattr(default, key)}
    return columns.fill() if named else None


def words(figure: str) -> str:
    """How a figure is called: F1, exact match."""
    return figure.replace("_", " ").replace("f1", "F1")


def percent(share: float) -> str:
    return f"{100 * share:.2f}"
