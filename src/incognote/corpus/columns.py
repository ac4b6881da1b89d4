"""Which parts of a corpus stand beside each other in a table: its splits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from incognote.corpus.reading import Source
from incognote.formats import FormatError, detect, inputs
from incognote.formats.streams import plain_name

_ORDER = ("train", "training", "validation", "valid", "val", "dev", "development", "test")


def columns(sources: Sequence[Source]) -> dict[str, Source]:
    """Sources by the name of their column.

    Several arguments are a column each. A single folder is split into its folders if all its notes
    are in folders, or into its files if these are all tables; else it is one column.
    """
    parts = _parts(sources[0]) if len(sources) == 1 else list(sources)
    names = [Path(plain_name(part.path)).stem or str(part.path) for part in parts]
    if len(set(names)) < len(names):
        names = [str(part.path) for part in parts]
    return dict(zip(names, parts, strict=True))


def _parts(source: Source) -> list[Source]:
    if not source.path.is_dir():
        return [source]
    root = source.path
    files = list(inputs(root, source.format))
    while True:
        steps = {file.relative_to(root).parts[0] for file in files}
        if len(steps) != 1 or (root / min(steps)).is_file():
            break
        root /= min(steps)
    entries = sorted(root / step for step in steps)
    whole = all(entry.is_dir() for entry in entries) or all(_table(e, source) for e in entries)
    if len(entries) < 2 or not whole:
        return [source]
    entries.sort(key=lambda path: (_rank(path), path))
    return [Source(entry, source.format, source.fields) for entry in entries]


def _rank(path: Path) -> int:
    name = Path(plain_name(path)).stem.lower()
    return _ORDER.index(name) if name in _ORDER else len(_ORDER)


def _table(path: Path, source: Source) -> bool:
    try:
        return path.is_file() and detect(path, source.format).table
    except FormatError:
        return False
