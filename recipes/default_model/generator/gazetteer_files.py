"""Reads the gazetteers of the shared data into lists, once per run."""

from __future__ import annotations

import csv
import gzip
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from lxml import etree

from generator.capitals import place_case
from generator.gazetteer import Gazetteers, Listing
from generator.values.abroad import LOCALES
from incognote.knowledge.lexicon import EPONYM_NOUNS, EPONYMS

WORDS = Path(__file__).parent / "words"


def load_gazetteers(folder: Path) -> Gazetteers:
    """All lists from `folder` (the gazetteers of the shared data) and from our own word files."""
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder}: no folder of gazetteers here")
    first = list(_table(folder / "us_ssa_first_names/first_names.tsv.gz"))
    synthea = folder / "synthea"
    cities = list(_table(folder / "geonames/us_cities_pop1000.tsv.gz"))
    world = list(_table(folder / "geonames/world_cities_pop15000.tsv.gz"))
    return Gazetteers(
        female=_weighted((row["name"], row["total_count"]) for row in first if row["sex"] == "F"),
        male=_weighted((row["name"], row["total_count"]) for row in first if row["sex"] == "M"),
        surnames=_weighted(
            (row["name"], row["count"])
            for row in _table(folder / "us_gov_lists/family_names.tsv.gz")
        ),
        world_first=Listing(own_words("first_names")),
        world_last=Listing(own_words("last_names")),
        nicknames=Listing(own_words("nicknames")),
        cities=_weighted(((row["name"], row["population"]) for row in cities), flat=0.8),
        world_cities=_weighted(((row["name"], row["population"]) for row in world), flat=0.6),
        abroad=_abroad(world),
        counties=Listing(_counties(folder / "geonames/us_counties.json")),
        countries=_countries(folder / "geonames/countries.json"),
        zips=Listing(_zips(folder / "us_gov_lists/postal_code_localities.tsv.gz")),
        streets=Listing(_streets(folder / "us_gov_lists/streets.tsv.gz")),
        addresses=Listing(_addresses(folder.parent / "annotated/usaddress_probablepeople")),
        hospitals=_facilities(
            [synthea / "hospitals.csv.gz", folder / "us_gov_lists/hospitals.tsv.gz"]
        ),
        nursing=_facilities([synthea / "nursing.csv.gz", synthea / "longterm.csv.gz"]),
        home_care=_facilities(
            [synthea / "home_health_agencies.csv.gz", synthea / "hospice.csv.gz"]
        ),
        practices=_facilities(
            [
                synthea / f"{name}.csv.gz"
                for name in (
                    "urgent_care_facilities",
                    "primary_care_facilities_women",
                    "primary_care_facilities_children",
                    "ambulatory_surgical_center",
                    "rehab",
                    "va_facilities",
                    "ihs_centers",
                )
            ]
        ),
        dialysis=_facilities([synthea / "dialysis.csv.gz"]),
        jobs=Listing(_jobs(folder)),
        companies=Listing(
            _companies(folder / "corpora_cc0")
            + _businesses(folder.parent / "annotated/usaddress_probablepeople")
        ),
        drugs=Listing(_drugs(folder / "corpora_cc0/drugs.json")),
        **lexicon_listings(),
    )


_ALSO_PLACES = frozenset(
    "unit point mount port stone view zone ring house space trial trials law".split()
)
"""Nouns that follow the names of wards and places as well."""


def lexicon_listings() -> dict[str, Listing]:
    """Lists from the rules' lexicon: what looks like a name and is none."""
    return {
        "eponyms": Listing(sorted(word.capitalize() for word in EPONYMS)),
        "eponym_nouns": Listing(sorted(EPONYM_NOUNS - _ALSO_PLACES)),
    }


def _table(path: Path) -> Iterator[dict[str, str]]:
    delimiter = "\t" if ".tsv" in path.name else ","
    with gzip.open(path, "rt", encoding="utf-8", newline="") as stream:
        yield from csv.DictReader(stream, delimiter=delimiter)


def own_words(name: str) -> list[str]:
    """The words of one of the recipe's own files."""
    text = (WORDS / f"{name}.txt").read_text(encoding="utf-8")
    return [word.replace("_", " ") for word in text.split()]


def _weighted(rows: Iterable[tuple[str, str]], flat: float = 0.5) -> Listing:
    pairs = [(name, float(count or 0) + 1) for name, count in rows if name]
    return Listing([name for name, _ in pairs], [count for _, count in pairs], flat)


def _unique(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(value for value in values if value))


