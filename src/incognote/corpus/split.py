"""A corpus in parts for training, validation and testing; no patient in two of them.

First every record gets its patient, then groups of notes that must stay together are assigned to
parts, then the parts are written in the corpus' own format.
"""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

from incognote.base.messages import quantity
from incognote.corpus.source import CorpusError, Failure, RefusedError, Source
from incognote.document import Document
from incognote.formats import BadRecord, Format, Record, Sink, read_records
from incognote.formats.streams import plain_name
from incognote.runs.patients import folder_of

PARTS = {2: ("train", "test"), 3: ("train", "validation", "test")}

PatientOf = Callable[[Path, str, str | None], str | None]
"""From a note's file (inside the corpus), id and patient field to the patient; None: unknown."""


@dataclass(frozen=True)
class Ratio:
    """The sizes of two or three parts, in any unit."""

    sizes: tuple[Fraction, ...]
    text: str

    @classmethod
    def parse(cls, text: str, option: str = "--ratio") -> Ratio:
        """Read `50:10:40`, or `80:20` for no validation part."""
        try:
            sizes = tuple(Fraction(size) for size in text.split(":"))
        except (ValueError, ZeroDivisionError):
            sizes = ()
        if len(sizes) not in PARTS or min(sizes) <= 0:
            raise CorpusError(
                f"{option} {text}: write two or three numbers above 0, such as 80:20 or 50:10:40"
            )
        return cls(sizes, text)

    @property
    def names(self) -> tuple[str, ...]:
        return PARTS[len(self.sizes)]


@dataclass(frozen=True)
class Unit:
    """One record of the corpus: what is never torn apart."""

    path: Path
    index: int
    """Which record of the file, from 0."""
    format: Format
    ids: tuple[str, ...]
    patient: str | None
    types: Mapping[str, int] = field(repr=False)


@dataclass(frozen=True)
class Split:
    """The records of a corpus, each with its part, in the order of the corpus."""

    source: Source
    ratio: Ratio
    seed: int
    units: Sequence[Unit]
    part_of: Sequence[int]
    without_notes: int
    """Rows and lines that hold no note; they are in no part."""

    def units_of(self, part: int) -> list[Unit]:
        return [unit for unit, own in zip(self.units, self.part_of, strict=True) if own == part]

    def to_json(self) -> dict[str, Any]:
        """The ids of each part, and how they were chosen."""
        return {
            "ratio": self.ratio.text,
            "seed": self.seed,
            "parts": {
                name: sorted(id for unit in self.units_of(part) for id in unit.ids)
                for part, name in enumerate(self.ratio.names)
            },
        }


def split(
    source: Source,
    ratio: Ratio,
    *,
    seed: int = 0,
    patient: PatientOf | None = None,
    stratify: bool = False,
) -> Split:
    """Choose the parts. A corpus that cannot be read whole is refused, with all that is wrong."""
    failures: list[Failure] = []
    units: list[Unit] = []
    empty = 0
    for unit in _units(source, patient, failures):
        if unit is None:
            empty += 1
        else:
            units.append(unit)
    failures += _duplicates(units)
    if failures:
        raise RefusedError(failures)
    if not units:
        raise CorpusError(f"{source.path}: no notes here")
    keys = [group_key(unit.ids, unit.patient) for unit in units]
    sizes = Counter(keys)
    types: dict[str, Counter[str]] = {key: Counter() for key in sizes}
    for key, unit in zip(keys, units, strict=True):
        types[key].update(unit.types)
    groups = [Group(key, size, types[key]) for key, size in sizes.items()]
    parts = assign(groups, ratio.sizes, seed, stratify=stratify)
    if len(set(parts.values())) < len(ratio.names):
        number = quantity(len(groups), "patient" if patient else "note")
        raise CorpusError(
            f"{source.path}: {number} cannot be split into {len(ratio.names)} parts of "
            f"{ratio.text}: one would be empty"
        )
    return Split(source, ratio, seed, units, [parts[key] for key in keys], empty)


def group_key(ids: Iterable[str], patient: str | None) -> str:
    """Names what no split tears apart: a patient's notes or, where no patient is known, a record's."""
    return f"note {' '.join(ids)}" if patient is None else f"patient {patient}"


def records_with_patients(
    source: Source, patient: PatientOf | None, failures: list[Failure]
) -> Iterator[tuple[Document, ...]]:
    """The notes of each record.

    `failures` gets what cannot be read and, if `patient` is given, the records it finds none for.
    """
    for each in read_records(source.path, source.format, source.fields):
        if isinstance(each.record, BadRecord):
            failures.append(_failure(each.path, each.record))
        elif each.record.documents:
            _patient_of(source, each.path, each.record, patient, failures)
            yield each.record.documents


def _units(
    source: Source, patient: PatientOf | None, failures: list[Failure]
) -> Iterator[Unit | None]:
    last, index = None, -1
    for each in read_records(source.path, source.format, source.fields):
        index = index + 1 if each.path == last else 0
        last = each.path
        record = each.record
        if isinstance(record, BadRecord):
            failures.append(_failure(each.path, record))
            continue
        assert each.format is not None
        if not record.documents:
            if not record.frame:
                yield None
            continue
        owner = _patient_of(source, each.path, record, patient, failures)
        types = Counter(span.type for note in record.documents for span in note.spans)
        ids = tuple(note.id for note in record.documents)
        yield Unit(each.path, index, each.format, ids, owner, types)


def _failure(path: Path, record: BadRecord) -> Failure:
    return Failure(path, record.error.place, record.error.reason)


