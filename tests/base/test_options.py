"""Options on the fields of dataclasses: bounds that say what a value must be, whoever gives it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import pytest

from incognote.base.options import (
    ABOVE_0,
    Choices,
    Option,
    at_least,
    between,
    check,
    named_values,
    option_fields,
)


@dataclass(frozen=True, kw_only=True)
class Run:
    epochs: Annotated[int, Option("Passes.", at_least(1))] = 4
    share: Annotated[float, Option("A share.", between(0, 1))] = 0.5
    rate: Annotated[float | None, Option("A rate.", ABOVE_0)] = None
    keep: Annotated[Literal["best", "last"], Option("What to keep.")] = "best"
    size: Annotated[int | Literal["auto"] | None, Option("A size.", ABOVE_0)] = None
    log_every: Annotated[int | None, ABOVE_0] = None
    more: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check(self, ValueError)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"epochs": 0}, "epochs must be 1 or more, not 0"),
        ({"epochs": None}, "epochs must be 1 or more, not None"),
        ({"share": 1.5}, "share must be from 0 to 1, not 1.5"),
        ({"rate": float("nan")}, "rate must be above 0, not nan"),
        ({"rate": float("inf")}, "rate must be above 0, not inf"),
        ({"keep": "first"}, "keep must be one of best, last, not 'first'"),
        ({"size": 0}, "size must be above 0, not 0"),
        ({"log_every": -1}, "log_every must be above 0, not -1"),
    ],
)
def test_values_out_of_bounds_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        Run(**values)


def test_values_within_bounds_are_taken() -> None:
    assert Run(epochs=1, share=1.0, rate=1e-4, size="auto", keep="last").size == "auto"
    assert Run(size=3).size == 3


def test_fields_with_an_option_or_a_bound_are_listed_in_order() -> None:
    found = option_fields(Run)
    assert list(found) == ["epochs", "share", "rate", "keep", "size", "log_every"]
    assert found["rate"].types == (float,)
    assert found["size"].words == ("auto",)
    assert found["log_every"].option is None


def test_what_a_user_chose_stands_before_what_is_filled_in() -> None:
    assert Choices(Run, {"epochs": 2}).fill(epochs=3, rate=0.1) == Run(epochs=2, rate=0.1)


def test_pairs_without_a_value_are_refused() -> None:
    with pytest.raises(ValueError, match="layers: write NAME=VALUE"):
        named_values(["layers"])


@pytest.mark.parametrize("text", ["filters=[1,", "filters=[a]"])
def test_lists_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="write a list as"):
        named_values([text])
