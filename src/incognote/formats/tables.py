"""Tables that say something about notes, such as of staff or of shifts: small, and read whole."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from incognote.formats.delimited import HEAD, decode_name, guess
from incognote.formats.encoding import UTF8
from incognote.formats.fields import Fields
from incognote.formats.format_error import FormatError
from incognote.formats.streams import extension, open_text, reading


class TableRow(NamedTuple):
    """The values of a row, and the line that it begins in; there may be more or fewer than names."""

    line: int
    values: list[str]


@dataclass(frozen=True)
class Table:
    """The names of the columns, the rows that are not blank, and the encoding that it was read in."""

    names: tuple[str, ...]
    encoding: str
    rows: tuple[TableRow, ...] = field(repr=False)


def read_table(path: Path, columns: Collection[str] = (), fields: Fields | None = None) -> Table:
    """A CSV or TSV file with any delimiter; `columns` it probably has, and `fields` its encoding.

    A FormatError names the line of what cannot be read.
    """
    stream, encoding = open_text(path, fields or Fields())
    with closing(stream), reading():
        content = stream.read()
    dialect = guess(content[:HEAD], len(content) <= HEAD, columns, extension(path))
    names: tuple[str, ...] = ()
    rows = []
    for row in dialect.rows([content]):
        if not names:
            names = tuple(decode_name(dialect, name) for name in row.fields)
        elif row.fields != [b""]:
            try:
                values = [
                    UTF8.decode(dialect.value(value), len(encoding.mark) + row.offset_of(column))
                    for column, value in enumerate(row.fields)
                ]
            except FormatError as error:
                raise error.within(f"line {row.line}") from None
            rows.append(TableRow(row.line, values))
    return Table(names, encoding.name, tuple(rows))
