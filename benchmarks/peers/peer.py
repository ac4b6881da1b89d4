"""What there is to know of a peer: what to install, how it is set, what its labels mean.

Peers run in environments of their own, so this and their files need only the standard library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

Found = tuple[int, int, str, float]
"""Start, end, the peer's own label, its score; offsets in code points of the original text."""

Find = Callable[[Sequence[str]], Iterable[list[Found]]]
"""What a peer's file gives to be measured: the findings of each note, in order."""

CATEGORIES = ("NAME", "PROFESSION", "LOCATION", "AGE", "DATE", "CONTACT", "ID")
"""The categories of i2b2 2014, in which labels of different schemes can be compared."""


@dataclass(frozen=True)
class Peer:
    """One way to run one peer.

    `module` is the file in this folder that runs it, `variant` what that file is told. `packages`
    go to pip as they stand; `alone` are installed without their dependencies and whatever their
    Python, for what they carry. `categories` tells what each label means; labels that are missing
    there fit no category, and without it the peer names no types worth comparing.
    """

    name: str
    title: str
    module: str
    settings: str
    packages: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()
    variant: str = ""
    categories: Mapping[str, str] | None = None
