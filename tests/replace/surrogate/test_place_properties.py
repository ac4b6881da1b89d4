"""What holds for all places, keys and patients."""

from __future__ import annotations

import time
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incognote.knowledge.letters import key_of, word_keys
from incognote.knowledge.places import GENERIC
from incognote.replace.surrogate.banks.place_bank import place_bank
from incognote.replace.surrogate.kernel import Mention
from incognote.replace.surrogate.places import PlaceSettings, PlaceSurrogates

BANK = place_bank("en_US")
TYPES = ("STREET", "CITY", "STATE", "COUNTRY", "ZIP", "LOCATION-OTHER")
TOWNS = "Bangor Toledo Chicago Xyzzyville Ava Paris Mobile Baidoa Springfield".split()
PLACES = (
    *((town, "CITY") for town in (*TOWNS, "St. Louis", "Lucas County", "Thief River Falls")),
    *((state, "STATE") for state in ("ME", "Ohio", "Colo.", "New York", "MT", "ON", "Oromia")),
    *((country, "COUNTRY") for country in ("Haiti", "USA", "Philippines", "Wales", "Atlantis")),
    *((code, "ZIP") for code in ("04401", "43613-4471", "K9H 5S3", "00000", "044")),
    *(
        (street, "STREET")
        for street in ("18 Quarry Ln", "PO Box 12", "6801 S Broadway", "Overland")
    ),
    *((other, "LOCATION-OTHER") for other in ("I-90", "JFK", "Kaw Lake", "Somali", "Long Bridge")),
)
AFTER = ("", ", ME 04401", ", Ohio", " IL 60601", ", Somalia", " and then", ", age 7")
FEW = settings(max_examples=40, deadline=None)
KEYS = st.binary(min_size=16, max_size=24)


def build(place: tuple[str, str], after: str, case: str) -> Mention:
    text = {"upper": place[0].upper(), "lower": place[0].lower()}.get(case, place[0])
    return Mention(text, place[1], "lives in ", after)


MENTIONS = st.lists(
    st.builds(
        build,
        st.sampled_from(PLACES),
        st.sampled_from(AFTER),
        st.sampled_from(("same", "same", "upper")),
    ),
    max_size=12,
)
ODD = st.lists(st.builds(Mention, st.text(max_size=24), st.sampled_from(TYPES)), max_size=4)


def replaced(
    mentions: list[Mention], key: bytes = b"a key of the tests", patient: str = "17"
) -> list[str]:
    return PlaceSurrogates(key, patient).replace_all(mentions)


@FEW
@given(MENTIONS, KEYS, st.randoms(use_true_random=False))
def test_the_order_of_mentions_changes_nothing(
    mentions: list[Mention], key: bytes, random: Random
) -> None:
    fakes = replaced(mentions, key)
    order = list(range(len(mentions)))
    random.shuffle(order)
    assert replaced([mentions[place] for place in order], key) == [fakes[p] for p in order]


@FEW
@given(MENTIONS, KEYS, st.integers(1, 4))
def test_notes_one_by_one_give_what_all_give_at_once(
    mentions: list[Mention], key: bytes, notes: int
) -> None:
    places = PlaceSurrogates(key, "17", other_mentions=mentions)
    together = places.replace_all(mentions)
    for note in range(notes):
        assert places.replace_all(mentions[note::notes]) == together[note::notes]


@FEW
@given(MENTIONS, KEYS)
def test_no_distinctive_word_of_an_original_is_in_its_fake(
    mentions: list[Mention], key: bytes
) -> None:
    for mention, fake in zip(mentions, replaced(mentions, key), strict=True):
        real = {word for word in word_keys(mention.text) if len(word) > 2} - GENERIC - {"new"}
        assert not real & {*word_keys(fake)}
        assert mention.text.lower() != fake.lower()


@FEW
@given(MENTIONS, KEYS)
def test_the_same_place_has_one_fake_and_others_have_others(
    mentions: list[Mention], key: bytes
) -> None:
    plain = [Mention(mention.text, mention.type) for mention in mentions]
    found: dict[tuple[str, str], set[str]] = {}
    for mention, fake in zip(plain, replaced(plain, key), strict=True):
        found.setdefault((mention.type, key_of(mention.text)), set()).add(key_of(fake))
    assert all(len(fakes) == 1 for fakes in found.values())
    for type in ("CITY", "STATE", "COUNTRY", "ZIP"):
        fakes = [min(each) for (kind, _), each in found.items() if kind == type]
        assert len(set(fakes)) == len(fakes)


