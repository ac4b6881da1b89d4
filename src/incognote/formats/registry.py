"""The one place where a format is registered, and which format a file is of.

A new format is a class in a file of its own, made on one of `format_bases`, and a row of `FORMATS`.
Its `name` is what `--format` takes, its `extensions` are the endings of its files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path

from incognote.base.errors import kind_of_error
from incognote.base.registry import Plugin, Registry, RegistryError, UnknownNameError
from incognote.formats.brat import Brat
from incognote.formats.container import Format
from incognote.formats.delimited import Delimited
from incognote.formats.encoding import as_utf8
from incognote.formats.format_error import FormatError
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


FORMAT_PLUGINS = Registry("incognote.formats", "format", FORMATS)
"""Formats of a user's own (docs/extending.md). A file is tried as one of them after all of ours."""


def format_named(name: str) -> Format:
    """The format of this name, one of ours or of a user's own."""
    if name in FORMATS:
        return FORMATS[name]
    try:
        return _own_format(FORMAT_PLUGINS.find(name))
    except UnknownNameError:
        raise FormatError(f"'{name}' is not a format: choose one of {names()}") from None
    except RegistryError as error:
        raise FormatError(str(error)) from None


def _own_format(plugin: Plugin) -> Format:
    """A format of a user's own, made and looked at: whether it has what a run asks of it."""
    thing = plugin.load()
    try:
        format: Format = thing() if isinstance(thing, type) else thing
        companions = format.companions(Path(f"note{format.extensions[0]}"))
        lacking = [name for name in _METHODS if not callable(getattr(format, name, None))]
        lacking += [name for name in _FLAGS if not isinstance(getattr(format, name, None), bool)]
    except Exception as error:
        raise FormatError(
            f"the format {plugin.name} cannot be made ({kind_of_error(error)})"
        ) from error
    if lacking:
        raise FormatError(f"the format {plugin.name} lacks {', '.join(lacking)}")
    if format.name != plugin.name:
        raise FormatError(f"the format {plugin.name} calls itself otherwise: give it that name")
    if companions:
        raise FormatError(f"the format {plugin.name} has several files for a note: it may have one")
    return format


_METHODS = (
    "sniff companions notes_beside holds_patient problem open sink render_files write".split()
)
_FLAGS = ("table", "holds_spans", "gzip")


def detect(path: Path, explicit: str | None = None) -> Format:
    """The format of a file: the one named, else by its extension and its beginning."""
    if explicit is not None:
        return format_named(explicit)
    with open_bytes(path) as stream, reading():
        raw = stream.read(HEAD)
    head = as_utf8(raw)
    kind = unsupported_kind(raw) or unsupported_kind(head)
    for format in _own_formats() if kind else chain(FORMATS.values(), _own_formats()):
        if format.sniff(path, head):
            return format
    if kind:
        insist = "; if it only begins like one, say --format" if kind.is_text else ""
        raise FormatError(f"{kind.reason}{insist}")
    raise FormatError(
        f"the format cannot be told from the name and content: say it with --format: {names()}"
    )


def _own_formats() -> Iterator[Format]:
    """Formats of a user's own, looked up when the first is asked for; what is wrong with one is
    raised after the others.
    """
    errors: list[FormatError] = []
    try:
        names = [plugin.name for plugin in FORMAT_PLUGINS.plugins()]
    except RegistryError as error:
        raise FormatError(str(error)) from None
    for name in names:
        try:
            format = format_named(name)
        except FormatError as error:
            errors.append(error)
        else:
            yield format
    if errors:
        raise errors[0]


def names() -> str:
    """The names that `--format` takes."""
    return ", ".join(sorted(FORMAT_PLUGINS.names()))
