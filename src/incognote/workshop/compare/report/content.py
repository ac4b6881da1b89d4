"""What a report says, before it is HTML or Markdown: sections of blocks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from incognote.workshop.compare.report.table import Table


@dataclass(frozen=True)
class Prose:
    """A paragraph."""

    text: str


@dataclass(frozen=True)
class Points:
    """Sentences, one below the other."""

    sentences: Sequence[str]


@dataclass(frozen=True)
class Code:
    """What can be copied into a shell."""

    text: str


@dataclass(frozen=True)
class Plot:
    """An image by format; `title` stands above it, `told` says what it shows to who cannot see."""

    name: str
    title: str
    told: str
    images: Mapping[str, bytes]


Block: TypeAlias = Prose | Points | Code | Plot | Table


@dataclass(frozen=True)
class Section:
    """Blocks under a heading."""

    title: str
    blocks: Sequence[Block]

    @property
    def anchor(self) -> str:
        return re.sub("[^a-z0-9]+", "-", self.title.lower()).strip("-")


@dataclass(frozen=True)
class Content:
    """The whole report; `notices` are what must be read before any figure."""

    title: str
    lead: str
    notices: Sequence[str]
    sections: Sequence[Section]
