"""A corpus in parts for training, validation and testing; no patient in two of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from incognote.base.messages import quantity
from incognote.corpus.assign import Group, assign
from incognote.corpus.patients import PatientOf
from incognote.corpus.reading import CorpusError, Failure, RefusedError, Source
from incognote.document import Document
from incognote.formats import BadRecord, Format, Record, read_records

PARTS = {2: ("train", "test"), 3: ("train", "validation", "test")}


@dataclass(frozen=True)
class Ratio:
    """The sizes of two or three parts, in any unit."""

    sizes: tuple[Fraction, ...]
    spelled: str

    @classmethod
    def parse(cls, spelled: str, option: str = "--ratio") -> Ratio:
        """`50:10:40`, or `80:20` for no validation part."""
        try:
            sizes = tuple(Fraction(size) for size in spelled.split(":"))
        except (ValueError, ZeroDivisionError):
            sizes = ()
        if len(sizes) not in PARTS or min(sizes) <= 0:
            raise CorpusError(
                f"{option} {spelled}: write two or three numbers above 0, such as 80:20 or 50:10:40"
            )
        return cls(sizes, spelled)

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
    """Units by part, in the order of the corpus."""

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
            "ratio": self.ratio.spelled,
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
    failures += _repeated(units)
    if failures:
        raise RefusedError(failures)
    if not units:
        raise CorpusError(f"{source.path}: no notes here")
    keys = [together(unit.ids, unit.patient) for unit in units]
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
            f"{ratio.spelled}: one would be empty"
        )
    return Split(source, ratio, seed, units, [parts[key] for key in keys], empty)


def together(ids: Iterable[str], patient: str | None) -> str:
    """The name of what no split tears apart: a patient's notes or, if none is told, a record's."""
    return f"note {' '.join(ids)}" if patient is None else f"patient {patient}"


def records(
    source: Source, patient: PatientOf | None, failures: list[Failure]
) -> Iterator[tuple[Document, ...]]:
    """The notes of each record, whose patient is told if that is asked for.

    `failures` gets what cannot be read, and the records whose patient cannot be told.
    """
    for each in read_records(source.path, source.format, source.fields):
        if isinstance(each.record, BadRecord):
            failures.append(_unread(each.path, each.record))
        elif each.record.documents:
            _whose(source, each.path, each.record, patient, failures)
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
            failures.append(_unread(each.path, record))
            continue
        assert each.format is not None
        if not record.documents:
            if not record.frame:
                yield None
            continue
        whose = _whose(source, each.path, record, patient, failures)
        types = Counter(span.type for note in record.documents for span in note.spans)
        ids = tuple(note.id for note in record.documents)
        yield Unit(each.path, index, each.format, ids, whose, types)


def _unread(path: Path, record: BadRecord) -> Failure:
    return Failure(path, record.error.place, record.error.reason)


def _whose(
    source: Source,
    path: Path,
    record: Record,
    patient: PatientOf | None,
    failures: list[Failure],
) -> str | None:
    """The patient of a record, if it is to be told."""
    if patient is None:
        return None
    first = record.documents[0]
    inside = path.relative_to(source.path) if source.path.is_dir() else Path(path.name)
    whose = patient(inside, first.id, first.patient)
    if whose is None:
        failures.append(Failure(path, record.place, "the patient cannot be told"))
    return whose


def _repeated(units: Sequence[Unit]) -> Iterator[Failure]:
    seen: set[tuple[str, ...]] = set()
    for unit in units:
        if unit.ids in seen:
            yield Failure(unit.path, f"record {unit.index + 1}", "its id occurred before")
        seen.add(unit.ids)
