"""The JSON file that describes the others of its folder: of one schema, with the SHA-256 of each."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, fields, is_dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

from incognote.base.errors import ModelError
from incognote.base.files import JsonError, is_plain_name, read_json, write_whole

T = TypeVar("T")


def digest(path: Path) -> str:
    """The SHA-256 of a file; it is read once in a process, unless it changes."""
    state = path.stat()
    return _digest(path.resolve(), state.st_ino, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=64)
def _digest(path: Path, *_state: int) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def write_described(described: Any, path: Path, schema: int, *, indent: int | None = None) -> None:
    """Write a dataclass, whole or not at all."""
    text = json.dumps({"schema": schema, **asdict(described)}, ensure_ascii=False, indent=indent)
    write_whole(path, f"{text}\n".encode())


def read_described(path: Path, schema: int, what: str, kind: type[T]) -> T:
    """The dataclass that was written, which has `files`: these must be those that it was made with."""
    folder = path.parent
    try:
        values = read_json(path)
    except OSError:
        raise ModelError(
            f"{folder}: no {what} here: {path.name} is missing or cannot be read"
        ) from None
    except JsonError as error:
        raise ModelError(f"{path}: {error}") from None
    try:
        if not isinstance(values, dict):
            raise ModelError("the file must be an object")
        version = values.pop("schema", None)
        if version != schema:
            raise ModelError(
                f"has schema version {version!r}, and this incognote reads {schema}; "
                f"use the incognote that the {what} was made for"
            )
        described = cast(T, read(kind, values, "the file"))
        for name in values["files"]:
            if not is_plain_name(name) or name == path.name:
                raise ModelError(f"{name!r} is not the name of a file in the folder")
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None
    for name, expected in values["files"].items():
        try:
            actual = digest(folder / name)
        except OSError:
            raise ModelError(f"{folder}: {name} is missing; the {what} is incomplete") from None
        if actual != expected:
            raise ModelError(f"{folder}: {name} is not the file that was exported; copy it again")
    return described


# Values from JSON as the types say that they are to hold them, each refused by name if it is not so

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
