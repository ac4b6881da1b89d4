"""Each line of the case file: a note with marks, the shapes of the fakes, acronyms that agree."""

from __future__ import annotations

from typing import Any

import pytest
from replace.surrogate.surrogate_shapes import cases, check_shapes, mentions_of

from incognote.knowledge.facilities import FUNCTION_WORDS, GENERIC
from incognote.knowledge.letters import key_of, word_keys
from incognote.replace.surrogate.banks.word_banks import organization_bank
from incognote.replace.surrogate.organizations import RINGS, OrganizationSurrogates

CASES = cases("organizations.jsonl")
KEYS = (b"one key of the tests", b"another key of the tests", b"a third key of the tests")


def letters_of(text: str) -> str:
    return "".join(letter for letter in text if letter.isalpha()).upper()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["why"])
def test_fakes_have_the_shape_that_the_case_says(case: dict[str, Any]) -> None:
    mentions = mentions_of(case["note"])
    for key in KEYS:
        fakes = OrganizationSurrogates(key, "patient").replace_all(mentions)
        bound = check_shapes(case, fakes)
        assert len(set(bound.values())) == len(bound), "two words became one"
        assert not case.get("differ") or len(set(fakes)) == len(fakes)
        assert "kind" not in case or fakes[0].split()[-1] in RINGS[case["kind"]]


@pytest.mark.parametrize(
    "case", [case for case in CASES if "acronym" in case], ids=lambda case: case["why"]
)
def test_an_acronym_is_that_of_the_fake(case: dict[str, Any]) -> None:
    mentions = mentions_of(case["note"])
    for key in KEYS:
        fakes = OrganizationSurrogates(key, "patient").replace_all(mentions)
        for full, short in case["acronym"]:
            words = fakes[full].split()
            if case.get("small"):
                words = [word for word in words if key_of(word) not in FUNCTION_WORDS]
            initials = "".join(word[0] for word in words)
            assert letters_of(fakes[short]) == initials.upper()
            assert letters_of(fakes[short]) != letters_of(mentions[short].text)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["why"])
def test_no_word_of_an_original_is_in_its_fake(case: dict[str, Any]) -> None:
    mentions = mentions_of(case["note"])
    for key in KEYS:
        fakes = OrganizationSurrogates(key, "patient").replace_all(mentions)
        for mention, fake in zip(mentions, fakes, strict=True):
            assert fake != mention.text
            real = {word for word in word_keys(mention.text) if len(word) > 2}
            assert not (real - GENERIC - {"new"}) & set(word_keys(fake)), fake


def test_acronyms_are_neither_clinical_nor_famous() -> None:
    taken = organization_bank("en_US").taken_letters
    assert {"MGH", "CHF", "MRI", "UCSF"} <= taken
    mentions = mentions_of(" ".join(f"[[HOSPITAL|{a}{b}H]]" for a in "ABCDE" for b in "VWXYZ"))
    fakes = OrganizationSurrogates(KEYS[0], "patient").replace_all(mentions)
    assert not taken & set(fakes)
    assert all(fake.endswith("H") for fake in fakes)
    assert len(set(fakes)) == len(fakes)


def test_a_fixed_key_gives_these_fakes_for_ever() -> None:
    note = "[[HOSPITAL|Harlan Creek Medical Center]] [[HOSPITAL|HCMC]] [[HOSPITAL|St. Casimir's]] [[ORGANIZATION|Moe's Pharmacy]] [[HOSPITAL|MGH]]"
    fakes = OrganizationSurrogates(KEYS[0], "patient").replace_all(mentions_of(note))
    assert fakes == [
        "Kilesden Point Medical Center",
        "KPMC",
        "St. Bede's",
        "Freeward's Pharmacy",
        "WEH",
    ]


def test_there_are_enough_cases_and_none_is_said_twice() -> None:
    assert len({case["note"] for case in CASES}) == len(CASES)
    assert len(CASES) >= 60
