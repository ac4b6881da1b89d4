"""Each line of the case file: a note with marks, the shapes of the fakes, and what fits together.

`fit` are towns with their states and ZIPs, `zipfit` towns with their ZIPs, by the places of the
marks; `states` and `countries` are marks whose fakes must be one and the same, or such at all.
"""

from __future__ import annotations

from typing import Any

import pytest
from replace.surrogate.surrogate_shapes import cases, check_shapes, mentions_of

from incognote.knowledge.letters import key_of, word_keys
from incognote.knowledge.places import GENERIC, POSTAL_LETTERS
from incognote.replace.surrogate.banks.place_bank import Region, place_bank
from incognote.replace.surrogate.places import PlaceSurrogates

CASES = cases("places.jsonl")
KEYS = (b"one key of the tests", b"another key of the tests", b"some third key of the tests")
BANK = place_bank("en_US")


def region_of(text: str) -> Region:
    key = key_of(text)
    return BANK.region_names.get(key) or BANK.country_names[key]


def towns_in(region: Region) -> set[str]:
    return {key_of(town) for size in ("large", "small") for town in BANK.drawn(region.code, size)}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["why"])
def test_fakes_have_the_shape_that_the_case_says(case: dict[str, Any]) -> None:
    mentions = mentions_of(case["note"])
    for key in KEYS:
        fakes = PlaceSurrogates(key, "patient").replace_all(mentions)
        if "breaks" in case:
            assert [fake.count("\n") for fake in fakes] == [case["breaks"]]
            continue
        bound = check_shapes(case, fakes)
        assert len(set(bound.values())) == len(bound), "two places became one"
        by_text = {key_of(m.text): key_of(fake) for m, fake in zip(mentions, fakes, strict=True)}
        if not case.get("loose") and not case.get("fit"):
            assert len(set(by_text.values())) == len(by_text), "two places became one"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["why"])
def test_places_that_stand_together_fit_together(case: dict[str, Any]) -> None:
    mentions = mentions_of(case["note"])
    for key in KEYS:
        fakes = PlaceSurrogates(key, "patient").replace_all(mentions)
        for town, state, *code in case.get("fit", ()):
            region = region_of(fakes[state])
            assert key_of(fakes[town]) in towns_in(region), (fakes[town], region.code)
            assert not code or fakes[code[0]][:3] in BANK.values(f"zips {region.code}")
        for town, code in case.get("zipfit", ()):
            region = BANK.regions[BANK.zip_states[fakes[code][:3]]]
            assert key_of(fakes[town]) in towns_in(region)
        for state, code in case.get("canada", ()):
            assert fakes[code][0] in POSTAL_LETTERS[region_of(fakes[state]).letters]
        for head in ("states", "countries"):
            regions = [region_of(fakes[place]) for place in case.get(head, ())]
            originals = [region_of(mentions[place].text) for place in case.get(head, ())]
            assert len({region.code for region in regions}) == len({r.code for r in originals})
            assert not set(regions) & set(originals)
        for place in case.get("article", ()):
            assert region_of(fakes[place]).ring == "the"
        for place in case.get("letters", ()):
            assert fakes[place].isupper()
        if "kind" in case:
            assert fakes[0] in BANK.values(case["kind"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["why"])
def test_no_word_of_an_original_is_in_its_fake(case: dict[str, Any]) -> None:
    mentions = mentions_of(case["note"])
    for key in KEYS:
        fakes = PlaceSurrogates(key, "patient").replace_all(mentions)
        for mention, fake in zip(mentions, fakes, strict=True):
            assert fake != mention.text
            real = {word for word in word_keys(mention.text) if len(word) > 2}
            assert not (real - GENERIC - {"new"}) & set(word_keys(fake)), fake


def test_a_fixed_key_gives_these_fakes_for_ever() -> None:
    note = "[[STREET|18 Quarry Ln, Apt 4]], [[CITY|Bangor]], [[STATE|ME]] [[ZIP|04401]], [[COUNTRY|Haiti]], [[LOCATION-OTHER|Kaw Lake]]"
    fakes = PlaceSurrogates(KEYS[0], "patient").replace_all(mentions_of(note))
    assert fakes == ["76 Prairie Ln, Apt 1", "Pepeekeo", "HI", "96887", "Gabon", "Darancroft Lake"]


def test_there_are_enough_cases_and_none_is_said_twice() -> None:
    assert len({case["note"] for case in CASES}) == len(CASES)
    assert len(CASES) >= 60
