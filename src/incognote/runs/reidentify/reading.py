"""How a de-identified file is to be read: as it was when its notes were put into the vault."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from incognote.formats import FORMATS, detect
from incognote.formats.container import BadRecord, Fields, Format, FormatError
from incognote.replace.vault import Reading, Vault, digest


@dataclass(frozen=True)
class Asked:
    """What the user said of the files; what is not said, the vault remembers."""

    format: str | None = None
    fields: Fields | None = None
    encoding: str | None = None


def reading_of(path: Path, vault: Vault, asked: Asked) -> tuple[Format, Fields]:
    """The format and the fields by which the file's first note is one of the vault's."""
    if asked.fields is not None:
        return detect(path, asked.format), asked.fields
    ways = list(dict.fromkeys(_ways(path, vault, asked.format)))
    fitting = (
        ways if len(ways) == 1 else (way for way in ways if _fits(path, way, vault, asked.encoding))
    )
    way = next(iter(fitting), ways[0])
    return FORMATS[way.format], Fields(way.text, way.id, encoding=asked.encoding)


def _ways(path: Path, vault: Vault, format: str | None) -> Iterator[Reading]:
    """Those of the format that the file seems to have, then the vault's others."""
    known = vault.readings()
    try:
        usual = detect(path, format).name
    except FormatError:
        if format is not None or not known:
            raise
        yield from known
        return
    own = [way for way in known if way.format == usual] or [Reading(usual)]
    yield from own
    if format is None:
        yield from known


def _fits(path: Path, way: Reading, vault: Vault, encoding: str | None) -> bool:
    fields = Fields(way.text, way.id, encoding=encoding)
    try:
        with closing(FORMATS[way.format].open(path, fields)) as source:
            for record in source.records():
                if isinstance(record, BadRecord):
                    return False
                if record.documents:
                    return vault.knows(digest(record.documents[0].text))
    except (FormatError, OSError):
        return False
    return True
