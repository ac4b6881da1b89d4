"""How a run is divided: the processes that it is worth, and the threads of each."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
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

    def to_json(self) -> dict[str, Any]:
        """For the audit; a way of two processes of one thread is `2x1`."""
        rates = {f"{workers}x{threads}": rate for (workers, threads), rate in self.rates.items()}
        return {
            "workers": self.workers,
            "threads": self.threads,
            "windows_per_second": {way: round(rate, 1) for way, rate in rates.items()} or None,
        }


def equal_division(workers: int, *, model: bool) -> Division:
    """So many processes share the machine's cores, of which rules need one each."""
    return Division(workers, max(1, cores() // max(1, workers)) if model else 1)


def choose_division(inputs: Iterable[Input], choice: Choice) -> Division:
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
        rates = measure_rates(choice, ways(most))
        if rates:
            return Division(*best_way(rates), rates)
    return equal_division(max(1, min(most, size // worth)), model=model)


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


def best_way(rates: Mapping[Way, float]) -> Way:
    """The way that reads most, the earlier of equal ones.

    Whatever the network gains by threads, the part of Python is shared by processes only, so more
    of these are preferred.
    """
    window = min(workers * threads / rate for (workers, threads), rate in rates.items())

    def seconds(way: Way) -> float:
        return 1 / rates[way] + PYTHON_PART * window / way[0]

    return min(rates, key=seconds)


# How fast this machine reads, divided one way or another: measured in about a second


TURN_SECONDS = 0.15
SECONDS = 0.8
"""No way is measured again after this."""

NOTE = """\
Ms. Adeyemi is a 61-year-old teacher who was seen on 3/14/2019 for follow-up of type 2 diabetes
and hypertension. She reports occasional dizziness in the morning and no chest pain, no fever and
no weight loss. Blood pressure 142/88, pulse 76 and regular. Lungs clear, abdomen soft, no edema.
Hemoglobin A1c 7.9 percent, creatinine 1.1. Metformin 1000 mg twice daily is continued, lisinopril
is increased to 20 mg daily. She will call the clinic if the dizziness gets worse, and returns in
three months. Dr. Okafor was informed.
"""


def measure_rates(choice: Choice, ways: Sequence[Way]) -> dict[Way, float]:
    """Windows a second of each way, at its best; none if anything is odd, for no run depends on it."""
    with suppress(Exception):
        rates = _rates(choice, ways)
        if all(math.isfinite(rate) and rate > 0 for rate in rates.values()):
            return rates
    return {}


def _rates(choice: Choice, ways: Sequence[Way]) -> dict[Way, float]:
    """By the first network of the chosen variant, on one window of an ordinary note."""
    from incognote.detect.model_member import first_window
    from incognote.onnx.model_folder import read_model
    from incognote.onnx.sessions import Network

    assert choice.model is not None
    model = read_model(choice.model)
    member = model.members[model.variant(choice.speed).members[0]]
    window = first_window(choice.model, member, NOTE * 5)
    runs: dict[int, Callable[[], object]] = {}
    for threads in {threads for _, threads in ways}:
        network = Network(choice.model / member.network, threads=threads)
        runs[threads] = partial(network.run, **window)
        runs[threads]()
    rates = dict.fromkeys(ways, 0.0)
    end = time.perf_counter() + SECONDS
    while True:
        for way in ways:
            rates[way] = max(rates[way], _rate(runs[way[1]], way))
        if time.perf_counter() >= end:
            return rates


def _rate(run: Callable[[], object], way: Way) -> float:
    """Windows a second, from a thread for each process: onnxruntime does not hold Python's lock, so
    they do as processes would.

    Their clocks stand still while other programs have the core, or a busy moment would decide for
    the night. That of several threads in one process cannot; what they lose by it goes to processes.
    """
    workers, threads = way
    clock = time.thread_time if threads == 1 else time.perf_counter

    def own_rate(_: int) -> float:
        end = time.perf_counter() + TURN_SECONDS
        begin, windows = clock(), 0
        while not windows or time.perf_counter() < end:
            run()
            windows += 1
        return windows / (clock() - begin)

    with ThreadPoolExecutor(workers) as pool:
        return sum(pool.map(own_rate, range(workers)))
