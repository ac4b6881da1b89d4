"""The JSON file that describes the others of its folder: of one schema, with the SHA-256 of each."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from incognote.onnx.errors import ModelError
from incognote.onnx.json_values import mapping, string

T = TypeVar("T")


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def write_described(described: Any, path: Path, schema: int, *, indent: int | None = None) -> None:
    """Write a dataclass, whole or not at all."""
    text = json.dumps({"schema": schema, **asdict(described)}, ensure_ascii=False, indent=indent)
    part = path.with_name(f"{path.name}.part")
    part.write_text(text + "\n", encoding="utf-8")
    part.replace(path)


def read_described(path: Path, schema: int, kind: str, make: Callable[[dict[str, Any]], T]) -> T:
    """What `make` makes of the values; the files must be those that they were written with."""
    folder = path.parent
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        raise ModelError(f"{folder}: no {kind} here, for there is no {path.name} to read") from None
    except ValueError:
        raise ModelError(f"{path}: not readable as JSON; the file is damaged") from None
    try:
        version = mapping(values, "the file").get("schema")
        if version != schema:
            raise ModelError(
                f"has schema version {version!r}, and this incognote reads {schema}; "
                f"use the incognote that the {kind} was made for"
            )
        described = make(values)
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None
    except KeyError as error:
        raise ModelError(f"{path}: {error.args[0]} is missing") from None
    for name, made in read_files(values).items():
        try:
            found = digest(folder / name)
        except OSError:
            raise ModelError(f"{folder}: {name} is missing; the {kind} is incomplete") from None
        if found != made:
            raise ModelError(f"{folder}: {name} is not the file that was exported; copy it again")
    return described


def read_files(values: Mapping[str, Any]) -> dict[str, str]:
    """The SHA-256 of each file."""
    files = mapping(values["files"], "files")
    return {name: string(value, "files") for name, value in files.items()}
