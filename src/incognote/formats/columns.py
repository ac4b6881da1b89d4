"""Which columns of a table hold what, and the documents of a row."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from incognote.document import Document
from incognote.formats.container import Column, Fields, FormatError, parse_row_shift

RowType = TypeVar("RowType")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_NAME = re.compile(r"[A-Za-z]+(?:[_.-][A-Za-z]+)*(?:[_.-]?[0-9]{1,2})?")
_LONGEST = 40
_USUAL = frozenset(
    """
    account admission admit age author birth body category chart chartdate charttime city class
    clinical code comment comments content count country created date datetime day department
    description diagnosis discharge doc document dob dt email encounter end event file filename
    first format
    gender group hadm header hospital id identifier index key label labels language last length
    middle mrn name notes note number num order patient phone physician place postcode
    procedure progress provider record ref report result row section sequence service sex signed
    site source span spans ssn start state storetime study subject summary surname tag tags text
    time timestamp title type update updated url value version visit year zip
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
    """Column numbers. `known` pairs a column with the type of its values."""

    names: tuple[str, ...]
    text: tuple[int, ...]
    id: int | None
    patient: int | None
    known: tuple[tuple[int, str], ...]
    shift: int | None = None

    @classmethod
    def of(cls, names: Sequence[str], fields: Fields) -> Columns:
        """The columns that the fields name; a name that is not there is an error."""

        def find(name: str) -> int:
            if names.count(name) == 1:
                return names.index(name)
            if name in names:
                raise FormatError(f"there are two columns '{name}'")
            raise FormatError(f"there is no column '{name}'; {_column_names(names)}")

        own_id = fields.id or ("id" if names.count("id") == 1 else None)
        return cls(
            tuple(names),
            tuple(find(name) for name in fields.text or ("text",)),
            find(own_id) if own_id else None,
            find(fields.patient) if fields.patient else None,
            tuple((find(name), type) for name, type in fields.known.items()),
            find(fields.shift) if fields.shift else None,
        )

    def documents(
        self,
        count: int,
        texts: list[tuple[int, str]],
        value: Callable[[RowType, int], str | None],
        row: RowType,
    ) -> tuple[Document, ...]:
        """One document for each text of a row, the `count`th."""
        id = None if self.id is None else value(row, self.id)
        id = str(count) if id is None else id
        patient = None if self.patient is None else value(row, self.patient)
        known = tuple((type, own) for at, type in self.known if (own := value(row, at)))
        shift: int | None = None
        if self.shift is not None and texts:
            shift = parse_row_shift(value(row, self.shift))
        return tuple(
            Document(
                id if len(self.text) == 1 else f"{id}/{self.names[column]}",
                text,
                patient=patient,
                known=known,
                shift=shift,
            )
            for column, text in texts
        )


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

    def columns(self, numbers: Mapping[str, int]) -> list[Column]:
        """The columns, each of which has a number."""
        return [
            Column(key, shown_name(key, numbers[key]), tuple(some), within=within)
            for (key, within), some in self.groups.items()
        ]
