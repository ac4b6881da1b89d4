"""The parts of a split as files, in the corpus' own format."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

from incognote.corpus.reading import Source
from incognote.corpus.split import Split
from incognote.formats import Format, Record, Sink
from incognote.formats.streams import plain_name


def write_parts(split: Split, folder: Path) -> None:
    """A folder for each part, or a file for each if the corpus is one table.

    Files of one note are copied, rows keep their bytes.
    """
    folder.mkdir(parents=True)
    single = split.source.path.is_file()
    of_file: dict[Path, dict[int, int]] = {}
    formats = {unit.path: unit.format for unit in split.units}
    for unit, part in zip(split.units, split.part_of, strict=True):
        of_file.setdefault(unit.path, {})[unit.index] = part
    if not (single and any(format.table for format in formats.values())):
        for name in split.ratio.names:
            (folder / name).mkdir()
    for path, parts in of_file.items():
        table = formats[path].table
        targets = [
            _target(folder, name, split.source.path, path, table) for name in split.ratio.names
        ]
        if table:
            _write_table(path, formats[path], split.source, parts, targets)
        else:
            _copy(path, formats[path], targets[parts[0]])


def _target(folder: Path, part: str, root: Path, path: Path, table: bool) -> Path:
    if root.is_dir():
        return folder / part / path.relative_to(root)
    if not table:
        return folder / part / path.name
    stem = Path(plain_name(path)).stem
    return folder / f"{part}{path.name[len(stem) :]}"


def _copy(path: Path, format: Format, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    for source, copy in (
        (path, target),
        *zip(format.companions(path), format.companions(target), strict=True),
    ):
        shutil.copyfile(source, copy)


def _write_table(
    path: Path, format: Format, source: Source, parts: Mapping[int, int], targets: Sequence[Path]
) -> None:
    with ExitStack() as stack:
        opened = stack.enter_context(closing(format.open(path, source.fields)))
        sinks: list[Sink] = []
        for target in targets:
            target.parent.mkdir(parents=True, exist_ok=True)
            sink = format.sink(target, opened)
            stack.callback(sink.abort)
            sinks.append(sink)
        for index, record in enumerate(opened.records()):
            if isinstance(record, Record) and record.frame:
                for sink in sinks:
                    sink.write(record, ())
            elif isinstance(record, Record) and index in parts:
                sinks[parts[index]].write(record, record.documents)
        for sink in sinks:
            sink.close()


def list_json(split: Split) -> bytes:
    """The list of ids as a file."""
    return (json.dumps(split.to_json(), ensure_ascii=False, indent=2) + "\n").encode(
        "utf-8", "surrogatepass"
    )
