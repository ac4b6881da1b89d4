"""Which examples make a step, and the making of them, ahead of their use where that pays.

What a step is made of follows from the seed and the place in an epoch alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from incognote.base.errors import TrainError
from incognote.base.workers import BrokenProcessPool, WorkerPool, in_order
from incognote.workshop.pretrain.examples import Examples
from incognote.workshop.pretrain.objectives.objective import Batch, Objective

_AHEAD = 2
"""Steps that workers are ahead."""

Numbered = tuple[int, int]
"""An example: its epoch and index."""

Numbers = npt.NDArray[np.uint32]


class Place(NamedTuple):
    """Where in the epochs a step begins."""

    epoch: int
    place: int


class Order:
    """The examples of each epoch once, shuffled."""

    def __init__(self, examples: Examples, seed: int) -> None:
        self.examples = examples
        self.seed = seed
        self._shuffled: tuple[int, Numbers] = (-1, np.zeros(0, np.uint32))

    def take(self, begin: Place, count: int) -> tuple[list[Numbered], Place]:
        """The next `count` examples from a place, over the ends of epochs, and the place after.

        Examples of earlier epochs are no more asked for.
        """
        self.examples.forget_before(begin.epoch)
        numbers: list[Numbered] = []
        epoch, place = begin
        while len(numbers) < count:
            order = self._epoch(epoch)
            part = order[place : place + count - len(numbers)].tolist()
            numbers += [(epoch, index) for index in part]
            place += len(part)
            if place >= len(order):
                epoch, place = epoch + 1, 0
        return numbers, Place(epoch, place)

    def _epoch(self, epoch: int) -> Numbers:
        if self._shuffled[0] != epoch:
            length = self.examples.settings.length
            self._shuffled = -1, np.zeros(0, np.uint32)  # two need not be there at once
            order = np.arange(self.examples.count(epoch), dtype=np.uint32)
            np.random.default_rng([self.seed, length, epoch]).shuffle(order)
            self._shuffled = epoch, order
        return self._shuffled[1]


def packs(examples: Examples, numbers: Sequence[Numbered], tokens: int) -> list[list[Numbered]]:
    """Examples of like length together, as few packs as hold about so many tokens, all alike full."""
    sizes: dict[Numbered, int] = {}
    for epoch, group in groupby(sorted(numbers), key=itemgetter(0)):
        some = list(group)
        lengths = examples.lengths(epoch, np.array([index for _, index in some]))
        sizes.update(zip(some, lengths.tolist(), strict=True))
    ordered = sorted(numbers, key=lambda each: sizes[each])
    total = sum(sizes[each] for each in ordered)
    room = total / max(1, -(-total // tokens))
    groups: list[list[Numbered]] = []
    filled = 0
    for each in ordered:
        # A pack begins where its share of all tokens does.
        if not groups or filled >= len(groups) * room:
            groups.append([])
        groups[-1].append(each)
        filled += sizes[each]
    return groups


def make_batch(objective: Objective, examples: Examples, pack: Sequence[Numbered]) -> Batch:
    """The examples of a pack, made and put together."""
    return objective.batch([examples.example(epoch, index) for epoch, index in pack])


class Feed:
    """Makes the batches of one step after the other; `workers` processes are ahead of it."""

    def __init__(self, objective: Objective, examples: Examples, workers: int) -> None:
        self.objective, self.examples = objective, examples
        self._pool: WorkerPool[Sequence[Numbered], Batch] | None = None
        if workers:
            self._pool = WorkerPool(partial(_batch_maker, objective, examples), workers)

    def steps(self, planned: Iterator[Sequence[Sequence[Numbered]]]) -> Iterator[Iterator[Batch]]:
        """For each step, given as its packs, an iterator of its batches."""
        if self._pool is None:
            for step in planned:
                yield (make_batch(self.objective, self.examples, pack) for pack in step)
            return
        with _alive():
            yield from in_order(planned, partial(_submit, self._pool), _AHEAD + 1)

    def close(self) -> None:
        """End the workers."""
        if self._pool is not None:
            self._pool.close()


def _submit(
    pool: WorkerPool[Sequence[Numbered], Batch], step: Sequence[Sequence[Numbered]]
) -> Callable[[], Iterator[Batch]]:
    futures = [pool.submit(list(pack)) for pack in step]
    return lambda: _results(futures)


def _results(futures: Sequence[Future[Batch]]) -> Iterator[Batch]:
    for future in futures:
        with _alive():
            batch = future.result()
        yield batch


@contextmanager
def _alive() -> Iterator[None]:
    try:
        yield
    except BrokenProcessPool:
        raise TrainError(
            "a process that makes examples died, perhaps for want of memory: continue with --resume, "
            "perhaps with fewer --workers"
        ) from None


def _batch_maker(objective: Objective, examples: Examples) -> Callable[[Sequence[Numbered]], Batch]:
    """The work of a process, which has no threads of its own."""
    torch.set_num_threads(1)
    return partial(make_batch, objective, examples)
