"""Spellings of one word have one key, and a fake is written in the case of the original."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.knowledge.letters import case_of, cased, fold, fold_name, in_case_of, key_of


@pytest.mark.parametrize(
    ("written", "folded", "name"),
    [
        ("Muñoz", "munoz", "munoz"),
        ("STRAßE", "strasse", "strasse"),
        ("Møller", "møller", "moller"),
        ("O’Brien", "o’brien", "o'brien"),
        ("Łukasz", "łukasz", "lukasz"),
    ],
)
def test_folding(written: str, folded: str, name: str) -> None:
    assert fold(written) == folded
    assert fold_name(written) == name


@given(st.text(max_size=20))
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@pytest.mark.parametrize(
    ("pattern", "case"),
    [("MARCH", "upper"), ("march", "lower"), ("March", "mixed"), ("M", "mixed"), ("12", "mixed")],
)
def test_case(pattern: str, case: str) -> None:
    assert case_of(pattern) == case


def test_what_is_neither_small_nor_in_capitals() -> None:
    assert cased("mcAllen", "Bangor") == "mcAllen"
    assert in_case_of("mcAllen", "Bangor") == "McAllen"


def test_a_phrase_is_known_by_its_words() -> None:
    assert key_of("St. Louis") == key_of("SAINT  LOUIS") == "saint louis"