@FEW
@given(ODD, KEYS)
def test_nothing_odd_raises_or_is_kept(mentions: list[Mention], key: bytes) -> None:
    for mention, fake in zip(mentions, replaced(mentions, key), strict=True):
        assert fake.strip().lower() != mention.text.strip().lower()


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\n",
        "?!",
        "𝔅𝔞𝔫𝔤𝔬𝔯",
        "聖路加",
        "Ⅷ",
        "٣٤",
        "a" * 900,
        "9" * 5000,
        "\ud800",
        "'s",
        "#",
    ],
)
def test_what_is_no_place_still_gets_a_fake(text: str, type: str) -> None:
    fake = replaced([Mention(text, type)])[0]
    assert fake.strip()
    assert fake != text


def test_a_corpus_keeps_fakes_over_patients_and_patients_do_not() -> None:
    mentions = [Mention(town, "CITY") for town in ("Bangor", "Toledo", "Tulsa", "Boise", "Macon")]
    corpus = PlaceSettings(consistent="corpus")
    one, other = (
        PlaceSurrogates(b"a key of the tests", p, corpus).replace_all(mentions)
        for p in ("17", "18")
    )
    assert one == other
    assert replaced(mentions, patient="17") != replaced(mentions, patient="18")
    assert replaced(mentions) != replaced(mentions, b"another key of the tests")


def test_settings_that_mean_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match="'patient' or within the 'corpus'"):
        PlaceSettings(consistent="everywhere")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="0 bytes, at least 16"):
        PlaceSurrogates(b"", "17").replace_all([])
    with pytest.raises(ValueError, match="choose en_US"):
        PlaceSurrogates(b"a key of the tests", "17", PlaceSettings("xx_YY")).replace_all([])


def test_no_fake_has_a_word_to_avoid() -> None:
    mentions = [Mention(town, "CITY", after=", ME") for town in ("Bangor", "Augusta", "Saco")]
    first = replaced(mentions)
    words = {word for fake in first for word in word_keys(fake)}
    second = PlaceSurrogates(b"a key of the tests", "17", avoid=words).replace_all(mentions)
    assert not words & {word for fake in second for word in word_keys(fake)}


@pytest.mark.parametrize("ring", ["one", "two", "province", "plain", "the", "article", "short"])
def test_the_regions_of_a_ring_change_places_and_none_stays(ring: str) -> None:
    type = "STATE" if ring in ("one", "two", "province") else "COUNTRY"
    names = [region.names[0] for region in BANK.ring(ring) if region.code != "US"]
    for patient in map(str, range(20)):
        fakes = replaced([Mention(name, type) for name in names], patient=patient)
        assert set(fakes) == set(names)
        assert not [name for name, fake in zip(names, fakes, strict=True) if name == fake]


def test_many_towns_of_a_state_get_their_own_of_one_state() -> None:
    towns = BANK.drawn("US-ME", "small")[::8]
    mentions = [Mention(town, "CITY", after=", ME") for town in towns]
    *fakes, letters = replaced([*mentions, Mention("ME", "STATE")])
    state = BANK.region_names[letters.lower()].code
    assert len(set(fakes)) == len(fakes)
    assert set(fakes) <= {*BANK.drawn(state, "small"), *BANK.drawn(state, "large")}


def test_more_towns_than_a_state_has_still_get_fakes() -> None:
    towns = BANK.drawn("US-TX", "small")[::4]
    fakes = replaced([Mention(town, "CITY", after=", TX") for town in towns])
    assert len(set(fakes)) == len(towns)


def test_numbers_in_a_row_do_not_stay_in_a_row() -> None:
    mentions = [Mention(f"{number} Quarry Ln", "STREET") for number in range(100, 120)]
    numbers = [int(fake.split()[0]) for fake in replaced(mentions)]
    assert len(set(numbers)) == len(numbers)
    assert sum(later - earlier == 1 for earlier, later in pairwise(numbers)) < 5


def test_thousands_of_mentions_in_a_second() -> None:
    mentions = [
        Mention(text.replace("18", str(number)), type, after=", ME 04401")
        for number in range(100, 140)
        for text, type in PLACES
    ]
    replaced(mentions[:50])
    start = time.process_time()
    for number in range(0, len(mentions), 20):
        replaced(mentions[number : number + 20])
    assert len(mentions) / (time.process_time() - start) > 1000
