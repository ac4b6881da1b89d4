"""The one place where a format is registered, and which format a file is of.

A new format is a class in a file of its own, made on one of `format_bases`, and a row of `FORMATS`.
Its `name` is what `--format` takes, its `extensions` are the endings of its files.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from incognote.formats.brat import Brat
from incognote.formats.container import Format, FormatError
from incognote.formats.delimited import Delimited
from incognote.formats.encoding import as_utf8
from incognote.formats.i2b2 import I2b2
from incognote.formats.i2b2_2006 import I2b2Records
from incognote.formats.inline import Inline
from incognote.formats.jsonl import Jsonl
from incognote.formats.parquet import Parquet
from incognote.formats.physionet import Physionet
from incognote.formats.streams import open_bytes, reading
from incognote.formats.text import Text
from incognote.formats.unsupported import unsupported_kind

HEAD = 1 << 16

FORMATS: Mapping[str, Format] = {
    format.name: format
    for format in (
        Parquet(),
        I2b2Records(),
        I2b2(),
        Brat(),
        Physionet(),
        Inline(),
        Jsonl(),
        Delimited(),
        Text(),
    )
}
"""In the order in which a file is tried: plain text, which any `.txt` can be, comes last."""


def detect(path: Path, explicit: str | None = None) -> Format:
    """The format of a file: the one named, else by its extension and its beginning."""
    if explicit is not None:
        if explicit not in FORMATS:
            raise FormatError(f"'{explicit}' is not a format: choose one of {names()}")
        return FORMATS[explicit]
    with open_bytes(path) as stream, reading():
        raw = stream.read(HEAD)
    head = as_utf8(raw)
    if kind := unsupported_kind(raw) or unsupported_kind(head):
        insist = "; if it only begins like one, say --format" if kind.is_text else ""
        raise FormatError(f"{kind.reason}{insist}")
    for format in FORMATS.values():
        if format.sniff(path, head):
            return format
    raise FormatError(
        f"the format cannot be told from the name and content: say it with --format: {names()}"
    )


def names() -> str:
    """The names that `--format` takes."""
    return ", ".join(sorted(FORMATS))
