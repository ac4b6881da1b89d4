"""How many steps fit into some hours: measured before the first, and kept from then on."""

from __future__ import annotations

import time

from incognote.workshop.pretrain.feed import Order, Place, make_batch, packs
from incognote.workshop.pretrain.loop import EVALUATIONS, Run, new_optimizer
from incognote.workshop.training.optimizers import set_rates

MARGIN = 0.97
"""Saving, starting and a busier machine take the rest."""
_LEAST_SECONDS = 8.0
_BACKWARD = 2.0
"""A backward pass takes about twice as long as a forward one."""


def measured_steps(run: Run, hours: float) -> int:
    """Steps that take about so many hours, evaluation included; the run is left as it was."""
    settings = run.settings
    whole = sum(share for _, share in settings.lengths)
    step = sum(_step_seconds(run, length) * share / whole for length, share in settings.lengths)
    # All processes must come to the same number.
    step = run.processes.total(step if run.processes.leads else 0.0)[0]
    length = settings.evaluate_length or settings.lengths[0][0]
    sequence = _pieces_seconds(run, step) * length / (1 + _BACKWARD)
    passes = EVALUATIONS if settings.evaluate_every is None else 0
    looked = sequence * (passes * settings.evaluate_examples + settings.final_examples)
    if not len(run.shards.held_out):
        looked = 0.0
    room = hours * 3600 * MARGIN - looked
    if settings.evaluate_every is not None:
        step += sequence * settings.evaluate_examples / settings.evaluate_every
    return max(1, int(room / step))


def _pieces_seconds(run: Run, step: float) -> float:
    """Seconds for a piece of a step."""
    settings = run.settings
    whole = sum(share for _, share in settings.lengths)
    pieces = sum(n * settings.sequences(n) * share / whole for n, share in settings.lengths)
    return step / pieces


def _step_seconds(run: Run, length: int) -> float:
    """Seconds of a step: some packs of one are computed, at a learning rate of 0."""
    settings, examples = run.settings, run.examples(length)
    chosen, _ = Order(examples, settings.seed).take(Place(0, 0), settings.sequences(length))
    planned = packs(examples, run.processes.share(chosen), settings.pack)
    began, done = time.perf_counter(), -1
    while done < 1 or _all_go_on(run, time.perf_counter() - began < _LEAST_SECONDS):
        if done == 0:
            began = time.perf_counter()  # the first is slow
        chosen_packs = [planned[(done + 1) % len(planned)]] if planned else []
        run.gradients([make_batch(run.objective, examples, pack) for pack in chosen_packs])
        done += 1
    packed = (time.perf_counter() - began) / done * len(planned)
    began = time.perf_counter()
    set_rates(run.optimizer, 0.0)
    run.optimizer.step()
    taken = time.perf_counter() - began
    run.optimizer.zero_grad(set_to_none=True)
    run.optimizer = new_optimizer(run.module, settings)
    return packed + taken


def _all_go_on(run: Run, more: bool) -> bool:
    """What the process that leads says: all must compute equally often, or one waits for ever."""
    return bool(run.processes.total(float(more and run.processes.leads))[0])
