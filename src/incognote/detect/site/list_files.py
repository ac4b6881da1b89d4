"""Files of entries: a line or a field of a table each.

Ngozi Okafor                     staff.txt: an entry a line
# the night shift                a comment

id,name,ward                     staff.csv: the fields of a column that its first line names
17,Ngozi Okafor,7B
"""

from __future__ import annotations

import codecs
import csv
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from incognote.base.errors import UserError, reason_of

TABLES = {".csv": ",;\t", ".tsv": "\t"}
"""Kinds of tables, and what may stand between their fields."""
FEWEST_CHARACTERS = 2
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class ListError(UserError, ValueError):
    """A file of entries that cannot be used."""


def read_entries(path: Path, column: str | None = None) -> list[str]:
    """The entries of a file in its order, blanks around them left out.

    A .csv or .tsv file is read as a table, whose first line names the columns; one with a single
    column needs no `column`. In other files a line is an entry, and # begins a comment line.
    """
    text = _text(path)
    if path.suffix.lower() in TABLES:
        entries = _column(path, text, column)
    elif column is not None:
        raise ListError(
            f"{path}: has no columns: leave out the column, or give a file that ends in .csv or .tsv"
        )
    else:
        entries = text.split("\n")
        if "#" in text:
            entries = ["" if entry.lstrip().startswith("#") else entry for entry in entries]
        entries = [entry.strip() for entry in entries]
        _refuse_short(path, entries)
    entries = [entry for entry in entries if entry]
    if not entries:
        raise ListError(f"{path}: has no entries")
    return entries


def is_useful(entry: str) -> bool:
    """Whether an entry has two letters or digits, the fewest that say something."""
    return (entry[:2].isalnum() and len(entry) > 1) or sum(map(str.isalnum, entry)) > 1


def _refuse_short(path: Path, entries: Sequence[str], lines: Sequence[int] | None = None) -> None:
    for number, entry in enumerate(entries):
        if entry and not is_useful(entry):
            line = number + 1 if lines is None else lines[number]
            raise ListError(
                f"{path}:{line}: is too short for an entry: give two letters or digits, or leave it out"
            )


def _text(path: Path) -> str:
    """The text of a file, with line feeds alone between its lines."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ListError(f"{path}: {reason_of(error)}") from None
    encoding = "utf-16" if data.startswith(_UTF_16) else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ListError(f"{path}:{line}: is not UTF-8: save the file as UTF-8") from None
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _column(path: Path, text: str, column: str | None) -> list[str]:
    """The fields of a column, with the blanks and line breaks within them as single blanks."""
    lines = text.split("\n")
    delimiter = max(TABLES[path.suffix.lower()], key=lines[0].count)
    rows = csv.reader(map("{}\n".format, lines), delimiter=delimiter, strict=True)
    try:
        head = next(rows)
        place = _place(path, [name.strip() for name in head], column)
        entries, numbers = [], []
        for row in rows:
            if len(row) > place:
                entries.append(" ".join(row[place].split()))
                numbers.append(rows.line_num)
            elif any(row):
                raise ListError(f"{path}:{rows.line_num}: has fewer fields than the first line")
    except csv.Error:
        raise ListError(
            f"{path}:{rows.line_num}: is no line of a table: look for a quotation mark that is "
            "not closed"
        ) from None
    _refuse_short(path, entries, numbers)
    return entries


def _place(path: Path, names: Sequence[str], column: str | None) -> int:
    """Which column is meant. The first line may be somebody's, so no message quotes it."""
    if column is None:
        if len(names) > 1:
            raise ListError(f"{path}: has several columns: name one of those in its first line")
        return 0
    if column not in names:
        raise ListError(f"{path}:1: names no column {column!r}: the first line names the columns")
    if column in islice(names, names.index(column) + 1, None):
        raise ListError(f"{path}:1: names the column {column!r} twice")
    return names.index(column)
