"""What a table of patients or staff offers a site file: lists from its columns, patterns from its numbers.

A column is known by its name and then by its values. People's names go into a list that finds them in
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
from incognote.detect.vetoes.vocabulary import DEPARTMENT
from incognote.formats import Fields, FormatError
from incognote.formats.columns import shown_name
from incognote.formats.streams import extension
from incognote.formats.tables import read_table
from incognote.knowledge.check_digits import CHECKS
from incognote.knowledge.letters import fold_name
from incognote.knowledge.lexicon import is_ordinary

_ENDINGS = (".csv", ".tsv", ".tab")
LEAST_CHECKED = 8
"""Numbers with a check digit, from so many on, are no accident."""
MOST_SHAPES = 3

_STAFF = re.compile(
    r"(?i)staff|employee|provider|physician|doctor|nurse|clinician|badge|npi|role|title|specialty|department"
)
_NAME = re.compile(
    r"(?i)(?:^|[_ .-])(?:names?|fullname|displayname|surname|patient|provider|physician|doctor|nurse|"
    r"clinician|contact|kin|nok|guardian|spouse|employee|attending|author)(?:$|[_ .-])|name$"
)
_FIRST = re.compile(r"(?i)^(?:first|given|fore)[_ .-]?names?$")
_LAST = re.compile(r"(?i)^(?:last|family|sur)[_ .-]?names?$")
_WORD_COLUMNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "HOSPITAL",
        re.compile(
            r"(?i)(?:^|[_ .-])(?:wards?|units?|sites?|facility|hospital|clinic|department|dept|place|location)(?:$|[_ .-])"
        ),
    ),
    ("STREET", re.compile(r"(?i)street|address(?!.*mail)|addr(?:$|[_ .-])")),
    ("CITY", re.compile(r"(?i)(?:^|[_ .-])(?:city|town|village|suburb|county|parish)(?:$|[_ .-])")),
    (
        "ORGANIZATION",
        re.compile(
            r"(?i)(?:^|[_ .-])(?:employer|company|workplace|school|organi[sz]ation)(?:$|[_ .-])"
        ),
    ),
)
_NUMBER_COLUMNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "MEDICALRECORD",
        re.compile(
            r"(?i)(?:^|[_ .-])(?:mrn|crn|record|chart|nhs|(?:hosp|hospital|unit|patient|pat|pt)"
            r"[_ .-]?(?:no|number|num|nr)|(?:patient|pat|pt)[_ .-]?id)(?:$|[_ .-])"
        ),
    ),
    ("HEALTHPLAN", re.compile(r"(?i)(?:^|[_ .-])(?:member|policy|insurance|plan)(?:$|[_ .-])")),
    (
        "IDNUM",
        re.compile(r"(?i)(?:^|[_ .-])(?:badge|study|trial|case|id|no|number)(?:$|[_ .-])"),
    ),
)
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
    lists: list[ProposedList] = []
    patterns: list[ProposedPattern] = []
    for key, values in _joined_names(columns).items():
        name = f"{base}-{re.sub(r'[^a-z0-9]+', '-', key.lower()).strip('-') or 'column'}"
        origin = f"{file}, column {key}"
        distinct = tuple(dict.fromkeys(filter(None, values)))
        if not distinct:
            continue
        if key in name_fields or (_NAME.search(key) and _are_names(distinct)):
            lists.append(ProposedList(name, people, "name", origin, distinct))
        elif type := _type_of(key, _NUMBER_COLUMNS):
            patterns += _patterns(name, type, key, origin, distinct)
        elif type := _type_of(key, _WORD_COLUMNS):
            words = dict.fromkeys(_HOUSE.sub("", value) for value in distinct)
            words = {word: None for word in words if _LETTERS.search(word)}
            sure = tuple(word for word in words if not _is_common(word))
            common = tuple(word for word in words if _is_common(word))
            if sure:
                lists.append(ProposedList(name, type, "any-case", origin, sure, common))
    return lists, patterns


def without_shape(path: Path, encoding: str | None = None) -> list[str]:
    """The columns of numbers of which no pattern comes; by number where a name may be data."""
    columns, _ = read_columns(path, encoding)
    return [
        shown_name(key, number)
        for number, (key, values) in enumerate(columns.items(), start=1)
        if _type_of(key, _NUMBER_COLUMNS)
        and any(values)
        and not _shapes(tuple(dict.fromkeys(filter(None, values))))
        and not (_NAME.search(key) and _are_names(tuple(filter(None, values))))
    ]


def missing_fields(
    paths: Sequence[Path], name_fields: Sequence[str], encoding: str | None = None
) -> list[str]:
    """The columns that were named and that no table has."""
    columns = {name for path in paths for name in read_columns(path, encoding)[0]}
    return [name for name in name_fields if name not in columns]


def _joined_names(columns: dict[str, list[str]]) -> dict[str, list[str]]:
    """The columns; one of first and one of last names are read as one."""
    first = next(filter(_FIRST.match, columns), None)
    last = next(filter(_LAST.match, columns), None)
    if first is None or last is None:
        return columns
    pairs = zip(columns[last], columns[first], strict=True)
    names = [", ".join(filter(None, pair)) for pair in pairs]
    others = {key: values for key, values in columns.items() if key not in (first, last)}
    return {"name": names, **others} if "name" not in others else {"full name": names, **others}


def _type_of(key: str, kinds: Sequence[tuple[str, re.Pattern[str]]]) -> str | None:
    return next((type for type, name in kinds if name.search(key)), None)


def _are_names(values: Sequence[str]) -> bool:
    """Whether most look like people's names: a few words with capitals, and no digits."""
    likely = [
        value
        for value in values
        if 1 <= len(value.split()) <= 6
        and not any(map(str.isdigit, value))
        and any(word[:1].isupper() for word in value.split())
    ]
    return len(likely) * 10 >= len(values) * 8


def _is_common(value: str) -> bool:
    """Whether it is a department, or a single word that is ordinary."""
    words = fold_name(value).split()
    return bool(DEPARTMENT.fullmatch(value)) or (len(words) == 1 and is_ordinary(words[0]))


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
