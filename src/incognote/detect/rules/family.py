"""What a rule family is: a name, the types it may find, and a function from a note to spans."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from incognote.detect.reading import Reading
from incognote.document import Span


@dataclass(frozen=True)
class Family:
    """One kind of identifier and the rules for it.

    `find` reads a whole note and yields spans in any order, overlapping or not; its time grows
    linearly with the note.
    """

    name: str
    types: frozenset[str]
    find: Callable[[Reading], Iterable[Span]]

    @property
    def source(self) -> str:
        """What its spans name as their detector."""
        return f"rules.{self.name}"