def _patient_of(
    source: Source,
    path: Path,
    record: Record,
    patient: PatientOf | None,
    failures: list[Failure],
) -> str | None:
    """The patient of a record; None, and a failure, if `patient` finds none."""
    if patient is None:
        return None
    first = record.documents[0]
    inside = path.relative_to(source.path) if source.path.is_dir() else Path(path.name)
    owner = patient(inside, first.id, first.patient)
    if owner is None:
        failures.append(Failure(path, record.place, "the patient cannot be told"))
    return owner


def _duplicates(units: Sequence[Unit]) -> Iterator[Failure]:
    ids: set[tuple[str, ...]] = set()
    for unit in units:
        if unit.ids in ids:
            yield Failure(unit.path, f"record {unit.index + 1}", "its id occurred before")
        ids.add(unit.ids)


def patient_from_pattern(pattern: str) -> PatientOf:
    """The first group of a regular expression found in the id, or the whole match."""
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise CorpusError(f"--patient-pattern is not a regular expression: {error}") from None

    def patient(path: Path, id: str, field: str | None) -> str | None:
        match = compiled.search(id)
        return None if match is None else match[1] if compiled.groups else match[0]

    return patient


def patient_from_folder(level: int | None = None) -> PatientOf:
    """The folder of the file, or the one so many levels below the corpus."""

    def patient(path: Path, id: str, field: str | None) -> str | None:
        return str(path.parent) if level is None else folder_of(path, level)

    return patient


def patient_from_field(path: Path, id: str, field: str | None) -> str | None:
    """The value of the table's patient field."""
    return field or None


@dataclass(frozen=True)
class Group:
    """Notes that must stay together, of a patient or a single one: their number and spans by type."""

    key: str
    size: int
    types: Mapping[str, int]


def shares(total: int, ratio: Sequence[Fraction]) -> list[int]:
    """Whole numbers in the ratio that add up to the total, by largest remainder."""
    exact = [total * part / sum(ratio) for part in ratio]
    whole = [int(value) for value in exact]
    order = sorted(range(len(ratio)), key=lambda part: (whole[part] - exact[part], part))
    for part in order[: total - sum(whole)]:
        whole[part] += 1
    return whole


def assign(
    groups: Sequence[Group], ratio: Sequence[Fraction], seed: int, *, stratify: bool = False
) -> dict[str, int]:
    """The part of each group by its key, the same whatever the order of the groups.

    Parts are filled by notes: none gets more than its share by as much as the largest group has,
    and single notes fill them exactly. Only a part that would stay empty gets a group beyond that.
    """
    order = sorted(groups, key=lambda group: group.key)
    Random(seed).shuffle(order)
    order.sort(key=lambda group: -group.size)
    filling = _Filling(shares(sum(group.size for group in groups), ratio))
    if stratify:
        _stratify(order, ratio, filling)
    for group in order:
        if group.key not in filling.parts:
            filling.put(group, filling.emptiest())
    _give_to_empty(order, filling)
    return filling.parts


class _Filling:
    """The parts given so far, and how many notes each part still has room for."""

    def __init__(self, room: list[int]) -> None:
        self.room = room
        self.parts: dict[str, int] = {}

    def put(self, group: Group, part: int) -> None:
        self.parts[group.key] = part
        self.room[part] -= group.size

    def emptiest(self) -> int:
        return max(range(len(self.room)), key=lambda part: self.room[part])


def _stratify(order: Sequence[Group], ratio: Sequence[Fraction], filling: _Filling) -> None:
    """Iterative stratification (Sechidis and others 2011), by counts of spans.

    The type with the fewest groups left is shared out first, while there is choice: each of its
    groups goes to the part that lacks most of the type, unless that part has all its notes.
    """
    remaining: Counter[str] = Counter(type for group in order for type in group.types)
    total: Counter[str] = Counter()
    for group in order:
        total.update(group.types)
    deficit = {type: [count * part / sum(ratio) for part in ratio] for type, count in total.items()}
    while remaining:
        rarest = min(remaining, key=lambda type: (remaining[type], type))
        candidates = [g for g in order if rarest in g.types and g.key not in filling.parts]
        for group in sorted(candidates, key=lambda group: -group.types[rarest]):
            open_parts = [part for part, room in enumerate(filling.room) if room > 0]
            part = max(open_parts, key=lambda part: (deficit[rarest][part], filling.room[part]))
            filling.put(group, part)
            for type, count in group.types.items():
                deficit[type][part] -= count
                remaining[type] -= 1
        remaining = Counter({type: count for type, count in remaining.items() if count > 0})


def _give_to_empty(order: Sequence[Group], filling: _Filling) -> None:
    """A part without a group gets the smallest of the part that has most, if that has several."""
    for part in range(len(filling.room)):
        counts = Counter(filling.parts.values())
        richest = max(counts, key=lambda part: (counts[part], -part), default=part)
        if part not in counts and counts[richest] > 1:
            smallest = [group for group in order if filling.parts[group.key] == richest][-1]
            filling.put(smallest, part)


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
        table = stack.enter_context(closing(format.open(path, source.fields)))
        sinks: list[Sink] = []
        for target in targets:
            target.parent.mkdir(parents=True, exist_ok=True)
            sink = format.sink(target, table)
            stack.callback(sink.abort)
            sinks.append(sink)
        for index, record in enumerate(table.records()):
            if isinstance(record, Record) and record.frame:
                for sink in sinks:
                    sink.write(record, ())
            elif isinstance(record, Record) and index in parts:
                sinks[parts[index]].write(record, record.documents)
        for sink in sinks:
            sink.close()


def list_json(split: Split) -> bytes:
    """The content of the file that lists the ids of each part."""
    return (json.dumps(split.to_json(), ensure_ascii=False, indent=2) + "\n").encode(
        "utf-8", "surrogatepass"
    )
