"""Values from JSON, each refused with its name where it is of another kind."""

from __future__ import annotations

import math
from typing import Any

from incognote.onnx.errors import ModelError


def known(values: dict[str, Any], keys: set[str]) -> None:
    """Refuse keys that this version does not know: one might change what is computed."""
    unknown = sorted(set(values) - keys)
    if unknown:
        raise ModelError(f"has the unknown key {unknown[0]!r}")


def mapping(value: Any, name: str) -> dict[str, Any]:
    """A JSON object."""
    if not isinstance(value, dict):
        raise ModelError(f"{name} must be an object")
    return value


def string(value: Any, name: str) -> str:
    """Text."""
    if not isinstance(value, str):
        raise ModelError(f"{name} must be text")
    return value


def strings(values: Any, name: str) -> tuple[str, ...]:
    """A list of text."""
    if not isinstance(values, list):
        raise ModelError(f"{name} must be a list")
    return tuple(string(value, name) for value in values)


def whole(value: Any, name: str) -> int:
    """A whole number, 0 or more."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ModelError(f"{name} must be a whole number")
    return value


def number(value: Any, name: str) -> float:
    """A finite number."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        raise ModelError(f"{name} must be a number")
    return float(value)


def vector(values: Any, name: str) -> tuple[float, ...]:
    """A list of finite numbers."""
    if not isinstance(values, list):
        raise ModelError(f"{name} must be a list of numbers")
    return tuple(number(value, name) for value in values)
