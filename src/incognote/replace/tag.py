"""Tag: the type in brackets, numbered per distinct person or value on request."""

from __future__ import annotations

from dataclasses import dataclass

from incognote.document import Document, Span
from incognote.replace.operator import Replacer
from incognote.replace.persons import number_mentions


@dataclass(frozen=True)
class Tag:
    """`Dr. Okafor` becomes `Dr. [DOCTOR]`, or `Dr. [DOCTOR-2]` with `number`.

    Numbers count within a note, in order of first mention, so that a note's output does not
    depend on the notes before it.
    """

    number: bool = False

    def begin(self, document: Document) -> Replacer:
        """The tag of each span."""
        if not self.number:
            return lambda span: f"[{span.type}]"
        numbers = number_mentions(document.spans)

        def numbered(span: Span) -> str:
            return f"[{span.type}-{numbers[span.type, span.text]}]"

        return numbered
