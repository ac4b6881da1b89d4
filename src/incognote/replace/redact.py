"""Redact: the identifier is removed and nothing takes its place."""

from __future__ import annotations

from dataclasses import dataclass

from incognote.document import Document
from incognote.replace.operator import Replacer


@dataclass(frozen=True)
class Redact:
    """`Seen by Dr. Okafor.` becomes `Seen by Dr. .`"""

    def begin(self, document: Document) -> Replacer:
        """Nothing, for every span."""
        return lambda span: ""
