"""Which group of notes goes to which part of a split.

A group is what must stay together: the notes of a patient, or a single note. Parts are filled by
notes: none gets more than its share by as much as the largest group has, and single notes fill
them exactly. Only a part that would stay empty is given a group beyond that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random


@dataclass(frozen=True)
class Group:
    """`size` notes with the spans of each type counted."""

    key: str
    size: int
    types: Mapping[str, int]


def shares(total: int, ratio: Sequence[Fraction]) -> list[int]:
    """Whole numbers in the ratio that add up to the total, by largest remainder."""
    exact = [total * part / sum(ratio) for part in ratio]
    whole = [int(value) for value in exact]
    order = sorted(range(len(ratio)), key=lambda part: (whole[part] - exact[part], part))
    for part in order[: total - sum(whole)]:
        whole[part] += 1
    return whole


def assign(
    groups: Sequence[Group], ratio: Sequence[Fraction], seed: int, *, stratify: bool = False
) -> dict[str, int]:
    """The part of each group by its key, the same whatever the order of the groups."""
    order = sorted(groups, key=lambda group: group.key)
    Random(seed).shuffle(order)
    order.sort(key=lambda group: -group.size)
    filling = _Filling(shares(sum(group.size for group in groups), ratio))
    if stratify:
        _stratify(order, ratio, filling)
    for group in order:
        if group.key not in filling.parts:
            filling.put(group, filling.emptiest())
    _give_to_empty(order, filling)
    return filling.parts


class _Filling:
    def __init__(self, wanted: list[int]) -> None:
        self.wanted = wanted
        self.parts: dict[str, int] = {}

    def put(self, group: Group, part: int) -> None:
        self.parts[group.key] = part
        self.wanted[part] -= group.size

    def emptiest(self) -> int:
        return max(range(len(self.wanted)), key=lambda part: self.wanted[part])


def _stratify(order: Sequence[Group], ratio: Sequence[Fraction], filling: _Filling) -> None:
    """Iterative stratification (Sechidis and others 2011), by counts of spans.

    The type with the fewest groups left is shared out first, while there is choice: each of its
    groups goes to the part that lacks most of the type, unless that part has all its notes.
    """
    left: Counter[str] = Counter(type for group in order for type in group.types)
    total: Counter[str] = Counter()
    for group in order:
        total.update(group.types)
    lacking = {type: [count * part / sum(ratio) for part in ratio] for type, count in total.items()}
    while left:
        rarest = min(left, key=lambda type: (left[type], type))
        having = [g for g in order if rarest in g.types and g.key not in filling.parts]
        for group in sorted(having, key=lambda group: -group.types[rarest]):
            open_parts = [part for part, wanted in enumerate(filling.wanted) if wanted > 0]
            part = max(open_parts, key=lambda part: (lacking[rarest][part], filling.wanted[part]))
            filling.put(group, part)
            for type, count in group.types.items():
                lacking[type][part] -= count
                left[type] -= 1
        left = Counter({type: count for type, count in left.items() if count > 0})


def _give_to_empty(order: Sequence[Group], filling: _Filling) -> None:
    """A part without a group gets the smallest of the part that has most, if that has several."""
    for part in range(len(filling.wanted)):
        having = Counter(filling.parts.values())
        richest = max(having, key=lambda part: (having[part], -part), default=part)
        if part not in having and having[richest] > 1:
            smallest = [group for group in order if filling.parts[group.key] == richest][-1]
            filling.put(smallest, part)
