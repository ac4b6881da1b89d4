"""What holds for all institutions, keys and patients."""

from __future__ import annotations

import time
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incognote.knowledge.facilities import GENERIC
from incognote.knowledge.letters import key_of, word_keys
from incognote.replace.surrogate.banks.place_bank import place_bank
from incognote.replace.surrogate.kernel import Mention
from incognote.replace.surrogate.organizations import OrganizationSettings, OrganizationSurrogates
from incognote.replace.surrogate.places import PlaceSurrogates

NAMES = (
    "Harlan Creek Medical Center", "HCMC", "Harlan Creek", "Kanawha Ridge", "Kanawha Bluffs",
    "St. Casimir's", "SAINT CASIMIR'S HOSPITAL", "Mercy", "the General", "Massachusetts General Hospital",
    "MGH", "VA", "5 West", "5W", "University Hospital", "QuickMed Urgent Care - Yuma", "IS 218",
    "Clínica La Paloma", "Moe's Pharmacy", "Army", "Two Rivers Baptist Hospital", "Walgreens #4412",
    "Otonabee X-Ray", "Our Lady of Lourdes", "Children's", "Pemberton-Hale\nMedical Center", "riverbluff",
)  # fmt: skip
FEW = settings(max_examples=40, deadline=None)
KEYS = st.binary(min_size=16, max_size=24)
KIND = st.sampled_from(("HOSPITAL", "ORGANIZATION"))
MENTIONS = st.lists(st.builds(Mention, st.sampled_from(NAMES), KIND), max_size=12)
ODD = st.lists(st.builds(Mention, st.text(max_size=24), KIND), max_size=4)


def replaced(
    mentions: list[Mention], key: bytes = b"a key of the tests", patient: str = "17"
) -> list[str]:
    return OrganizationSurrogates(key, patient).replace_all(mentions)


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
    every = OrganizationSurrogates(key, "17", other_mentions=mentions)
    together = every.replace_all(mentions)
    for note in range(notes):
        assert every.replace_all(mentions[note::notes]) == together[note::notes]


@FEW
@given(MENTIONS, KEYS)
def test_no_distinctive_word_of_an_original_is_in_its_fake(
    mentions: list[Mention], key: bytes
) -> None:
    for mention, fake in zip(mentions, replaced(mentions, key), strict=True):
        real = {word for word in word_keys(mention.text) if len(word) > 2} - GENERIC
        assert not real & {*word_keys(fake)}
        assert mention.text.lower() != fake.lower()


@FEW
@given(MENTIONS, KEYS)
def test_the_same_name_has_one_fake_and_others_have_others(
    mentions: list[Mention], key: bytes
) -> None:
    found: dict[str, set[str]] = {}
    for mention, fake in zip(mentions, replaced(mentions, key), strict=True):
        found.setdefault(mention.text, set()).add(fake)
    assert all(len(fakes) == 1 for fakes in found.values())
    assert len({min(fakes) for fakes in found.values()}) == len(found)


@FEW
@given(MENTIONS, KEYS)
def test_words_gaps_and_breaks_keep_their_number(mentions: list[Mention], key: bytes) -> None:
    for mention, fake in zip(mentions, replaced(mentions, key), strict=True):
        assert fake.count("\n") == mention.text.count("\n")
        if "Massachusetts" not in mention.text and mention.text != "Army":
            assert len(fake.split()) == len(mention.text.split())


@FEW
@given(ODD, KEYS)
def test_nothing_odd_raises_or_is_kept(mentions: list[Mention], key: bytes) -> None:
    for mention, fake in zip(mentions, replaced(mentions, key), strict=True):
        assert fake.strip().lower() != mention.text.strip().lower()


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\n",
        "?!",
        "聖路加病院",
        "Ⅷ",
        "٣٤",
        "a" * 900,
        "9" * 5000,
        "\ud800",
        "'s",
        "St.",
        "the",
    ],
)
def test_what_is_no_name_still_gets_a_fake(text: str) -> None:
    fake = replaced([Mention(text, "HOSPITAL")])[0]
    assert fake.strip()
    assert fake != text


def test_a_corpus_keeps_fakes_over_patients_and_patients_do_not() -> None:
    mentions = [Mention(name, "HOSPITAL") for name in NAMES]
    corpus = OrganizationSettings(consistent="corpus")
    one, other = (
        OrganizationSurrogates(b"a key of the tests", p, corpus).replace_all(mentions)
        for p in ("1", "2")
    )
    assert one == other
    assert replaced(mentions, patient="1") != replaced(mentions, patient="2")
    with pytest.raises(ValueError, match="'patient' or within the 'corpus'"):
        OrganizationSettings(consistent="nobody")  # type: ignore[arg-type]


def test_no_fake_has_a_word_to_avoid() -> None:
    mentions = [
        Mention(name, "HOSPITAL") for name in ("Alder Clinic", "St. Casimir Home", "Kanawha")
    ]
    first = replaced(mentions)
    words = {word for fake in first for word in word_keys(fake)} - GENERIC
    second = OrganizationSurrogates(b"a key of the tests", "17", avoid=words).replace_all(mentions)
    assert not words & {word for fake in second for word in word_keys(fake)}


def test_a_clinic_named_after_a_street_or_a_state_follows_it() -> None:
    places = PlaceSurrogates(b"a key of the tests", "17").replace_all(
        [Mention("12 Bernal Street", "STREET"), Mention("Iowa", "STATE")]
    )
    names = replaced([Mention("Bernal Street Clinic", "HOSPITAL"), Mention("Iowa Eye", "HOSPITAL")])
    assert names == [f"{places[0][3:]} Clinic", f"{places[1]} Eye"]


def test_invented_words_are_no_well_known_institutions() -> None:
    made = {key_of(word) for word in place_bank("en_US").values("made")}
    assert len(made) > 5000
    assert not made & {"stanford", "parkland", "barnes", "piedmont", "hopkins", "mayo", "bellevue"}


def test_thousands_of_mentions_in_a_second() -> None:
    mentions = [Mention(f"{name}", "HOSPITAL") for name in NAMES] * 40
    replaced(mentions[:50])
    start = time.process_time()
    for number in range(0, len(mentions), 20):
        replaced(mentions[number : number + 20], patient=str(number))
    assert len(mentions) / (time.process_time() - start) > 1000
