"""Keep: the identifier is found and counted, but stays, as in `--replace tag,AGE=keep`."""

from __future__ import annotations

from dataclasses import dataclass

from incognote.document import Document
from incognote.replace.operator import KEPT, Remarked, Replacer


@dataclass(frozen=True)
class Keep:
    """For types that a release may show, such as ages under a data use agreement."""

    def begin(self, document: Document) -> Replacer:
        """The span's own text, which the audit counts as kept."""
        return lambda span: Remarked(span.text, KEPT)
