"""What encoders are compared on: annotated notes (`notes.py`), or a downstream task (`downstream.py`).

A subject knows its data, how a cell is trained and tested on them, and how the report looks. The grid,
the plan, the estimate, the pool and the choice know nothing of either. It is sent to a cell's process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from incognote.workshop.compare.results import Part, Select

if TYPE_CHECKING:
    from incognote.workshop.compare.encoder_facts import Examination
    from incognote.workshop.compare.grid import GridEncoder
    from incognote.workshop.compare.plan import Cell
    from incognote.workshop.compare.results import Comparison
    from incognote.workshop.training.epochs import Watch
    from incognote.workshop.training.run_options import EpochOptions

Say = Callable[[str], None]


class Enough(BaseException):
    """Enough steps were taken to know how fast they are."""


@dataclass(frozen=True)
class Speed:
    """Seconds per character: to train on once, and to predict for."""

    train: float
    find: float


@dataclass(frozen=True, kw_only=True)
class CellWork:
    """A cell with all that it needs, to be sent to its process."""

    cell: Cell
    subject: Subject
    threads: int


@dataclass(frozen=True)
class Afterwork:
    """What chosen cells do when all are done; `failure` opens the sentence that says they could not."""

    work: Callable[[CellWork, Callable[[Any], None]], None]
    cells: frozenset[str]
    failure: str


class Subject(Protocol):
    """What cells are trained, chosen and tested on."""

    @property
    def metric(self) -> str:
        """The figure of an epoch that is shown while a cell runs."""

    @property
    def sources(self) -> Sequence[str]:
        """The sources of its data, if there are several."""

    @property
    def folds(self) -> Sequence[str]:
        """The sources that are left out in turn."""

    def fold(self, source: str | None) -> Subject:
        """Without that source in training, tested on it; itself for None."""

    def characters(self, part: Part) -> int:
        """How much a part has to read."""

    def deciding(self, say: Say) -> dict[str, Any]:
        """What decides every cell besides encoder and options: `data`, a fingerprint, and `labels`."""

    def described(self) -> dict[str, Any]:
        """What else comparison.json says of it, `parts` among it."""

    def examine(self, encoder: GridEncoder, cells: Sequence[EpochOptions]) -> Examination:
        """Start once as a cell would, so that what cannot be started is refused before the first."""

    def check_cell(
        self, encoder: GridEncoder, options: EpochOptions, examination: Examination
    ) -> None:
        """Refuse options that do not fit the encoder."""

    def option_values(self, options: EpochOptions) -> dict[str, Any]:
        """The options as they decide a cell's figures, whatever names they have on this machine."""

    def check_choice(self, folder: Path, before: Mapping[str, Any], select: Select) -> None:
        """Refuse to choose otherwise than before where what would be chosen has no weights any more."""

    def run(self, cell: Cell, threads: int, watch: Watch) -> dict[str, Any]:
        """Train a cell from where it was and test it; how fast `training` and `prediction` went."""

    def measure(self, cell: Cell, threads: int) -> Speed:
        """Time some steps of a cell, and some predictions."""

    def afterwards(
        self, comparison: Comparison, *, with_rules: bool, say: Say
    ) -> Iterator[Afterwork]:
        """What is left to do of chosen cells."""

    def write_report(self, folder: Path, comparison: Comparison) -> None:
        """Write the report over the one before it."""
