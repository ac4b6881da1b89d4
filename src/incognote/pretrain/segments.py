"""How text is cut into sequences: a plan for an epoch, and each sequence by its number in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from incognote.align.units import Flags, Integers
from incognote.pretrain.frame import Frame, Framed
from incognote.pretrain.stream import Stream
from incognote.training.errors import TrainError

Small = npt.NDArray[np.int32]

PAIRS = {"segment-pair": "nsp", "sentence-pair": "nsp", "sentence-order": "sop"}
"""Inputs with two segments, and the question that their labels answer."""


@dataclass(frozen=True, eq=False)
class Plan:
    """All sequences of an epoch, [sequences] each; some tens of bytes for every one.

    begins: places in the stream. borders: pieces of the first segment, without separators; where
    there is no second, of all.
    sizes: pieces of all, with them. rooms: how many pieces there might be. random: the second segment is to
    come from another document. left_out: what no pair has, by its reason.
    """

    begins: Integers
    borders: Small
    sizes: Small
    rooms: Small
    random: Flags
    left_out: Mapping[str, int]

    @classmethod
    def joined(cls, plans: Iterable[Plan]) -> Plan:
        """One plan of several blocks'."""
        parts = list(plans)
        names = {name for plan in parts for name in plan.left_out}
        small = np.zeros(0, np.int32)
        return cls(
            np.concatenate([np.zeros(0, np.int64), *(plan.begins for plan in parts)]),
            np.concatenate([small, *(plan.borders for plan in parts)]),
            np.concatenate([small, *(plan.sizes for plan in parts)]),
            np.concatenate([small, *(plan.rooms for plan in parts)]),
            np.concatenate([np.zeros(0, np.bool_), *(plan.random for plan in parts)]),
            {name: sum(plan.left_out.get(name, 0) for plan in parts) for name in sorted(names)},
        )


class Planner(Protocol):
    """One kind of input."""

    needs: str
    """What text must have for it, for an error."""

    def added(self, plan: Plan) -> Integers:
        """Special pieces around each sequence."""
        ...

    def plan(self, draws: np.random.Generator) -> Plan:
        """Cut all text anew."""
        ...

    def framed(self, plan: Plan, index: int, draws: np.random.Generator) -> Framed:
        """A sequence of the plan."""
        ...


def planner(
    inputs: str, stream: Stream, frame: Frame, length: int, short: float, *, unpaired: bool
) -> Planner:
    """The planner of that name."""
    from incognote.pretrain.segments_pairs import NextSentence, SentenceOrder
    from incognote.pretrain.segments_runs import Runs

    if inputs == "sentence-order":
        return SentenceOrder(stream, frame, length, short, unpaired)
    if inputs in PAIRS:
        if len(stream.documents) < 2:
            raise TrainError("next-sentence pairs need at least two documents")
        return NextSentence(stream, frame, length, short, unpaired, inputs == "sentence-pair")
    return Runs(stream, frame, length, short, across=inputs == "full-sentences")


def targets(
    room: int, short: float, least: int, count: int, draws: np.random.Generator
) -> Integers:
    """How many pieces each of `count` sequences aims at: all the room, or at random fewer."""
    fewer = draws.integers(least, room + 1, count)
    return np.where(draws.random(count) < short, fewer, room)
