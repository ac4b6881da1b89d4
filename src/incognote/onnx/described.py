"""The JSON file that describes the others of its folder: of one schema, with the SHA-256 of each."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar, cast

from incognote.base.errors import ModelError
from incognote.base.json_files import JsonError, is_plain_name, read_json
from incognote.base.whole_file import write_whole
from incognote.onnx.json_values import read

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
    for name, made in values["files"].items():
        try:
            found = digest(folder / name)
        except OSError:
            raise ModelError(f"{folder}: {name} is missing; the {what} is incomplete") from None
        if found != made:
            raise ModelError(f"{folder}: {name} is not the file that was exported; copy it again")
    return described
