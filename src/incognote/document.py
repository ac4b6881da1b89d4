"""Span and Document: the two values that every room passes on.

Both are frozen. Offsets count Unicode code points, as Python's `str` does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from incognote.base.errors import UserError

GOLD = "gold"
FARTHEST_SHIFT = 36_000
"""Days; less than a century, so that a year of two digits cannot come round to itself."""

_DAYS = re.compile(r"[+-]?[0-9]{1,9}(?:\.0*)?")


class DocumentError(UserError, ValueError):
    """A span or document that contradicts itself. The message never quotes the note."""


@dataclass(frozen=True, slots=True)
class Span:
    """A marked stretch of a note: `document.text[start:end] == span.text`.

    `type` is what the span is called here, `label` what its source called it (the same unless a
    view renamed it), `source` who marked it (`gold`, or a detector such as `rules.dates`), and
    `attributes` whatever else its file said of it. The text is left out of `repr`, so that a
    logged span never shows an identifier.
    """

    start: int
    end: int
    type: str
    text: str = field(repr=False)
    score: float = 1.0
    source: str = GOLD
    label: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict, hash=False, repr=False)

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise DocumentError(f"span {self.start}-{self.end} is not a range")
        if len(self.text) != self.end - self.start:
            raise DocumentError(
                f"span {self.start}-{self.end} has a text of {len(self.text)} characters"
            )
        if not self.type:
            raise DocumentError(f"span {self.start}-{self.end} has no type")
        if not self.label:
            object.__setattr__(self, "label", self.type)

    @classmethod
    def of(
        cls,
        text: str,
        start: int,
        end: int,
        type: str,
        *,
        score: float = 1.0,
        source: str = GOLD,
        label: str = "",
        attributes: Mapping[str, str] | None = None,
    ) -> Span:
        """Mark `text[start:end]`."""
        if end > len(text):
            where = f"{_offset(start, text)}-{_offset(end, text)}"
            raise DocumentError(f"span {where} ends after the text ({len(text)} characters)")
        if start > end:
            where = f"{_offset(start, text)}-{_offset(end, text)}"
            raise DocumentError(f"span {where} is not a range")
        return cls(start, end, type, text[start:end], score, source, label, attributes or {})

    def __len__(self) -> int:
        return self.end - self.start

    def overlaps(self, other: Span) -> bool:
        """Whether the two share a character."""
        return max(self.start, other.start) < min(self.end, other.end)


def _offset(offset: int, text: str) -> str:
    """An offset as a message shows it; one far outside the text may be a value that ran into it."""
    return str(offset) if offset <= max(9_999, 10 * len(text)) else "…"


def parse_shift(text: str | None) -> int:
    """A number of days by which dates are to be moved; the error does not quote it.

    Whole numbers may end in `.0`, as those of a column with gaps often do.
    """
    if text is None or not text.strip():
        raise DocumentError("no number of days by which to move the dates")
    if not _DAYS.fullmatch(text.strip()):
        raise DocumentError("a shift of dates that is no whole number of days")
    return check_shift(int(text.strip().partition(".")[0]))


def check_shift(days: int) -> int:
    """The days, if dates can be moved by them."""
    if isinstance(days, bool) or not isinstance(days, int):
        raise DocumentError("a shift of dates that is no whole number of days")
    if days == 0:
        raise DocumentError("a shift of 0 days, which would leave all dates as they are")
    if abs(days) > FARTHEST_SHIFT:
        raise DocumentError(f"a shift of dates by more than {FARTHEST_SHIFT:,} days")
    return days


Order = Literal["mdy", "dmy", "ymd"]
"""How a date of numbers is read."""


@dataclass(frozen=True, slots=True)
class FieldValue:
    """What stands in a field of a table that is replaced, and its type.

    `order` is that of a date where its column says so, and `birth` whether it is the day on which
    the patient was born.
    """

    type: str
    text: str = field(repr=False)
    order: Order | None = None
    birth: bool = False


_WHOLE_NUMBER = re.compile(r"\s*(?P<value>\d+)\.0+\s*")


def value_place(text: str) -> tuple[int, int]:
    """Where the value stands in a field: without the blanks around it, and without the ".0" that
    tables add to whole numbers.

    >>> value_place(" 4410.0 ")
    (1, 5)
    """
    if whole := _WHOLE_NUMBER.fullmatch(text):
        return whole.span("value")
    bare = text.strip()
    start = text.find(bare)
    return start, start + len(bare)


_NO_NAME = re.compile(
    r"[\[(]?(?:vacant|vacancy|locum|n/a|n\.a\.|none|unknown|not known|unassigned|not recorded|tb[acd]"
    r"|no[- ]?(?:one|body)|-+|–|—|\?+|\.+)[\])]?",
    re.IGNORECASE,
)


def is_no_name(type: str, text: str) -> bool:
    """Whether a field of names says that there is nobody.

    >>> is_no_name("DOCTOR", "(vacant)"), is_no_name("DOCTOR", "Vacante")
    (True, False)
    """
    return type in ("PATIENT", "DOCTOR") and _NO_NAME.fullmatch(text.strip()) is not None


@dataclass(frozen=True, slots=True)
class Row:
    """The row of a table whose fields are replaced beside its notes, and fit them.

    `digest` tells it from other rows, where nothing says whose it is; `id` is its own.
    """

    id: str
    values: tuple[FieldValue, ...]
    digest: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Document:
    """One note: its text, the spans marked in it, and what is known of it.

    `spans` are kept sorted by position; they may overlap (gold sometimes does). `patient` names
    the person whose notes belong together. `known` holds identifiers that a table gave for this
    note, as (type, value) pairs. `shift` is by how many days its dates are to be moved, where that
    was decided elsewhere. With `value_type` the text is no note but one value of that type, such as
    a field of a table: it is replaced as a whole, and not searched. `row` is the row of the table
    that it stands in, where fields of it are replaced too.
    """

    id: str
    text: str = field(repr=False)
    spans: tuple[Span, ...] = ()
    patient: str | None = field(default=None, repr=False)
    known: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    metadata: Mapping[str, str] = field(default_factory=dict, hash=False, repr=False)
    shift: int | None = field(default=None, repr=False)
    value_type: str | None = None
    row: Row | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for span in self.spans:
            if self.text[span.start : span.end] != span.text:
                raise DocumentError(
                    f"the text of span {span.start}-{span.end} ({span.type}) "
                    "differs from the note at that place"
                )
        if self.shift is not None:
            check_shift(self.shift)
        ordered = tuple(sorted(self.spans, key=lambda span: (span.start, span.end)))
        object.__setattr__(self, "spans", ordered)

    def with_spans(self, spans: Iterable[Span]) -> Document:
        """The same note with other spans."""
        return replace(self, spans=tuple(spans))
