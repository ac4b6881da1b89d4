"""The bank of names: small, quick to open, and fit to hide in."""

from __future__ import annotations

import time
import tracemalloc
from collections import Counter
from pathlib import Path

import pytest

from incognote.replace.surrogate import banks
from incognote.replace.surrogate.banks import LOCALES, NameClass, name_bank
from incognote.replace.surrogate.banks.name_bank import Home

FOLDER = Path(banks.__file__).parent
LEXICON = FOLDER.parents[2] / "knowledge"


@pytest.mark.parametrize("locale", LOCALES)
def test_every_name_is_found_in_its_class_and_place(locale: str) -> None:
    bank = name_bank(locale)
    for line in bank.lines:
        if line.of.home == "stem":
            continue
        for name in line.names.split():
            entry = bank.find(name.replace("'", "").lower())
            assert entry is not None
            assert entry.of == line.of
            assert line.drawn or entry.place is None
            if entry.place is not None:
                assert bank.names(entry.of)[entry.place] == name


def test_every_known_word_has_a_place_of_its_own_but_for_some_of_the_rarest() -> None:
    """Those that are never drawn are guests of names set aside, of which the rarest have no place."""
    bank = name_bank("en_US")
    places: Counter[tuple[object, ...]] = Counter()
    without = 0
    words = [(word, line) for line in bank.lines for word in line.names.split()]
    for word, line in words:
        entry = bank.find(word.replace("'", "").lower())
        if entry is None or line.of.home == "stem":
            continue
        ring = bank.ring(word.replace("'", "").lower(), entry)
        if ring is None:
            without += 1
            continue
        places[ring.of, ring.guest, ring.place] += 1
        assert line.drawn or ring.guest
        assert ring.place < len(ring.names)
    assert set(places.values()) == {1}
    assert without < 0.05 * len(words)


@pytest.mark.parametrize("home", ["given", "surname"])
def test_words_like_names_of_a_class_are_many(home: Home) -> None:
    bank = name_bank("en_US")
    of = bank.like("", home, "F" if home == "given" else "-")
    assert bank.splices(of).size > (300_000 if home == "given" else 1_500_000)
    words = {bank.spliced(of, number * 104_729 * 7_919) for number in range(1000)}
    assert len(words) > 990
    assert all(word.isalpha() and word.istitle() for word in words if "Mc" not in word)


@pytest.mark.parametrize(
    ("word", "of"),
    [
        ("ngozi", NameClass("given", "F", 2, "b")),
        ("okafor", NameClass("surname", "-", 2, "b")),
        ("kaitlyn", NameClass("given", "F", 1, "w")),
        ("nguyen", NameClass("surname", "-", 2, "a")),
        ("hernandez", NameClass("surname", "-", 1, "h")),
        ("thomas", NameClass("both", "M", 1, "w")),
        ("obrien", NameClass("surname", "-", 1, "o")),
        ("mcdonald", NameClass("surname", "-", 2, "mc")),
    ],
)
def test_a_name_has_its_gender_frequency_and_origin(word: str, of: NameClass) -> None:
    entry = name_bank("en_US").find(word)
    assert entry is not None
    assert entry.of == of


def test_classes_are_large_enough_to_hide_in() -> None:
    sizes = {
        line.of: len(line.names.split())
        for line in name_bank("en_US").lines
        if line.drawn and line.of.home in ("given", "surname") and line.of.origin != "o"
    }
    assert min(sizes.values()) >= 100


def test_no_ordinary_word_is_drawn() -> None:
    """A fake that is a word of notes would be missed when the output is searched for names."""
    ordinary = set((LEXICON / "ordinary.txt").read_text("utf-8").split())
    drawn = {
        name.lower()
        for line in name_bank("en_US").lines
        if line.drawn and line.of.home != "stem"
        for name in line.names.split()
    }
    assert not drawn & ordinary


def test_a_word_in_no_list_is_rare_and_of_the_origin_of_its_ending() -> None:
    bank = name_bank("en_US")
    assert bank.find("kyambadde") is None
    assert bank.like("gorriguez", "surname", "-") == NameClass("surname", "-", 3, "h")
    assert bank.like("quattlebaumer", "surname", "-") == NameClass("surname", "-", 3, "w")
    assert bank.like("xqzara", "given", "F").gender == "F"


def test_nicknames_are_of_a_name_and_not_of_another() -> None:
    bank = name_bank("en_US")
    assert bank.are_one("elizabeth", "liz")
    assert bank.are_one("bob", "robert")
    assert not bank.are_one("liz", "robert")


def test_files_are_small_and_their_sources_stated() -> None:
    files = [*FOLDER.glob("*.names.txt")]
    assert sum(file.stat().st_size for file in files) < 1_500_000
    sources = (FOLDER / "SOURCES.txt").read_text("utf-8")
    assert all(file.name in sources for file in files)


def test_a_bank_opens_quickly_and_takes_little_memory() -> None:
    def cpu_time() -> float:
        name_bank.cache_clear()
        started = time.process_time()
        name_bank("en_US").find("okafor")
        return time.process_time() - started

    assert min(cpu_time() for _ in range(5)) < 0.03
    name_bank.cache_clear()
    tracemalloc.start()
    name_bank("en_US")
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert held < 3_000_000


def test_an_unknown_locale_is_refused() -> None:
    with pytest.raises(ValueError, match="no bank of names for 'xx_XX': choose en_US"):
        name_bank("xx_XX")
