"""What becomes of the columns beside the notes: replaced as values of a type, kept, or dropped.

A plan comes from options (`--column dob=DATE`) or from a file:

    text = ["note"]  # [] for a table without notes
    patient = "mrn"

    [columns]
    name = "PATIENT"
    dob = { type = "DATE", order = "dmy", birth = true }
    ssn = "drop"
    visit = "keep"
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, cast, get_args

from incognote.base.errors import RunError
from incognote.base.toml import TomlTable, read_toml
from incognote.document import FieldValue, Order, value_place
from incognote.phi import OWN_TYPE, TYPES

KEEP = "keep"
DROP = "drop"
Part = Literal["given", "middle", "surname"]
PARTS: tuple[Part, ...] = get_args(Part)

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_PART_WORDS: Mapping[str, Part] = {
    **dict.fromkeys("first given fore fname firstname givenname forename".split(), "given"),
    **dict.fromkeys("middle mname middlename".split(), "middle"),
    **dict.fromkeys("last family sur lname lastname surname familyname".split(), "surname"),
}
_BIRTH = re.compile(r"(?i)birth|born|(?<![a-z])dob(?![a-z])|(?<![a-z])bday(?![a-z])")
_NUMBERS = re.compile(r"\s*(\d{1,2})\s?([-/.])\s?(\d{1,2})\s?\2\s?(\d{4})(?!\d)")


@dataclass(frozen=True)
class ColumnRule:
    """What becomes of a column: `type` is the PHI type of its values, or "keep" or "drop".

    `order` is how its dates are read where that is in doubt, `birth` whether they are days of
    birth, and `part` which part of a name it holds; the name of the column says so by default.
    """

    type: str
    order: Order | None = None
    birth: bool = False
    part: Part | None = None

    @classmethod
    def of(
        cls,
        name: str,
        type: str,
        order: Order | None = None,
        birth: bool | None = None,
        part: Part | None = None,
    ) -> ColumnRule:
        """The rule of a column, whose name tells what is not said."""
        if birth is None:
            birth = type == "DATE" and _BIRTH.search(name) is not None
        if part is None and type in ("PATIENT", "DOCTOR"):
            part = next(filter(None, map(_PART_WORDS.get, name_words(name))), None)
        return cls(type, order, birth, part)

    @property
    def is_replaced(self) -> bool:
        """Whether its values are replaced."""
        return self.type not in (KEEP, DROP)

    def words(self) -> str:
        """The rule in a word or a few, for the audit."""
        more = (self.order, "birth" if self.birth else None, self.part)
        return " ".join((self.type, *(word for word in more if word)))


Rules = Mapping[str, ColumnRule]


def name_words(name: str) -> list[str]:
    """The words of a column's name, in small letters.

    >>> name_words("PatientFirst_name2")
    ['patient', 'first', 'name']
    """
    return [word.lower() for word in _WORD.findall(name)]


def check_type(type: str) -> str:
    """The type, if it is one or may be one of a site's own; ValueError with what to write instead."""
    if type in (KEEP, DROP) or type in TYPES or OWN_TYPE.fullmatch(type):
        return type
    raise ValueError(f"choose {KEEP}, {DROP} or a type: {', '.join(TYPES)}")


def parse_rules(pairs: list[str]) -> dict[str, ColumnRule]:
    """FIELD=TYPE pairs."""
    rules = {}
    for pair in pairs:
        name, equals, type = pair.rpartition("=")
        if not equals or not name:
            raise ValueError(f"{pair}: write FIELD=TYPE, such as name=PATIENT, or FIELD={KEEP}")
        try:
            rules[name] = ColumnRule.of(name, check_type(type))
        except ValueError as error:
            raise ValueError(f"{pair}: {error}") from None
    return rules


@dataclass(frozen=True)
class ColumnPlan:
    """What a file of `--columns` says."""

    rules: Rules = field(default_factory=dict)
    text: tuple[str, ...] | None = None
    """Of no fields: the table holds no notes."""
    id: str | None = None
    patient: str | None = None
    known: Mapping[str, str] = field(default_factory=dict)


