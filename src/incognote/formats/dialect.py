"""How a delimited table is laid out, and its rows as the raw bytes of their fields.

The layout is guessed from the beginning of the file: the one whose header has the columns asked
for and whose rows have as many fields as the header. A field that begins with a quote is quoted in
all of them: were it read as plain text, the lines of a note whose quote is never closed would be
rows, and what stands in their other columns would be copied.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from incognote.formats.characters import decode
from incognote.formats.container import FormatError

QUOTE = b'"'
LONGEST_ROW = 512 << 20
_CLOSING = re.compile(rb'[^"]*+(?:""[^"]*+)*+"')
_NEEDS_QUOTES = re.compile(rb'["\r\n]')

_FIRST_IS_CR = re.compile(rb"[^\r\n]*+\r(?!\n)")


class QuoteError(FormatError):
    """Quotes that do not fit: rows after them cannot be told from the text of a note."""


class Row(NamedTuple):
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
    """A delimiter and the line end; a `"` at the beginning of a field quotes it."""

    delimiter: bytes = b","
    line_end: bytes = b"\n"

    def rows(self, chunks: Iterable[bytes]) -> Iterator[Row]:
        """The rows of a file that comes in chunks; a quoted field may go over many lines.

        A row that is not whole is tried again with twice as many bytes, so that the time stays
        linear in its length.
        """
        feed = iter(chunks)
        data, at, line, offset, whole = b"", 0, 1, 0, False
        while not whole or at < len(data):
            stop = data.find(self.line_end, at) + 1 or (len(data) if whole else 0)
            fields: list[bytes] | None = None
            if stop and data.find(QUOTE, at, stop) < 0:
                body = data[at:stop].rstrip(b"\r\n")
                fields, ended = body.split(self.delimiter), at + len(body)
            elif stop:
                fields, ended, stop = self._quoted(data, at, whole, f"line {line}")
            if fields is not None:
                yield Row(fields, data[ended:stop], line, offset + at)
                line += data.count(self.line_end, at, stop)
                at = stop
                continue
            if whole or len(data) - at > LONGEST_ROW:
                raise QuoteError("a quote is opened and never closed", f"line {line}")
            offset += at
            data, at, whole = _more(data[at:], feed)

    def _quoted(
        self, data: bytes, at: int, whole: bool, place: str
    ) -> tuple[list[bytes] | None, int, int]:
        """The fields of a row with quotes, where they end and where the row does; None: unknown."""
        fields: list[bytes] = []
        unknown = None, 0, 0
        while True:
            quoted = data.startswith(QUOTE, at)
            if quoted:
                closing = _CLOSING.match(data, at + 1)
                if not closing or (closing.end() == len(data) and not whole):
                    return unknown
                to = closing.end()
            stop = data.find(self.line_end, to if quoted else at) + 1
            if not stop and not whole:
                return unknown
            stop = stop or len(data)
            if not quoted:
                to = data.find(self.delimiter, at, stop)
                to = to if to >= 0 else at + len(data[at:stop].rstrip(b"\r\n"))
            fields.append(data[at:to])
            if not data.startswith(self.delimiter, to):
                if data[to:stop].strip(b"\r\n"):
                    raise QuoteError("there is text after a closing quote", place)
                return fields, to, stop
            at = to + 1

    def value(self, field: bytes) -> bytes:
        """What a field says."""
        if field.startswith(QUOTE):
            return field[1:-1].replace(b'""', b'"')
        return field

    def spell(self, value: bytes, quoted: bool = False) -> bytes:
        """A field that says `value`."""
        if quoted or not value or self.delimiter in value or _NEEDS_QUOTES.search(value):
            return QUOTE + value.replace(b'"', b'""') + QUOTE
        return value


def _more(data: bytes, feed: Iterator[bytes]) -> tuple[bytes, int, bool]:
    """Twice the bytes, or more; whether they are the last."""
    parts, size = [data], 0
    for chunk in feed:
        parts.append(chunk)
        size += len(chunk)
        if size > len(data):
            return b"".join(parts), 0, False
    return b"".join(parts), 0, True


def guess(head: bytes, whole: bool, columns: Iterable[str], extension: str) -> Dialect:
    """The dialect of a table that begins with `head`, which may be the whole of it."""
    end = b"\r" if _FIRST_IS_CR.match(head) else b"\n"
    if not whole:
        head = head[: head.rfind(end) + 1] or head
    order = (
        (b"\t", b",", b";", b"|") if extension in (".tsv", ".tab") else (b",", b"\t", b";", b"|")
    )
    wanted = set(columns)
    dialects = [Dialect(delimiter, end) for delimiter in order]
    return max(dialects, key=lambda dialect: _fitness(dialect, head, whole, wanted))


def _fitness(
    dialect: Dialect, head: bytes, whole: bool, wanted: set[str]
) -> tuple[bool, bool, bool, float, int]:
    """How well a dialect explains the beginning of a table; the greatest is the best."""
    rows: list[Row] = []
    sound = True
    try:
        for row in dialect.rows([head]):
            rows.append(row)
    except QuoteError as error:
        sound = not whole and "never closed" in error.reason
    if not rows:
        return (False, False, False, 0.0, 0)
    header = {decode_name(dialect, field) for field in rows[0].fields}
    width = len(rows[0].fields)
    body = [row for row in rows[1:] if row.fields != [b""]]
    even = sum(len(row.fields) == width for row in body) / len(body) if body else 1.0
    return (wanted <= header, width > 1, sound, even, width)


def decode_name(dialect: Dialect, field: bytes) -> str:
    """The name of a column."""
    return decode(dialect.value(field)).strip()
