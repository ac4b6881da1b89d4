"""Which columns of a table hold what, and the documents of a row."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from incognote.document import Document
from incognote.formats.container import Fields, FormatError

RowType = TypeVar("RowType")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_NAME = re.compile(r"[A-Za-z]+(?:[_.-][A-Za-z]+)*(?:[_.-]?[0-9]{1,2})?")
_LONGEST = 40
_USUAL = frozenset(
    """
    account admission admit age author birth body category chart chartdate charttime city class
    clinical code comment comments content count country created date department description
    diagnosis discharge doc document dob email encounter end event file filename first format
    gender group hadm header hospital id identifier index key label labels language last length
    middle mrn name notes note number num order patient phone physician place postcode
    procedure progress provider record ref report result row section sequence sex site source span
    spans ssn start state study subject summary surname tag tags text time title type
    update updated url value version visit year zip
    """.split()
)


def _shown(names: Sequence[str]) -> str:
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

    @classmethod
    def of(cls, names: Sequence[str], fields: Fields) -> Columns:
        """The columns that the fields name; a name that is not there is an error."""

        def find(name: str) -> int:
            if names.count(name) == 1:
                return names.index(name)
            if name in names:
                raise FormatError(f"there are two columns '{name}'")
            raise FormatError(f"there is no column '{name}'; {_shown(names)}")

        own_id = fields.id or ("id" if names.count("id") == 1 else None)
        return cls(
            tuple(names),
            tuple(find(name) for name in fields.text or ("text",)),
            find(own_id) if own_id else None,
            find(fields.patient) if fields.patient else None,
            tuple((find(name), type) for name, type in fields.known.items()),
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
        known = tuple((type, found) for at, type in self.known if (found := value(row, at)))
        if len(self.text) == 1:
            return tuple(Document(id, text, (), patient, known) for _, text in texts)
        return tuple(
            Document(f"{id}/{self.names[column]}", text, (), patient, known)
            for column, text in texts
        )
