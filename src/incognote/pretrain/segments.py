"""How text is cut into sequences: a plan for an epoch, and each sequence by its number in it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from incognote.align.units import Flags, Integers
from incognote.pretrain.frame import Frame, Framed
from incognote.pretrain.stream import Block, Stream

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
    def of(cls, rows: Iterable[Sequence[Integers | Flags]], left_out: Mapping[str, int]) -> Plan:
        """From columns as above, of some sequences at a time; put in the order of the text."""
        columns = dict(zip(_KINDS, map(np.concatenate, zip(*rows, strict=True)), strict=True))
        order = np.argsort(columns["begins"], kind="stable")
        typed: dict[str, Any] = {n: c[order].astype(_KINDS[n]) for n, c in columns.items()}
        return cls(**typed, left_out=left_out)

    @classmethod
    def joined(cls, plans: Iterable[Plan]) -> Plan:
        """One plan of several blocks'."""
        parts = list(plans)
        names = {name for plan in parts for name in plan.left_out}
        columns: dict[str, Any] = {
            name: np.concatenate([np.zeros(0, kind), *(getattr(plan, name) for plan in parts)])
            for name, kind in _KINDS.items()
        }
        counted = {name: sum(p.left_out.get(name, 0) for p in parts) for name in sorted(names)}
        return cls(**columns, left_out=counted)

    def only(self, chosen: Integers) -> Plan:
        """The same of some sequences."""
        columns: dict[str, Any] = {name: getattr(self, name)[chosen] for name in _KINDS}
        return replace(self, **columns)


_KINDS: dict[str, Any] = {
    "begins": np.int64,
    "borders": np.int32,
    "sizes": np.int32,
    "rooms": np.int32,
    "random": np.bool_,
}


@dataclass(frozen=True, eq=False)
class Planner(ABC):
    """One kind of input; `needs` is what text must have for it, for an error."""

    stream: Stream
    frame: Frame
    length: int
    short: float
    needs: ClassVar[str]

    @abstractmethod
    def added(self, plan: Plan) -> Integers:
        """Special pieces around each sequence."""

    def plan(self, draws: np.random.Generator) -> Plan:
        """Cut all text anew."""
        return Plan.joined(self._block(block, draws) for block in self.stream.blocks())

    @abstractmethod
    def _block(self, block: Block, draws: np.random.Generator) -> Plan:
        """The sequences of some documents."""

    @abstractmethod
    def framed(self, plan: Plan, index: int, draws: np.random.Generator) -> Framed:
        """A sequence of the plan."""


def targets(
    room: int, short: float, least: int, count: int, draws: np.random.Generator
) -> Integers:
    """How many pieces each of `count` sequences aims at: all the room, or at random fewer."""
    fewer = draws.integers(least, room + 1, count)
    return np.where(draws.random(count) < short, fewer, room)
