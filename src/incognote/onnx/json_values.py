"""Values from JSON as the types say that they are to hold them, each refused by name if it is not so."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, get_args, get_origin, get_type_hints

from incognote.base.errors import ModelError

MAY_LACK = {"may_lack": True}
"""Metadata of a field that files before it do not have; all others are needed, default or not."""


def read(kind: Any, value: Any, name: str) -> Any:
    """A value of this type: a dataclass, a mapping, a tuple, text or a number, or one of them or None."""
    origin, inner = get_origin(kind), get_args(kind)
    if is_dataclass(kind):
        return _read_fields(kind, _checked(value, dict, name, "an object"))
    if origin is Mapping:
        each = _checked(value, dict, name, "an object").items()
        return {key: read(inner[1], one, name) for key, one in each}
    if origin is tuple:
        return tuple(read(inner[0], one, name) for one in _checked(value, list, name, "a list"))
    if type(None) in inner:
        return None if value is None else read(inner[0], value, name)
    if kind is str:
        return _checked(value, str, name, "text")
    if kind is bool:
        return _checked(value, bool, name, "true or false")
    if kind is int and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
        raise ModelError(f"{name} must be a whole number")
    if kind is float:
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not math.isfinite(value)
        ):
            raise ModelError(f"{name} must be a number")
        return float(value)
    return value


def _read_fields(kind: Any, values: dict[str, Any]) -> Any:
    """Keys that this version does not know are refused: one might change what is computed."""
    types = get_type_hints(kind)
    known = {field.name: field for field in fields(kind)}
    if unknown := sorted(set(values) - set(known)):
        raise ModelError(f"has the unknown key {unknown[0]!r}")
    for name, field in known.items():
        if name not in values and "may_lack" not in field.metadata:
            raise ModelError(f"{name} is missing")
    return kind(**{name: read(types[name], value, name) for name, value in values.items()})


def _checked(value: Any, kind: type, name: str, words: str) -> Any:
    if not isinstance(value, kind):
        raise ModelError(f"{name} must be {words}")
    return value
