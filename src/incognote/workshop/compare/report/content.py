"""What a report says, before it is HTML, Markdown or CSV: sections of prose, plots and tables.

What a column of a table holds decides how its cells look. A cell is a main text and an aside, such
as a value and its interval; a CSV file has a field for each number instead, unrounded as far as
anyone needs.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from incognote.evaluate import Figure

NOTHING = "–"
NO_ROWS = "Nothing yet."
RANDOM = "random weights"


@dataclass(frozen=True)
class Prose:
    """A paragraph."""

    text: str


@dataclass(frozen=True)
class Points:
    """Sentences, one below the other."""

    sentences: Sequence[str]


@dataclass(frozen=True)
class Code:
    """What can be copied into a shell."""

    text: str


@dataclass(frozen=True)
class Plot:
    """An image by format; `title` stands above it, `description` is for who cannot see it."""

    name: str
    title: str
    description: str
    images: Mapping[str, bytes]


@dataclass(frozen=True)
class Model:
    """An encoder by name; that its weights are random is said wherever it is named."""

    name: str
    random: bool

    def __str__(self) -> str:
        return f"{self.name} ({RANDOM})" if self.random else self.name


@dataclass(frozen=True)
class CellText:
    """A cell as people see it: a text, and one in brackets behind it."""

    main: str
    aside: str = ""

    def __str__(self) -> str:
        return f"{self.main} ({self.aside})" if self.aside else self.main


@dataclass(frozen=True)
class Kind:
    """How the cells of a column look; a cell that is None is a dash, and nothing in CSV."""

    show: Callable[[Any], CellText]
    fields: Callable[[Any], Sequence[str]]
    """The cell's fields in CSV, one for each of `heads`."""
    heads: Sequence[str] = ("",)
    """What the column's name is followed by in CSV, for each field."""
    number: bool = True


@dataclass(frozen=True)
class Column:
    """What stands above a column, and how its cells look."""

    name: str
    kind: Kind


ColumnSpec = tuple[str, Kind, Callable[[Any], Any]]
"""A column's name and kind, and what it holds of each thing that has a row."""


@dataclass(frozen=True)
class Table:
    """Rows under columns. `name` is that of the CSV file, `title` stands above the table.

    One that is not `listed` is too long for a page, which then only names its file.
    """

    name: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]
    listed: bool = True

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"a row of {self.name} has more or fewer cells than columns")

    @classmethod
    def of(
        cls,
        name: str,
        title: str,
        things: Iterable[Any],
        columns: Sequence[ColumnSpec],
        *,
        listed: bool = True,
    ) -> Table:
        """A table with a row for each thing."""
        rows = [[value_of(thing) for *_, value_of in columns] for thing in things]
        return cls(name, title, [Column(head, kind) for head, kind, _ in columns], rows, listed)

    def cell_texts(self) -> list[list[CellText]]:
        """All cells as people see them."""
        return [
            [
                CellText(NOTHING) if cell is None else column.kind.show(cell)
                for column, cell in zip(self.columns, row, strict=True)
            ]
            for row in self.rows
        ]


Block: TypeAlias = Prose | Points | Code | Plot | Table


@dataclass(frozen=True)
class Section:
    """Blocks under a heading."""

    title: str
    blocks: Sequence[Block]

    @property
    def anchor(self) -> str:
        """The name by which a page links to it."""
        return re.sub("[^a-z0-9]+", "-", self.title.lower()).strip("-")


@dataclass(frozen=True)
class Content:
    """The whole report; `notices` are what must be read before any figure."""

    title: str
    lead: str
    notices: Sequence[str]
    sections: Sequence[Section]


def csv_text(table: Table) -> str:
    """Heads and rows, a field for each number; a missing value is an empty field."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(
        [f"{column.name}{head}" for column in table.columns for head in column.kind.heads]
    )
    for row in table.rows:
        fields: list[str] = []
        for column, cell in zip(table.columns, row, strict=True):
            kind = column.kind
            fields += [""] * len(kind.heads) if cell is None else kind.fields(cell)
        writer.writerow(fields)
    return stream.getvalue()


def _interval(figure: Figure, text: Callable[[float], str]) -> str:
    if figure.low is None or figure.high is None:
        return ""
    return f"{text(figure.low)} to {text(figure.high)}"


def _percent(value: float) -> str:
    return f"{100 * value:.2f}"


def _points(value: float) -> str:
    return f"{100 * value:+.2f}"


def _exact(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.4f}"


def _of(share: tuple[int, int]) -> float:
    count, whole = share
    return 100 * count / whole if whole else 0.0


def _estimate(figure: Figure) -> CellText:
    if figure.value is None:
        return CellText(NOTHING)
    return CellText(_percent(figure.value), _interval(figure, _percent))


def _difference(figure: Figure) -> CellText:
    if figure.value is None:
        return CellText(NOTHING)
    return CellText(
        _points(figure.value) + ("*" if is_sure(figure) else ""), _interval(figure, _points)
    )


def is_sure(difference: Figure) -> bool:
    """Whether its interval leaves out 0."""
    low, high = difference.low, difference.high
    return low is not None and high is not None and (low > 0 or high < 0)


def _three(figure: Figure) -> Sequence[str]:
    return [_exact(figure.value), _exact(figure.low), _exact(figure.high)]


def _p_value(p: float) -> CellText:
    return CellText("< 0.001" if p < 0.001 else f"{p:.3f}")


TEXT = Kind(lambda text: CellText(str(text)), lambda text: [str(text)], number=False)
MODEL = Kind(
    lambda model: CellText(model.name, RANDOM if model.random else ""),
    lambda model: [model.name, "random" if model.random else "trained"],
    heads=("", " weights"),
    number=False,
)
COUNT = Kind(lambda count: CellText(f"{count:,}"), lambda count: [str(count)])
NUMBER = Kind(lambda value: CellText(f"{value:,.2f}"), lambda value: [f"{value:.6g}"])
SIZE = Kind(
    lambda value: CellText(f"{value:.2f}" if value >= 0.01 else f"{value:.1g}"),
    lambda value: [f"{value:.6g}"],
)
LOSS = Kind(lambda value: CellText(f"{value:.4f}"), lambda value: [f"{value:.6g}"])
SHARE = Kind(
    lambda share: CellText(f"{share[0]:,}", f"{_of(share):.4f}"),
    lambda share: [str(share[0]), f"{_of(share):.6f}"],
    heads=("", " %"),
)
"""A count and the whole that it is of: shown with its per cent, in as many digits as the study."""
PERCENT = Kind(lambda value: CellText(_percent(value)), lambda value: [_exact(value)])
ESTIMATE = Kind(_estimate, _three, heads=("", " low", " high"))
DIFFERENCE = Kind(_difference, _three, heads=("", " low", " high"))
P_VALUE = Kind(_p_value, lambda p: [f"{p:.6f}"])
