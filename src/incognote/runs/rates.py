"""How fast this machine reads, divided one way or another: measured in about a second."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial

from incognote.detect.finder import Choice
from incognote.detect.model_member import first_window
from incognote.onnx.model_folder import read_model
from incognote.onnx.sessions import Network
from incognote.runs.workers import Way

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


def measured(choice: Choice, ways: Sequence[Way]) -> dict[Way, float]:
    """Windows a second of each way, at its best; none if anything is odd, for no run depends on it."""
    with suppress(Exception):
        rates = _rates(choice, ways)
        if all(math.isfinite(rate) and rate > 0 for rate in rates.values()):
            return rates
    return {}


def _rates(choice: Choice, ways: Sequence[Way]) -> dict[Way, float]:
    """By the first network of the chosen variant, on one window of an ordinary note."""
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
