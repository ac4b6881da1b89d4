"""What an operator is: given a note, it says what stands in each span's place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from incognote.document import Document, Span

KEPT = "kept"
"""The remark on an identifier that stays as it was."""


@dataclass(frozen=True)
class Remarked:
    """A replacement that the audit counts apart, such as a tag where no surrogate could be made."""

    text: str = field(repr=False)
    remark: str


Replacer = Callable[[Span], "str | Remarked"]


class Operator(Protocol):
    """A way to replace. It holds settings only; what it learns of a note stays with that note."""

    def begin(self, document: Document) -> Replacer:
        """A function from the note's spans, in order, to what replaces them."""
        ...
