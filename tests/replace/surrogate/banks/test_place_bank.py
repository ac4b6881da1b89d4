"""The banks of places, institutions and jobs: small, quick to open, and whole."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from incognote.knowledge.letters import key_of
from incognote.replace.surrogate import banks
from incognote.replace.surrogate.banks.place_bank import HOME, place_bank
from incognote.replace.surrogate.banks.word_banks import bank_lists

FOLDER = Path(banks.__file__).parent
BANK = place_bank("en_US")


def test_all_banks_together_are_small_and_have_their_sources() -> None:
    files = list(FOLDER.glob("*.txt"))
    assert sum(file.stat().st_size for file in files) < 5e6
    sources = (FOLDER / "SOURCES.txt").read_text("utf-8")
    assert all(file.name in sources for file in files if file.name != "SOURCES.txt")


def test_every_state_has_towns_counties_and_prefixes_of_its_own() -> None:
    states = [*BANK.ring("one"), *BANK.ring("two")]
    assert len(states) == 50
    prefixes = [prefix for state in states for prefix in BANK.values(f"zips {state.code}")]
    assert len(set(prefixes)) == len(prefixes)
    for state in states:
        assert len(BANK.drawn(state.code, "large")) >= 5
        assert len(BANK.drawn(state.code, "small")) >= 20
        assert BANK.values(f"counties {state.code}")


def test_every_region_that_is_drawn_has_towns() -> None:
    for ring in ("province", "plain", "the", "article", "short"):
        regions = BANK.ring(ring)
        assert len(regions) > 3
        for region in (each for each in regions if each.code != HOME):
            assert len(BANK.towns(region.code, "large")) >= 3, region.code


@pytest.mark.parametrize(
    ("town", "region", "size"),
    [("bangor", "US-ME", "large"), ("paris", "FR", "large"), ("saint louis", "US-MO", "large"),
     ("saskatoon", "CA-SK", "large"), ("baidoa", "SO", "small"), ("auburn", "US-AL", "large")],
)  # fmt: skip
def test_a_town_is_known_where_it_is_likeliest(town: str, region: str, size: str) -> None:
    first = BANK.town(town)[0]
    assert (first.region, first.size) == (region, size)
    if first.place is not None:
        assert key_of(BANK.drawn(region, size)[first.place]) == town


def test_the_banks_open_quickly_and_refuse_other_versions(tmp_path: Path) -> None:
    bank_lists.cache_clear()
    start = time.process_time()
    bank_lists("en_US", "places")
    assert time.process_time() - start < 0.2
    with pytest.raises(ValueError, match="choose en_US"):
        bank_lists("xx_YY", "places")
