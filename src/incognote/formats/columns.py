"""Which columns of a table hold what, and the documents of a row."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from incognote.document import Document
from incognote.formats.container import Fields, FormatError

RowType = TypeVar("RowType")
_NAME = re.compile(r"[^\W\d][\w.-]*(?: [\w.-]+){0,3}")


def _shown(names: Sequence[str]) -> str:
    """The columns there are; a first line that may be a row of data is not shown."""
    if all(len(name) <= 40 and _NAME.fullmatch(name) for name in names):
        return f"the columns are {', '.join(names)}"
    return "and the first line does not look like the names of columns"


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
