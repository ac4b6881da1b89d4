"""What a mention was read as: a kind of value, the value itself, and how a fake of it is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from incognote.replace.surrogate.keyed import Keyed
from incognote.replace.surrogate.numbers.shape import compact

Writer = Callable[[str, Keyed, int], str]
"""From a mention's text, the keyed source and the turn to the text in its place."""


@dataclass(frozen=True)
class NumberMention:
    """The text of a span, its type, and what stands before it, for labels such as NPI."""

    text: str = field(repr=False)
    type: str
    before: str = field(default="", repr=False)

    @cached_property
    def plain(self) -> str:
        """Its letters and digits."""
        return compact(self.text)


@dataclass(frozen=True)
class Value:
    """Mentions of one kind and core are of one thing, however they are punctuated."""

    kind: str
    core: str = field(repr=False)
    write: Writer = field(repr=False, compare=False)
