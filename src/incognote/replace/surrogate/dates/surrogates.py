"""The dates of one patient: shifted, and never kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from incognote.replace.surrogate.dates.birth import birth_move
from incognote.replace.surrogate.dates.parse import parse
from incognote.replace.surrogate.dates.parsed import Context
from incognote.replace.surrogate.dates.patient_shift import DateSettings, shift_of
from incognote.replace.surrogate.dates.writing import shift

Kind = Literal["shifted", "coincides", "tag"]
TAG = "[DATE]"


@dataclass(frozen=True)
class Replacement:
    """What stands in a date's place, and what the audit counts it as.

    `coincides` is a weekday, month or year that is the same after the shift; `tag` is a
    date that could not be read.
    """

    text: str = field(repr=False)
    kind: Kind


@dataclass(frozen=True)
class DateSurrogates:
    """One patient's calendar: one shift for all dates of all their notes."""

    key: bytes = field(repr=False)
    patient: str = field(repr=False)
    settings: DateSettings = field(default_factory=DateSettings)
    days: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "days", shift_of(self.key, self.patient, self.settings))

    def replace(self, text: str, context: Context, *, birth: bool = False) -> Replacement:
        """What replaces a DATE span; `birth` says that it is a date of birth."""
        parsed = parse(text, context)
        if parsed is None:
            return Replacement(TAG, "tag")
        if birth:
            parsed = birth_move(parsed, self.key, self.patient, self.settings)
        new = shift(parsed, self.days)
        if "".join(new.split()) != "".join(text.split()):
            return Replacement(new, "shifted")
        return Replacement(TAG, "tag") if parsed.full else Replacement(new, "coincides")
