"""How surrogates are made, beside the key."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass, field
from typing import Literal

from incognote.document import Order
from incognote.replace.surrogate.date_shift import DateSettings
from incognote.replace.surrogate.people import PeopleSettings

Consistent = Literal["patient", "corpus"]


@dataclass(frozen=True)
class SurrogateSettings:
    """`consistent` says where the same name, place or number has the same fake.

    In the notes of one patient, or everywhere. Dates and ages move by patient in any case.
    """

    dates: DateSettings = field(default_factory=DateSettings)
    people: PeopleSettings = field(default_factory=PeopleSettings)
    consistent: Consistent = "patient"

    def __post_init__(self) -> None:
        if self.consistent not in ("patient", "corpus"):
            raise ValueError("surrogates are consistent by 'patient' or by 'corpus'")


@dataclass(frozen=True)
class Avoided:
    """What is known of other notes: real words and values, which no fake may be, and in which order
    a patient's dates are written.

    `words` says whether it holds a word in small plain letters, `values` whether it holds a value
    in small letters and digits without what stands between them.
    """

    words: Container[str] = field(default=(), repr=False)
    values: Container[str] = field(default=(), repr=False)
    order_of: Callable[[str], Order | None] = field(default=lambda patient: None, repr=False)
