"""A check digit accepts the published examples and refuses them with one digit changed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.detect.rules import checksums

EXAMPLES = (
    (checksums.npi, "1234567893"),
    (checksums.dea, "AB1234563"),
    (checksums.payment_card, "4111 1111 1111 1111"),
    (checksums.iban, "GB82 WEST 1234 5698 7654 32"),
    (checksums.nhs, "943 476 5919"),
)


@pytest.mark.parametrize(("holds", "value"), EXAMPLES)
def test_published_example(holds: Callable[[str], bool], value: str) -> None:
    assert holds(value)


@pytest.mark.parametrize(("holds", "value"), EXAMPLES)
def test_one_digit_changed(holds: Callable[[str], bool], value: str) -> None:
    last = value[-1]
    assert not any(holds(value[:-1] + digit) for digit in "0123456789" if digit != last)


@pytest.mark.parametrize("holds", [check for check, _ in EXAMPLES])
@given(text=st.text(max_size=40))
def test_any_text_is_answered(holds: Callable[[str], bool], text: str) -> None:
    assert holds(text) in (True, False)
