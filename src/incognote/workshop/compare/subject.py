"""What encoders are compared on: annotated notes (`notes.py`), or a downstream task (`downstream.py`).

A subject knows its data, how a cell is trained and tested on them, and how the report looks. The grid,
the plan, the estimate, the pool and the choice know nothing of either. It is sent to a cell's process.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from incognote.workshop.compare.results import Part, Select

if TYPE_CHECKING:
    from torch import nn

    from incognote.workshop.compare.encoder_facts import Examination
    from incognote.workshop.compare.grid import GridEncoder
    from incognote.workshop.compare.plan import Cell
    from incognote.workshop.compare.results import Comparison
    from incognote.workshop.training.epochs import Tick, Watch
    from incognote.workshop.training.run_options import EpochOptions

Say = Callable[[str], None]
T = TypeVar("T")


_MOST_SECONDS, _MOST_STEPS = 3.0, 8
"""Training steps that are enough to know how fast they are."""


@dataclass(frozen=True)
class Speed:
    """Seconds per character: to train on once, and to predict for."""

    train: float
    find: float


class Enough(BaseException):
    """Enough steps were taken to know how fast they are."""


class StepTimes:
    """Watches some steps of a run, then ends it."""

    def __init__(self) -> None:
        self._ticks: list[tuple[float, int]] = []

    def watch(self, tick: Tick) -> None:
        """Note seconds and tokens so far."""
        self._ticks.append((tick.progress.seconds, tick.progress.tokens))
        seconds = self._ticks[-1][0] - self._ticks[0][0]
        if len(self._ticks) > _MOST_STEPS or (len(self._ticks) > 1 and seconds > _MOST_SECONDS):
            raise Enough

    @property
    def seconds_a_token(self) -> float:
        """Step by step; the first also warms up, unless it is the only one."""
        seconds, tokens = self._ticks[-1]
        if len(self._ticks) > 1:
            seconds, tokens = seconds - self._ticks[0][0], tokens - self._ticks[0][1]
        return seconds / tokens


class PassCounts:
    """Counts the sequences and batches that a model reads, and how long it takes."""

    def __init__(self) -> None:
        self.sequences = self.batches = 0
        self.seconds = 0.0

    @contextmanager
    def of(self, model: nn.Module) -> Iterator[None]:
        """What it reads in the meantime."""

        def count(module: Any, args: Any, kwargs: dict[str, Any]) -> None:
            self.sequences += len(kwargs["lengths"])
            self.batches += 1

        hook = model.register_forward_pre_hook(count, with_kwargs=True)
        began = time.perf_counter()
        try:
            yield
        finally:
            self.seconds = time.perf_counter() - began
            hook.remove()

    def rates(self, things: str, count: int) -> dict[str, float]:
        """For machine.json: a step is a batch, a sample a sequence; and how many `things` a second."""
        return {
            "seconds": round(self.seconds, 3),
            "samples_per_second": round(self.sequences / self.seconds, 3),
            "steps_per_second": round(self.batches / self.seconds, 3),
            f"{things}_per_second": round(count / self.seconds, 3),
        }


def spread_sample(things: Sequence[T], size_of: Callable[[T], int], most: int) -> list[T]:
    """Things from all over a part, up to so many characters, at least one."""
    step = max(1, sum(map(size_of, things)) // most)
    return list(things[::step]) or list(things[:1])


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

    def passes(self, options: EpochOptions) -> float:
        """How often a cell reads the training part."""

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