def _abroad(rows: Iterable[Mapping[str, str]]) -> dict[str, Listing]:
    towns: dict[str, list[tuple[str, str]]] = {country: [] for country in LOCALES}
    for row in rows:
        if row["country"] in towns:
            towns[row["country"]].append((row["name"], row["population"]))
    return {country: _weighted(found, flat=0.7) for country, found in towns.items() if found}


def _counties(path: Path) -> list[str]:
    rows = json.loads(path.read_text(encoding="utf-8"))
    return _unique(str(row["name"]) for row in rows)


def _countries(path: Path) -> Listing:
    rows = json.loads(path.read_text(encoding="utf-8"))
    pairs = [
        (str(row["name"]).strip(), str(row.get("population", 0)))
        for row in rows.values()
        if "," not in row["name"]
    ]
    return _weighted(pairs, flat=0.7)


def _zips(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        return _unique(line[:5] for line in stream if line[:5].isdigit())


def _streets(path: Path) -> list[str]:
    plain = re.compile(r"[A-Z][\w'’. -]+")
    return _unique(row["street"] for row in _table(path) if plain.fullmatch(row["street"]))


_LEGAL = re.compile(
    r"[ ,.]+(INC|LLC|L\.L\.C|LLP|LP|L\.P|LTD|PA|P\.A|PC|P\.C|PLLC|CORP|CORPORATION|DBA|D\.B\.A|CO)"
    r"(?=[., ]|$).*$",
    re.IGNORECASE,
)


def _facilities(paths: Iterable[Path]) -> Listing:
    names: list[str] = []
    for path in paths:
        for row in _table(path):
            name = _LEGAL.sub("", row["name"].split("(")[0]).strip(" ,.-")
            if 2 <= len(name.split()) <= 7 and len(name) < 60 and '"' not in name:
                names.append(place_case(name))
    return Listing(_unique(names))


_SKIPPED_JOB = re.compile(r"[,/()0-9]|, all other|worker\(s\)", re.IGNORECASE)


def _jobs(folder: Path) -> list[str]:
    official = [row["title"] for row in _table(folder / "us_gov_lists/professions.tsv.gz")]
    listed = json.loads((folder / "corpora_cc0/occupations.json").read_text(encoding="utf-8"))
    everyday = own_words("jobs")
    titles = [title.lower() for title in official if not _acronym(title)]
    names = [title for title in [*titles, *listed["occupations"]] if not _SKIPPED_JOB.search(title)]
    short = [name for name in names if len(name.split()) <= 4]
    return _unique(short) + everyday * 6


def _acronym(title: str) -> bool:
    return any(word.isupper() for word in title.split())


_MEDICAL = re.compile(r"hosp|medic|health|clinic|cancer|dialysis|doctors|nursing", re.IGNORECASE)


def _companies(folder: Path) -> list[str]:
    fortune = json.loads((folder / "fortune500.json").read_text(encoding="utf-8"))["companies"]
    charities = json.loads((folder / "charities.json").read_text(encoding="utf-8"))["charities"]
    return _unique(name for name in [*fortune, *charities] if not _MEDICAL.search(name))


_HOUSE = ("Address", "Street", "Occupancy", "Subaddress", "USPSBox", "Building")


def _addresses(folder: Path) -> list[str]:
    """House, street and flat of labelled address strings, as people typed them."""
    found: list[str] = []
    for parts in _labelled(folder / "usaddress_training_labeled.xml.gz"):
        words = [text for tag, text in parts if tag.startswith(_HOUSE)]
        value = " ".join(words).strip(" ,")
        if len(words) > 1 and value[:1].isalnum() and any(char.isdigit() for char in value):
            found.append(value)
    return _unique(found)


def _businesses(folder: Path) -> list[str]:
    found = [
        " ".join(text for _, text in parts).strip(" ,")
        for parts in _labelled(folder / "probablepeople_company_labeled.xml.gz")
    ]
    return _unique(
        place_case(name.upper())
        for name in found
        if 1 < len(name.split()) < 6 and not _MEDICAL.search(name)
    )


def _labelled(path: Path) -> Iterator[list[tuple[str, str]]]:
    with gzip.open(path, "rb") as stream:
        for item in etree.fromstring(stream.read()):
            yield [(str(part.tag), (part.text or "").strip()) for part in item]


def _drugs(path: Path) -> list[str]:
    listed = json.loads(path.read_text(encoding="utf-8"))["drugs"]
    return _unique(str(name).strip().lower() for name in listed if len(str(name).split()) == 1)
