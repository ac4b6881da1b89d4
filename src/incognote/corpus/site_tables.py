"""What a table of patients or staff offers a site file: lists from its columns, patterns from its numbers.

What a column holds is what `incognote columns` says of it (`runs/column_contents.py`). People's names go into a list that finds them in
any order and form; wards, sites, streets, towns and employers into lists of words. A column of record or
badge numbers becomes a pattern, with a check digit where all of its values have one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from incognote.base.errors import RunError
from incognote.base.messages import quantity
from incognote.corpus.site_phrases import shape_of
from incognote.formats import Fields, FormatError
from incognote.formats.column_plan import name_part
from incognote.formats.columns import shown_name
from incognote.formats.container import Column
from incognote.formats.streams import extension
from incognote.formats.tables import read_table
from incognote.knowledge.check_digits import CHECKS
from incognote.runs.column_contents import contents_of, is_common, is_of_staff

_ENDINGS = (".csv", ".tsv", ".tab")
LEAST_CHECKED = 8
"""Numbers with a check digit, from so many on, are no accident."""
MOST_SHAPES = 3

_STAFF = re.compile(
    r"(?i)staff|employee|provider|physician|doctor|nurse|clinician|badge|npi|role|title|specialty|department"
)
_WORDS = ("HOSPITAL", "STREET", "CITY", "ORGANIZATION")
_NUMBERS = ("MEDICALRECORD", "HEALTHPLAN", "ACCOUNT", "LICENSE", "DEVICE", "IDNUM")
_HOUSE = re.compile(r"^\d{1,5}[A-Za-z]?,?[ ]+")
_LETTERS = re.compile(r"[^\W\d_]{2}")
_CODE = re.compile(r"[A-Z0-9]+(?:[ ./_-][A-Z0-9]+)*")
_CHECKS = ("nhs", "npi", "luhn")
"""Those that a column of numbers is tried with."""


@dataclass(frozen=True)
class ProposedList:
    """A list for the site file. `doubtful` entries are ordinary words or departments."""

    name: str
    type: str
    mode: str
    origin: str
    entries: tuple[str, ...] = field(repr=False)
    doubtful: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class ProposedPattern:
    """A pattern for the site file."""

    name: str
    type: str
    pattern: str
    origin: str
    before: tuple[str, ...] = ()
    check: str | None = None


def read_columns(path: Path, encoding: str | None = None) -> tuple[dict[str, list[str]], str]:
    """The values of a table by column, and its encoding; rows of another width are left out."""
    if extension(path) not in _ENDINGS:
        raise RunError(f"{path}: --table reads .csv and .tsv files")
    try:
        table = read_table(path, fields=Fields(encoding=encoding))
    except FormatError as error:
        raise RunError(f"{path}: {error}") from None
    columns: dict[str, list[str]] = {name: [] for name in table.names}
    for row in table.rows:
        if len(row.values) == len(table.names):
            for name, value in zip(table.names, row.values, strict=True):
                columns[name].append(" ".join(value.split()))
    return columns, table.encoding


def proposals(
    path: Path, name_fields: Sequence[str] = (), encoding: str | None = None
) -> tuple[list[ProposedList], list[ProposedPattern]]:
    """What the columns of a table offer; `name_fields` are columns of names by whatever name."""
    columns, read_as = read_columns(path, encoding)
    file = path.name if read_as == "utf-8" else f"{path.name} ({read_as})"
    base = re.sub(r"[^a-z0-9]+", "-", path.stem.lower()).strip("-") or "table"
    people = "DOCTOR" if any(map(_STAFF.search, (path.stem, *columns))) else "PATIENT"
    of_staff = is_of_staff(columns)
    lists: list[ProposedList] = []
    patterns: list[ProposedPattern] = []
    for key, values in _joined_names(columns).items():
        name = f"{base}-{re.sub(r'[^a-z0-9]+', '-', key.lower()).strip('-') or 'column'}"
        origin = f"{file}, column {key}"
        distinct = tuple(dict.fromkeys(filter(None, values)))
        if not distinct:
            continue
        type = "PATIENT" if key in name_fields else _type_of(key, values, of_staff=of_staff)
        if type in ("PATIENT", "DOCTOR") and (key in name_fields or _is_whole_name(key)):
            type = people if type == "PATIENT" else type
            lists.append(ProposedList(name, type, "name", origin, distinct))
        elif type in _NUMBERS:
            patterns += _patterns(name, type, key, origin, distinct)
        elif type in _WORDS:
            words = dict.fromkeys(_HOUSE.sub("", value) for value in distinct)
            words = {word: None for word in words if _LETTERS.search(word)}
            sure = tuple(word for word in words if not is_common(word))
            common = tuple(word for word in words if is_common(word))
            if sure:
                lists.append(ProposedList(name, type, "any-case", origin, sure, common))
    return lists, patterns


def without_shape(path: Path, encoding: str | None = None) -> list[str]:
    """The columns of numbers of which no pattern comes; by number where a name may be data."""
    columns, _ = read_columns(path, encoding)
    return [
        shown_name(key, number)
        for number, (key, values) in enumerate(columns.items(), start=1)
        if any(values)
        and not _shapes(tuple(dict.fromkeys(filter(None, values))))
        and _type_of(key, values, of_staff=is_of_staff(columns)) in _NUMBERS
    ]


def missing_fields(
    paths: Sequence[Path], name_fields: Sequence[str], encoding: str | None = None
) -> list[str]:
    """The columns that were named and that no table has."""
    columns = {name for path in paths for name in read_columns(path, encoding)[0]}
    return [name for name in name_fields if name not in columns]


def _type_of(key: str, values: Sequence[str], *, of_staff: bool) -> str:
    column = Column(key, key, tuple(filter(None, values)))
    return contents_of(column, len(values), of_staff=of_staff).type


def _joined_names(columns: dict[str, list[str]]) -> dict[str, list[str]]:
    """The columns; one of first and one of last names of the same person are read as one."""
    parts = {name_part(key): key for key in reversed(columns)}
    joined: dict[str, list[str]] = {}
    others = dict(columns)
    for (part, whose), last in reversed(parts.items()):
        first = parts.get(("given", whose))
        if part != "surname" or first is None:
            continue
        pairs = zip(others.pop(last), others.pop(first), strict=True)
        key = " ".join((*whose, "name"))
        key = key if key not in columns else " ".join((*whose, "full name"))
        joined[key] = [", ".join(filter(None, pair)) for pair in pairs]
    return {**joined, **others}


def _is_whole_name(key: str) -> bool:
    """Whether a column holds more than given names, which many people share."""
    return name_part(key)[0] not in ("given", "middle")


def _patterns(
    name: str, type: str, key: str, origin: str, values: Sequence[str]
) -> Iterator[ProposedPattern]:
    """A pattern for each of the few shapes of a column of numbers."""
    prefix = _common_letters(values)
    shapes = _shapes(values)
    if not shapes:
        return
    check = None
    if len(values) >= LEAST_CHECKED:
        check = next((check for check in _CHECKS if all(map(CHECKS[check], values))), None)
    for number, shape in enumerate(sorted(shapes), start=1):
        plain = not any(map(str.isalpha, shape))
        label = re.split(r"[_ .-]", key.lower())[0]
        yield ProposedPattern(
            name if len(shapes) == 1 else f"{name}-{number}",
            type,
            pattern_of(shape),
            f"{origin}: the shape of its {quantity(len(values), 'value')}"
            if len(shapes) == 1
            else f"{origin}: one of its {len(shapes)} shapes",
            (label,) if plain and not prefix else (),
            check,
        )


def _shapes(values: Sequence[str]) -> set[str]:
    """The shapes of codes, if they are few."""
    shapes = {shape_of(value) for value in values}
    few = len(shapes) <= MOST_SHAPES and all(_CODE.fullmatch(value) for value in values)
    return shapes if few else set()


def _common_letters(values: Sequence[str]) -> str:
    letters = {"".join(filter(str.isalpha, value)) for value in values}
    return letters.pop() if len(letters) == 1 else ""


def pattern_of(shape: str) -> str:
    r"""`ODL-0000` is `\bODL-\d{4}\b` in RE2."""
    shape = shape.replace(".", r"\.")
    runs = re.sub(r"0+", lambda run: rf"\d{{{len(run[0])}}}" if len(run[0]) > 1 else r"\d", shape)
    return rf"\b{runs}\b"
