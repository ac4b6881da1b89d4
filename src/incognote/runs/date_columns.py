"""Columns of dates beside the notes: untouched, they tell how far a patient's dates were moved."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from incognote.base.errors import RunError
from incognote.detect.finder import Finder
from incognote.document import Document
from incognote.formats import FormatError, detect
from incognote.formats.columns import leaves, shown_name
from incognote.formats.container import Column, Record, Table
from incognote.formats.fields import Fields
from incognote.formats.jsonl import number_fields, other_values
from incognote.runs.inputs import Input

VALUES = 40
"""How many values of a column are looked at, wherever they are: that of a death is blank mostly."""
ENOUGH = 0.5
"""The share of a column's values that makes it a column of dates."""
MOST_FIELDS = 10_000
LONGEST = 60
"""Characters of a value that can be a date."""

_DATE = re.compile(
    r"(?:1[89]|20)\d\d(?P<between>[-/.]?)(?:0?[1-9]|1[0-2])(?P=between)(?:0?[1-9]|[12]\d|3[01])"
    r"(?:[T ]?\d\d.*)?"
)
_EPOCH = re.compile(r"-?\d{9,13}(?:\.\d+)?")
_SERIAL = re.compile(r"[1-5]\d{4}(?:\.\d+)?")
"""The days since 1900 that spreadsheets write for a date, from 1927 on."""
_SHORT = r"(?<![a-z])(?:dt|dtm|ts)(?![a-z])"
_TIME_NAME = re.compile(rf"(?i)date|time|birth|dob|day|stamp|admi|discharge|{_SHORT}")
_DAY_NAME = re.compile(rf"(?i)date|birth|dob|{_SHORT}")


def refuse_date_columns(
    inputs: Sequence[Input], format: str | None, fields: Fields, keep: Iterable[str]
) -> None:
    """Refuse tables with a column of dates that nobody asked to keep.

    A table that cannot be read here says so itself when the run comes to it.
    """
    allowed = fields.kept.union(keep)
    for input in inputs:
        try:
            table = detect(input.path, format)
            if not isinstance(table, Table):
                continue
            columns = table.other_columns(input.path, fields, VALUES).columns
        except (FormatError, OSError, ValueError, RecursionError, MemoryError):
            continue
        dates = [each for each in columns if each.key not in allowed and is_date(each)]
        if dates:
            raise RunError(_sentence(input, dates, several=len(inputs) > 1))


def _sentence(input: Input, dates: Sequence[Column], *, several: bool) -> str:
    table = f"input {input.index}" if several else "the table"
    columns = "column" if len({column.key for column in dates}) == 1 else "columns"
    names = ", ".join(dict.fromkeys(column.name for column in dates))
    return (
        f"{table} has dates beside its notes, in the {columns} {names}: they are copied as they are, "
        "and beside moved dates they tell how far each patient's were moved; leave them out of the "
        "table, or keep each with --keep-columns COLUMN"
    )


def is_date(column: Column) -> bool:
    """Whether most of its values are dates."""
    if column.is_date:
        return True
    values = [value.strip() for value in column.values if value.strip()][:VALUES]
    dates = sum(_is_date(value, column.within or column.key) for value in values)
    return bool(values) and dates >= ENOUGH * len(values)


@dataclass
class DateFields:
    """Fields of dates in records that are looked at one by one, as they come.

    A record is refused if a value of it is a date and at least half of the field's values so far
    are; after enough values a field is known for what it is.
    """

    fields: Fields
    keep: frozenset[str] = frozenset()
    _counts: dict[tuple[str, str], tuple[int, int]] = dataclasses.field(default_factory=dict)
    _numbers: dict[str, int] = dataclasses.field(default_factory=dict)

    def check(self, record: Record) -> None:
        """FormatError for a record of JSON lines that has a date beside its notes."""
        dates: dict[str, None] = {}
        number_fields(record, self._numbers)
        for key, value in other_values(record, self.fields):
            if key in self.keep or key in self.fields.kept:
                continue
            for within, leaf in leaves(value):
                if leaf.strip() and self._tells_a_date(key, within, leaf.strip()):
                    dates[shown_name(key, self._numbers[key])] = None
        if dates:
            raise FormatError(
                f"it has a date beside its note, in the field {', '.join(dates)}, which would tell "
                "how far the dates of the note were moved: leave it out, or keep it with "
                "--keep-columns FIELD"
            )

    def _tells_a_date(self, key: str, within: str, value: str) -> bool:
        dates, values = self._counts.get((key, within), (0, 0))
        if values >= VALUES and dates < ENOUGH * values:
            return False
        is_one = _is_date(value, within or key)
        dates, values = dates + is_one, values + 1
        if values <= VALUES and len(self._counts) < MOST_FIELDS:
            self._counts[key, within] = (dates, values)
        return is_one and dates >= ENOUGH * values


def _is_date(value: str, name: str) -> bool:
    if len(value) > LONGEST or not any(map(str.isdigit, value)):
        return False
    if _DATE.fullmatch(value):
        return True
    if _TIME_NAME.search(name) and _EPOCH.fullmatch(value):
        return True
    if _DAY_NAME.search(name) and _SERIAL.fullmatch(value):
        return True
    return type_of(value) == "DATE"


_finder = cache(Finder)


@lru_cache(4096)
def type_of(value: str) -> str | None:
    """The type of what the rules find in a value, if it is most of it."""
    letters = Counter[str]()
    for span in _finder().detect(Document("", value)).spans:
        letters[span.type] += sum(map(str.isalnum, span.text))
    for type, count in letters.most_common(1):
        if 2 * count > sum(map(str.isalnum, value)):
            return type
    return None
