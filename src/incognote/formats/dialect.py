"""How a delimited table is laid out, and its rows as the raw bytes of their fields.

The layout is guessed from the beginning of the file: the one whose header has the columns asked
for and whose rows have as many fields as the header.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from incognote.formats.characters import BOM, decode
from incognote.formats.container import FormatError

QUOTE = b'"'
LONGEST_ROW = 512 << 20
_CLOSING = re.compile(rb'[^"]*+(?:""[^"]*+)*+"')
_NEEDS_QUOTES = re.compile(rb'["\r\n]')

_FIRST_IS_CR = re.compile(rb"[^\r\n]*+\r(?!\n)")

_Feed = Iterator[tuple[int, int, bytes]]


class QuoteError(FormatError):
    """Quotes that do not fit: rows after them cannot be told from the text of a note."""


@dataclass(frozen=True, slots=True)
class Row:
    """The fields as their bytes, quotes and all; `end` is the line end."""

    fields: list[bytes]
    end: bytes
    line: int
    offset: int

    def offset_of(self, column: int) -> int:
        """Where a field begins in the file."""
        return self.offset + sum(len(field) + 1 for field in self.fields[:column])


@dataclass(frozen=True)
class Dialect:
    """A delimiter, whether a `"` at the beginning of a field quotes it, and the line end."""

    delimiter: bytes = b","
    quotes: bool = True
    line_end: bytes = b"\n"

    def rows(self, lines: Iterable[bytes]) -> Iterator[Row]:
        """The rows of lines; a quoted field may go over many."""
        delimiter, quotes = self.delimiter, self.quotes
        feed = _numbered(lines)
        for number, offset, line in feed:
            if quotes and QUOTE in line:
                yield self._quoted(line, number, offset, feed)
            else:
                body = line.rstrip(b"\r\n")
                yield Row(body.split(delimiter), line[len(body) :], number, offset)

    def _quoted(self, line: bytes, number: int, offset: int, feed: _Feed) -> Row:
        fields: list[bytes] = []
        at = 0
        while True:
            if line.startswith(QUOTE, at):
                field, line, at = self._quoted_field(line, at, number, feed)
                fields.append(field)
                if not line.startswith(self.delimiter, at):
                    if line[at:].strip(b"\r\n"):
                        raise QuoteError("there is text after a closing quote", f"line {number}")
                    return Row(fields, line[at:], number, offset)
                at += 1
                continue
            to = line.find(self.delimiter, at)
            if to < 0:
                body = line[at:].rstrip(b"\r\n")
                return Row([*fields, body], line[at + len(body) :], number, offset)
            fields.append(line[at:to])
            at = to + 1

    def _quoted_field(
        self, line: bytes, begin: int, number: int, feed: _Feed
    ) -> tuple[bytes, bytes, int]:
        """A field that begins with a quote; the line it ends on, and where."""
        parts: list[bytes] = []
        size, at = 0, begin + 1
        while not (closing := _CLOSING.match(line, at)):
            parts.append(line[begin:])
            size += len(parts[-1])
            following = next(feed, None)
            if following is None or size > LONGEST_ROW:
                raise QuoteError("a quote is opened and never closed", f"line {number}")
            line, begin, at = following[2], 0, 0
        parts.append(line[begin : closing.end()])
        return b"".join(parts), line, closing.end()

    def value(self, field: bytes) -> bytes:
        """What a field says."""
        if self.quotes and field.startswith(QUOTE):
            return field[1:-1].replace(b'""', b'"')
        return field

    def spell(self, value: bytes, quoted: bool = False) -> bytes:
        """A field that says `value`; the caller has checked that the table can hold it."""
        if not self.quotes:
            return value
        if quoted or not value or self.delimiter in value or _NEEDS_QUOTES.search(value):
            return QUOTE + value.replace(b'"', b'""') + QUOTE
        return value

    def needs_quotes(self, value: str) -> re.Match[str] | None:
        """The first character that only a quoted field can hold."""
        return re.search(f"[\r\n{re.escape(self.delimiter.decode())}]", value)


def _numbered(lines: Iterable[bytes]) -> _Feed:
    offset = 0
    for number, line in enumerate(lines, 1):
        yield number, offset, line
        offset += len(line)


def guess(head: bytes, whole: bool, columns: Iterable[str], extension: str) -> Dialect:
    """The dialect of a table that begins with `head`, which may be the whole of it."""
    head = head.removeprefix(BOM)
    end = b"\r" if _FIRST_IS_CR.match(head) else b"\n"
    lines = [line + end for line in head.split(end)]
    if whole and head.endswith(end):
        del lines[-1]
    elif not whole:
        lines = lines[:-1] or lines
    order = (
        (b"\t", b",", b";", b"|") if extension in (".tsv", ".tab") else (b",", b"\t", b";", b"|")
    )
    wanted = set(columns)
    dialects = [Dialect(delimiter, quotes, end) for quotes in (True, False) for delimiter in order]
    return max(dialects, key=lambda dialect: _fitness(dialect, lines, whole, wanted))


def _fitness(
    dialect: Dialect, lines: list[bytes], whole: bool, wanted: set[str]
) -> tuple[bool, bool, bool, float, bool, int]:
    """How well a dialect explains the beginning of a table; the greatest is the best."""
    rows: list[Row] = []
    sound = True
    try:
        for row in dialect.rows(lines):
            rows.append(row)
    except QuoteError as error:
        sound = not whole and "never closed" in error.reason
    if not rows:
        return (False, False, False, 0.0, dialect.quotes, 0)
    header = {decode_name(dialect, field) for field in rows[0].fields}
    width = len(rows[0].fields)
    body = [row for row in rows[1:] if row.fields != [b""]]
    even = sum(len(row.fields) == width for row in body) / len(body) if body else 1.0
    plain = not dialect.quotes and even < 1.0
    return (wanted <= header, width > 1, sound and not plain, even, dialect.quotes, width)


def decode_name(dialect: Dialect, field: bytes) -> str:
    """The name of a column."""
    return decode(dialect.value(field)).strip()
