"""How a run is divided: the processes that it is worth, and the threads of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from incognote.onnx.sessions import cores
from incognote.runs.inputs import Input

if TYPE_CHECKING:
    from incognote.detect.finder import Choice

WORTH_A_WORKER = {"model": 100_000, "rules": 5_000_000}
"""Bytes of notes whose reading takes several times as long as a process takes to start."""

WORTH_MEASURING = 2_000_000
"""Bytes for each core that a model reads for a minute or more; measuring takes a second."""

PYTHON_PART = 0.2
"""What a window costs outside the network, beside what it costs inside on one core: of the whole a
sixth (docs/performance.md).
"""

Way = tuple[int, int]
"""Processes, and threads of each."""


@dataclass(frozen=True)
class Division:
    """Processes, and threads of the model in each. It decides how long a run takes, nothing else."""

    workers: int
    threads: int
    rates: Mapping[Way, float] = field(default_factory=dict)
    """What was measured to choose so, if it was: windows a second of all processes together."""

    def described(self) -> dict[str, Any]:
        """For the audit; a way of two processes of one thread is `2x1`."""
        told = {f"{workers}x{threads}": rate for (workers, threads), rate in self.rates.items()}
        return {
            "workers": self.workers,
            "threads": self.threads,
            "windows_per_second": {way: round(rate, 1) for way, rate in told.items()} or None,
        }


def shared(workers: int, *, model: bool) -> Division:
    """So many processes share the machine's cores, of which rules need one each."""
    return Division(workers, max(1, cores() // max(1, workers)) if model else 1)


def divided(inputs: Iterable[Input], choice: Choice) -> Division:
    """A process of one thread for each core, for as many as have enough to do.

    Processes share no lock and wait for nobody, so that two do nearly twice the work of one; of two
    threads in one process, one waits while Python works for the other. Not so where two cores are
    one that is seen twice, or wait for one memory. So a long run of a model measures first.
    """
    most = cores()
    model = choice.model is not None
    worth = WORTH_A_WORKER["model" if model else "rules"]
    size = _size(inputs, most * max(worth, WORTH_MEASURING))
    if model and most > 1 and size >= most * WORTH_MEASURING:
        from incognote.runs.rates import measured

        if rates := measured(choice, ways(most)):
            return Division(*best(rates), rates)
    return shared(max(1, min(most, size // worth)), model=model)


def _size(inputs: Iterable[Input], enough: int) -> int:
    size = 0
    for input in inputs:
        size += input.size()
        if size >= enough:
            break
    return size


def ways(most: int) -> list[Way]:
    """What may be best on so many cores: each a process, every other one, or all in one process."""
    return [(most, 1), (max(1, most // 2), 1), (1, most)]


def best(rates: Mapping[Way, float]) -> Way:
    """The way that reads most, the earlier of equal ones.

    Whatever the network gains by threads, the part of Python is shared by processes only, so more
    of these are preferred.
    """
    window = min(workers * threads / rate for (workers, threads), rate in rates.items())

    def seconds(way: Way) -> float:
        return 1 / rates[way] + PYTHON_PART * window / way[0]

    return min(rates, key=seconds)
