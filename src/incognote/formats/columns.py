"""Which columns of a table hold what, and the documents of a row."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from incognote.document import Document, Row, is_no_name
from incognote.formats.column_plan import ColumnRule, RuledValue, known_of
from incognote.formats.container import Column
from incognote.formats.fields import Fields, parse_row_shift
from incognote.formats.format_error import FormatError

RowType = TypeVar("RowType")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_NAME = re.compile(r"[A-Za-z]+(?:[_.-][A-Za-z]+)*(?:[_.-]?[0-9]{1,2})?")
_LONGEST = 40
_USUAL = frozenset(
    """
    account address admission admit age attending author birth birthdate body category chart
    chartdate charttime city class clinic clinical code comment comments contact content count
    country created date datetime day death department description device diagnosis discharge doc
    doctor document dob dod dt email emergency employer encounter end ethnicity event facility
    family fax file filename first firstname format forename
    gender given group hadm header hospital id identifier index insurance ip key kin label labels
    language last lastname length license marital medicaid medical medicare member
    middle mobile mrn name next notes note npi number num occupation of order patient phone
    physician place plan policy postal postcode primary
    procedure profession progress provider race record ref referring relation religion report
    result room row section sequence serial service sex signed
    site source span spans ssn start state status storetime street study subject summary surname
    tag tags pcp tel telephone text
    time timestamp title type update updated url user username value vehicle version vin visit
    ward year zip
    """.split()
)


def _column_names(names: Sequence[str]) -> str:
    """The columns there are.

    Only those made of the usual words of headers are named: the first line may be a row of data,
    and this sentence is kept.
    """
    usual = [name for name in names if _is_usual(name)]
    others = len(names) - len(usual)
    if not usual:
        return f"there {'is 1 column' if others == 1 else f'are {others} columns'}"
    more = f" and {others} more" if others else ""
    return f"the columns are {', '.join(usual)}{more}"


def shown_name(name: str, number: int) -> str:
    """How a message names a column: by its number, where its name may be data."""
    return f"'{name}'" if _is_usual(name) else f"number {number}"


def _is_usual(name: str) -> bool:
    if len(name) > _LONGEST or not _NAME.fullmatch(name):
        return False
    return all(word.lower() in _USUAL for word in _WORD.findall(name))


@dataclass(frozen=True)
class Columns:
    """Column numbers. `known` pairs a column with the type of its values, `values` those that are
    replaced with their rules.
    """

    names: tuple[str, ...]
    text: tuple[int, ...]
    id: int | None
    patient: int | None
    known: tuple[tuple[int, str], ...]
    values: tuple[tuple[int, ColumnRule], ...] = ()
    dropped: frozenset[int] = frozenset()
    shift: int | None = None

    @classmethod
    def of(cls, names: Sequence[str], fields: Fields) -> Columns:
        """The columns that the fields name; a name that is not there is an error."""

        def find(name: str) -> int:
            if names.count(name) == 1:
                return names.index(name)
            if name in names:
                raise FormatError(f"there are two columns '{name}'")
            advice = fields.text_advice if name == "text" else ""
            raise FormatError(f"there is no column '{name}'; {_column_names(names)}{advice}")

        own_id = fields.id or ("id" if names.count("id") == 1 else None)
        for name in fields.kept:
            find(name)
        return cls(
            tuple(names),
            tuple(find(name) for name in fields.text_fields(names)),
            find(own_id) if own_id else None,
            find(fields.patient) if fields.patient else None,
            tuple((find(name), type) for name, type in fields.known.items()),
            tuple((find(name), rule) for name, rule in fields.values.items()),
            frozenset(map(find, fields.dropped)),
            find(fields.shift) if fields.shift else None,
        )

    @property
    def others(self) -> list[int]:
        """The columns that go through as they are."""
        own = {*self.text, *self.dropped, *(at for at, _ in self.values)}
        return [at for at in range(len(self.names)) if at not in own]

    def documents(
        self,
        count: int,
        texts: list[tuple[int, str]],
        value: Callable[[RowType, int], str | None],
        row: RowType,
    ) -> tuple[tuple[Document, ...], tuple[int, ...]]:
        """The documents of a row, the `count`th, and the column of each: one for each text, then
        one for each value that is replaced and not blank.
        """
        id = None if self.id is None else value(row, self.id)
        id = str(count) if id is None else id
        patient = None if self.patient is None else value(row, self.patient)
        known = tuple((type, own) for at, type in self.known if (own := value(row, at)))
        values = [
            (at, RuledValue(self.names[at], rule, text))
            for at, rule in self.values
            if (text := value(row, at)) is not None and text.strip()
        ]
        shift: int | None = None
        if self.shift is not None and (texts or values):
            shift = parse_row_shift(value(row, self.shift))
        documents = documents_of(
            Document(id, "", (), patient, known, shift=shift),
            [(self.names[at], text) for at, text in texts],
            [value for _, value in values],
            named=len(self.text) != 1,
        )
        return documents, (*(at for at, _ in texts), *(at for at, _ in values))


def documents_of(
    base: Document,
    texts: Sequence[tuple[str, str]],
    values: Sequence[RuledValue] = (),
    *,
    named: bool,
) -> tuple[Document, ...]:
    """The documents of a row: a note for each text, under its field's name where they are `named`,
    and one for each value. What stands in the values is known of the notes.
    """
    id = base.id
    if values:
        own = [value for value in values if not is_no_name(value.rule.type, value.text)]
        row = Row(id, tuple(value.field_value for value in own), _digest(texts, values))
        base = replace(base, known=(*base.known, *known_of(own)), row=row)
    notes = (replace(base, id=f"{id}/{name}" if named else id, text=text) for name, text in texts)
    fields = (
        replace(base, id=f"{id}/{value.name}", text=value.text, value_type=value.rule.type)
        for value in values
    )
    return (*notes, *fields)


def _digest(texts: Iterable[tuple[str, str]], values: Iterable[RuledValue]) -> str:
    """What tells a row from others: all that is worked on in it."""
    code = hashlib.sha256()
    for name, text in (*texts, *((value.name, value.text) for value in values)):
        code.update(f"{len(name)} {len(text)} {name}{text}".encode("utf-8", "surrogatepass"))
    return code.hexdigest()


_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)


def with_text(document: Document, text: str) -> Document:
    """A value after replacement, as a column of numbers or dates holds it."""
    if document.text == text:
        return document
    spans = (replace(span, start=0, end=len(text), text=text) for span in document.spans[:1])
    return replace(document, text=text, spans=tuple(spans))


def number_text(text: str) -> str:
    """A text as a number: 90 for "90+", and nothing for what is none."""
    plain = text.strip().removesuffix("+")
    return plain if _NUMBER.fullmatch(plain) else ""


class Pairs(list[tuple[str, Any]]):
    """The fields of a JSON object in their order, also those that occur twice."""


_PAIRS = json.JSONDecoder(
    object_pairs_hook=Pairs, parse_int=str, parse_float=str, parse_constant=str
)
_MOST_FIELDS = 10_000


def pairs_of(raw: str) -> Any:
    """A JSON value; of fields with the same name all are there, not only the last."""
    return _PAIRS.decode(raw)


def leaves(value: Any) -> Iterator[tuple[str, str]]:
    """Every single value within a value, with the name of its field ("" outside of fields).

    JSON that stands in a string is looked into. A name of a field that has a digit is taken for a
    value too, for it may be a date.
    """
    waiting: list[tuple[str, Any]] = [("", value)]
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, Pairs | Mapping):
            for key, part in value.items() if isinstance(value, Mapping) else value:
                is_value = any(map(str.isdigit, key))
                waiting.append((name if is_value else key, part))
                if is_value:
                    yield f"{name} fields", key
        elif isinstance(value, list | tuple):
            waiting += ((name, part) for part in reversed(value))
        elif isinstance(value, bytes):
            waiting.append((name, value.decode("utf-8", "replace")))
        elif isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
            try:
                waiting.append((name, pairs_of(value.strip())))
            except (ValueError, RecursionError):
                yield name, value
        elif value is not None and not isinstance(value, bool):
            yield name, str(value)


@dataclass
class Values:
    """The first values of columns and of the fields within them, blank ones left out."""

    most: int
    groups: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def add(self, key: str, value: Any) -> bool:
        """Take a value of a column; whether there are enough of it, if it has no fields."""
        enough = False
        for within, leaf in leaves(value):
            if not leaf.strip():
                continue
            own_group = (key, within) in self.groups or len(self.groups) < _MOST_FIELDS
            group = self.groups.setdefault((key, within if own_group else ""), [])
            if len(group) < self.most:
                group.append(leaf)
            enough = not within and len(group) >= self.most
        return enough

    def columns(self, numbers: Mapping[str, int], others: Iterable[str] = ()) -> list[Column]:
        """The columns that have values, and `others` that have none; each of them has a number."""
        keys = {key for key, _ in self.groups}
        groups = self.groups | {(key, ""): [] for key in others if key not in keys}
        return [
            Column(
                key, shown_name(key, numbers[key]), tuple(some), within=within, number=numbers[key]
            )
            for (key, within), some in groups.items()
        ]
