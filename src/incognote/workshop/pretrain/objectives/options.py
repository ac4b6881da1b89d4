"""What can be changed of an objective: what its maker takes by name, each of the default's kind."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from typing import Any

from incognote.base.errors import TrainError


def options_of(make: Callable[..., Any]) -> dict[str, Any]:
    """The names that it takes, with their defaults."""
    taken = signature(make).parameters.values()
    return {each.name: each.default for each in taken if each.kind is Parameter.KEYWORD_ONLY}


def check_options(objective: str, known: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """Refuse what the objective does not know, values of another kind, and counts below any."""
    for name, value in given.items():
        if name not in known:
            raise TrainError(
                f"the objective {objective} does not take the option {name}; "
                f"it takes {', '.join(known)}"
            )
        kind, found = _kind(known[name]), _kind(value)
        if found != kind and (kind, found) != ("a number", "a whole number"):
            raise TrainError(f"the option {name} of {objective} must be {kind}, not {value}")
        least = 1 if kind == "a whole number" and known[name] else 0
        if kind.endswith("number") and value < least:
            raise TrainError(
                f"the option {name} of {objective} must be {least} or more, not {value}"
            )


def _kind(value: Any) -> str:
    """In a user's words; a default of None stands for a number."""
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int):
        return "a whole number"
    if value is None or (isinstance(value, float) and math.isfinite(value)):
        return "a number"
    return "a word" if isinstance(value, str) else "something else"