def read_plan(path: str) -> ColumnPlan:
    """The plan in a file; whatever is wrong with it is told with its line and key."""
    file = read_toml(Path(path), RunError)
    plan = ColumnPlan(
        _rules(file.table("columns")),
        file.strings("text", None),
        file.string("id", None),
        file.string("patient", None),
        _known(file.table("known")),
    )
    file.done()
    for name in plan.text or ():
        if name in plan.rules:
            file.fail("text", f"'{name}' is in [columns] too: a column holds notes or values")
    return plan


def _rules(table: TomlTable | None) -> dict[str, ColumnRule]:
    rules: dict[str, ColumnRule] = {}
    for name in table.values if table else ():
        assert table is not None
        value: Any = table.get(name, (str, dict), "a type, or a table with a type")
        row = table.table(name) if isinstance(value, dict) else None
        type = value if row is None else row.string("type")
        try:
            check_type(type)
        except ValueError as error:
            table.fail(name, f"'{type}' is none: {error}")
        if row is None:
            rules[name] = ColumnRule.of(name, type)
            continue
        rules[name] = ColumnRule.of(
            name,
            type,
            cast("Order | None", row.word("order", get_args(Order), None)),
            row.boolean("birth", None),
            cast("Part | None", row.word("part", PARTS, None)),
        )
        row.done()
    return rules


def _known(table: TomlTable | None) -> dict[str, str]:
    if table is None:
        return {}
    known: dict[str, str] = {}
    for name in table.values:
        known[name] = type = table.string(name)
        if type not in TYPES and not OWN_TYPE.fullmatch(type):
            table.fail(name, f"'{type}' is none of {', '.join(TYPES)}, nor a type of one's own")
    return known


# The values of a row


@dataclass(frozen=True)
class RuledValue:
    """What stands in a field that is replaced."""

    name: str
    rule: ColumnRule
    text: str = field(repr=False)

    @property
    def field_value(self) -> FieldValue:
        """As documents carry it."""
        rule = self.rule
        return FieldValue(rule.type, _plain(self.text), rule.order, rule.birth)


def known_of(values: Iterable[RuledValue]) -> tuple[tuple[str, str], ...]:
    """What the values say of a row's notes, as pairs of a type and a value.

    Parts of a name make one name; a date that can be read in two ways is written as it is meant.
    """
    values = list(values)
    pairs = dict.fromkeys((*whole_names(values), *map(_known_pair, values)))
    return tuple(pairs)


def _known_pair(value: RuledValue) -> tuple[str, str]:
    text = _plain(value.text)
    match = _NUMBERS.match(text) if value.rule.type == "DATE" else None
    if match and value.rule.order in ("dmy", "mdy"):
        day, month = (match[1], match[3]) if value.rule.order == "dmy" else (match[3], match[1])
        if int(month) <= 12:
            text = f"{match[4]}-{int(month):02}-{int(day):02}"
    return value.rule.type, text


def whole_names(values: Sequence[RuledValue]) -> list[tuple[str, str]]:
    """The names whose parts stand in columns of their own: `first` and `last`, `kin_first` and
    `kin_last`.
    """
    persons: dict[tuple[str, tuple[str, ...]], dict[Part, str]] = {}
    for value in values:
        if value.rule.part is not None:
            words = (word for word in name_words(value.name) if word not in ("name", "nm"))
            whose = tuple(word for word in words if word not in _PART_WORDS)
            parts = persons.setdefault((value.rule.type, whose), {})
            parts.setdefault(value.rule.part, _plain(value.text))
    return [
        (type, " ".join(parts[part] for part in PARTS if part in parts))
        for (type, _), parts in persons.items()
        if "surname" in parts and len(parts) > 1
    ]


def _plain(text: str) -> str:
    """The value alone."""
    start, end = value_place(text)
    return text[start:end]


def with_order(rules: Rules, order: Order) -> dict[str, ColumnRule]:
    """The rules, with an order of dates for columns that have none."""
    return {
        name: replace(rule, order=order) if rule.type == "DATE" and not rule.order else rule
        for name, rule in rules.items()
    }
