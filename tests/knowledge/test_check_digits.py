"""A check digit accepts the published examples and refuses them with one digit changed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.knowledge import check_digits

EXAMPLES = (
    (check_digits.is_npi, "1234567893"),
    (check_digits.is_dea, "AB1234563"),
    (check_digits.is_card, "4111 1111 1111 1111"),
    (check_digits.is_iban, "GB82 WEST 1234 5698 7654 32"),
    (check_digits.is_nhs, "943 476 5919"),
    (check_digits.is_vin, "1M8GDM9AXKP042788"),
)


@pytest.mark.parametrize(("holds", "value"), EXAMPLES)
def test_published_example(holds: Callable[[str], bool], value: str) -> None:
    assert holds(value)


@pytest.mark.parametrize(("holds", "value"), EXAMPLES)
def test_one_digit_changed(holds: Callable[[str], bool], value: str) -> None:
    last = value[-1]
    assert not any(holds(value[:-1] + digit) for digit in "0123456789" if digit != last)


DIGITS = st.text("0123456789", min_size=9, max_size=9)


@given(digits=DIGITS)
def test_what_is_computed_passes_the_test(digits: str) -> None:
    npi = check_digits.with_luhn("808401" + digits[:8] + "0", 14)[5:]
    assert check_digits.is_npi(npi)
    assert check_digits.is_card(check_digits.with_luhn("4" + digits + "00000" + "0", 15))
    assert check_digits.is_dea("AB" + digits[:6] + check_digits.dea_check(digits[:6]))
    nhs = check_digits.nhs_check(digits)
    assert nhs is None or check_digits.is_nhs(digits + nhs)
    account = "WEST" + digits + "00"
    assert check_digits.is_iban("GB" + check_digits.iban_check("GB", account) + account)
    vin = "1m8gdm9a0" + digits[:8]
    assert check_digits.is_vin(vin[:8] + check_digits.vin_check(vin) + vin[9:])
    assert len(check_digits.gs1_check(digits)) == 1


@pytest.mark.parametrize("holds", [check for check, _ in EXAMPLES])
@given(text=st.text(max_size=40))
def test_any_text_is_answered(holds: Callable[[str], bool], text: str) -> None:
    assert holds(text) in (True, False)
