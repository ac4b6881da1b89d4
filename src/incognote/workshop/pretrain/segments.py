"""How text is cut into sequences: a plan for an epoch, and each sequence by its number in it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from incognote.align.units import Flags, Integers
from incognote.workshop.pretrain.corpus.joining import joined
from incognote.workshop.pretrain.frame import Frame, Framed
from incognote.workshop.pretrain.stream import Block, Stream

Small = npt.NDArray[np.uint16]

_PACKED = 1000
LONGEST = 2**16 - 1
"""Pieces of a sequence, which a plan counts in two bytes."""

PAIRS = {"segment-pair": "nsp", "sentence-pair": "nsp", "sentence-order": "sop"}
"""Inputs with two segments, and the question that their labels answer."""


@dataclass(frozen=True, eq=False)
class Plan:
    """All sequences of an epoch, [sequences] each; 15 bytes for every one.

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
    def of(cls, rows: Rows, left_out: Mapping[str, int]) -> Plan:
        """From columns as above, put in the order of the text."""
        columns = dict(zip(_KINDS, rows.columns(), strict=True))
        order = np.argsort(columns["begins"], kind="stable")
        ordered: dict[str, Any] = {name: column[order] for name, column in columns.items()}
        return cls(**ordered, left_out=left_out)

    @classmethod
    def joined(cls, plans: Iterable[Plan]) -> Plan:
        """One plan of several blocks', each of which is let go of on the way."""
        columns: dict[str, deque[Any]] = {name: deque() for name in _KINDS}
        left_out: Counter[str] = Counter()
        for plan in plans:
            for name, column in columns.items():
                column.append(getattr(plan, name))
            left_out.update(plan.left_out)
        whole: dict[str, Any] = {name: joined(columns[name], _KINDS[name]) for name in _KINDS}
        return cls(**whole, left_out=dict(sorted(left_out.items())))

    def only(self, chosen: Integers) -> Plan:
        """The same of some sequences."""
        columns: dict[str, Any] = {name: getattr(self, name)[chosen] for name in _KINDS}
        return replace(self, **columns)


_KINDS: dict[str, Any] = {
    "begins": np.int64,
    "borders": np.uint16,
    "sizes": np.uint16,
    "rooms": np.uint16,
    "random": np.bool_,
}


class Rows:
    """The columns of a plan, from some sequences at a time: a long document gives one at a time."""

    def __init__(self) -> None:
        self._packed: list[tuple[Any, ...]] = []
        self._new: list[tuple[Integers | Flags, ...]] = []

    def add(self, *row: Integers | Flags) -> None:
        """Some sequences, each column [sequences]."""
        self._new.append(row)
        if len(self._new) >= _PACKED:
            self._pack()

    def columns(self) -> tuple[Any, ...]:
        """All of them."""
        if self._new:
            self._pack()
        return tuple(map(np.concatenate, zip(*self._packed, strict=True)))

    def _pack(self) -> None:
        """An array takes a hundred bytes even for one sequence; so many become one."""
        columns = map(np.concatenate, zip(*self._new, strict=True))
        kinds = _KINDS.values()
        self._packed.append(tuple(c.astype(k) for c, k in zip(columns, kinds, strict=True)))
        self._new = []


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
