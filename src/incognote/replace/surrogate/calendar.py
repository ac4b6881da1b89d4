"""The dates and ages of a note, read together and moved by the patient's one shift."""

from __future__ import annotations

import re
from functools import cached_property

from incognote.document import Document, Span
from incognote.replace.operators import Remarked
from incognote.replace.surrogate.dates import (
    AgeReplacement,
    AgeSurrogates,
    Context,
    DateSettings,
    DateSurrogates,
    Replacement,
    beside,
    read_note,
)
from incognote.replace.surrogate.dates.parsed import Order

REMARKS = {"tag": "tagged", "coincides": "coincides", "kept": "kept", "capped": "capped"}
"""What the audit calls the ways of dates and ages that it counts; a plain shift is not counted."""

_BIRTH = re.compile(
    r"(?i)(?:\bd\.?\s?o\.?\s?b\b\.?|\bbirth\s?-?(?:date|day)|\bdate\s+of\s+birth|\bborn(?:\s+(?:on|in))?|\bbday"
    r"|(?<![a-z])b\.)(?:\s?\([^()\n]{0,16}\))?[\s:.,=_(#-]{0,24}$"
)
_BEFORE = 48


class Calendar:
    """What stands in the place of each DATE and AGE span of a note."""

    def __init__(
        self,
        document: Document,
        key: bytes,
        patient: str,
        settings: DateSettings,
        order: Order | None = None,
    ) -> None:
        """With an `order`, dates are read so whatever the note's others tell."""
        self._document = document
        self._otherwise = settings.order
        self._order = order
        self._dates = DateSurrogates(key, patient, settings)
        self._ages = AgeSurrogates(key, patient, settings)

    def replace(self, span: Span) -> str | Remarked:
        """The date or age in a span's place."""
        date = span.type == "DATE"
        new: Replacement | AgeReplacement = (
            self._date(span) if date else self._ages.replace(span.text)
        )
        remark = REMARKS.get(new.kind)
        return new.text if remark is None else Remarked(new.text, remark)

    def _date(self, span: Span) -> Replacement:
        text = self._document.text
        birth = _BIRTH.search(text[max(0, span.start - _BEFORE) : span.start]) is not None
        context = beside(self._context, text, span.start, span.end)
        return self._dates.replace(span.text, context, birth=birth)

    @cached_property
    def _context(self) -> Context:
        return read_note(
            (span.text for span in self._document.spans if span.type == "DATE"),
            self._otherwise,
            self._order,
        )
