"""A number in words is read as the number it was written from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.knowledge.number_words import (
    read_number,
    read_ordinal,
    read_year,
    write_number,
    write_ordinal,
    write_year,
)

PATTERNS = st.sampled_from(["thirty-two", "Thirty Two", "THIRTY TWO", "thirty two"])


@given(value=st.integers(1, 99), pattern=PATTERNS)
def test_numbers(value: int, pattern: str) -> None:
    assert read_number(write_number(value, pattern)) == value


@given(value=st.integers(1, 31), pattern=PATTERNS)
def test_ordinals(value: int, pattern: str) -> None:
    assert read_ordinal(write_ordinal(value, pattern)) == value


@given(value=st.integers(1700, 2099), pattern=PATTERNS)
def test_years(value: int, pattern: str) -> None:
    assert read_year(write_year(value, pattern)) == value


@pytest.mark.parametrize(
    ("pattern", "written"),
    [("NINETY-FOUR", "EIGHTY-ONE"), ("Ninety four", "Eighty one"), ("ninety-four", "eighty-one")],
)
def test_a_number_is_joined_and_cased_as_another(pattern: str, written: str) -> None:
    assert write_number(81, pattern) == written
