"""What an `.onnx` file holds, told before it is run: which files it names, and weights that are no numbers.

Read from the file itself, with no more of its schema than leads to its tensors
(github.com/onnx/onnx, onnx.proto).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from incognote.base.errors import ModelError
from incognote.base.protobuf import fields, numbers

SUFFIX = ".onnx"

_INNER: dict[str, dict[int, str]] = {
    "model": {7: "graph", 20: "training", 25: "function"},
    "training": {1: "graph", 2: "graph"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "function": {7: "node", 11: "attribute"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
}
"""By kind of message: the fields that lead on to tensors, and of what kind those are."""

_KIND, _FLOATS, _HALVES, _RAW, _DOUBLES, _OUTSIDE = 2, 4, 5, 9, 10, 13
_FLOAT, _HALF, _DOUBLE, _BRAIN = 1, 10, 11, 16
_DTYPES = {_FLOAT: "<f4", _HALF: "<f2", _DOUBLE: "<f8", _BRAIN: "<u2"}
_BRAIN_EXPONENT = 0x7F80


@dataclass(frozen=True)
class _Tensor:
    """A constant of a network: its numbers here, or the file, beginning and length of them there."""

    kind: int
    parts: tuple[memoryview, ...]
    halves: tuple[int, ...]
    file: str | None
    begin: int
    length: int | None


def check_network(path: Path, files: Collection[str]) -> None:
    """Refuse a network that names a file other than `files` of its folder, or has a weight that is
    NaN or infinite.
    """
    if path.suffix != SUFFIX:
        raise ModelError(f"{path}: the name of a network ends in {SUFFIX}")
    try:
        for tensor in _tensors(_mapped(path)):
            if tensor.file is not None and tensor.file not in files:
                raise ModelError(
                    f"{path}: names a file that is not listed beside it, which is not opened; "
                    "take the model from a source that you trust"
                )
            if not _is_finite(tensor, path.parent):
                raise ModelError(
                    f"{path}: has weights that are not finite numbers; the model is damaged: copy "
                    "or export it again"
                )
    except OSError:
        raise ModelError(f"{path}: no such file; the model folder is incomplete") from None
    except (IndexError, ValueError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"{path}: not a network in ONNX form, or cut short") from None


def _mapped(path: Path) -> memoryview:
    """The bytes of a file, without a copy in memory."""
    return np.memmap(path, np.uint8, "r").data


def _tensors(model: memoryview) -> Iterator[_Tensor]:
    """Every constant, wherever it is: in the graph, in one inside a node, in a function."""
    waiting = [("model", model)]
    while waiting:
        kind, message = waiting.pop()
        if kind == "tensor":
            yield _tensor(message)
            continue
        inner = _INNER[kind]
        waiting += [
            (inner[number], value)
            for number, value in fields(message)
            if number in inner and isinstance(value, memoryview)
        ]


def _tensor(message: memoryview) -> _Tensor:
    kind, parts = 0, []
    halves: list[int] = []
    outside: dict[str, str] = {}
    for number, value in fields(message):
        if not isinstance(value, memoryview):
            kind = value if number == _KIND else kind
            halves += [value] if number == _HALVES else []
        elif number in (_FLOATS, _RAW, _DOUBLES):
            parts.append(value)
        elif number == _HALVES:
            halves += numbers(value)
        elif number == _OUTSIDE:
            entry = {
                key: bytes(text).decode()
                for key, text in fields(value)
                if not isinstance(text, int)
            }
            outside[entry.get(1, "")] = entry.get(2, "")
    length = outside.get("length")
    return _Tensor(
        kind,
        tuple(parts),
        tuple(halves),
        outside.get("location", "") if outside else None,
        int(outside.get("offset", 0)),
        None if length is None else int(length),
    )


def _is_finite(tensor: _Tensor, folder: Path) -> bool:
    dtype = _DTYPES.get(tensor.kind)
    if dtype is None:
        return True
    parts = tensor.parts
    if tensor.file is not None:
        end = None if tensor.length is None else tensor.begin + tensor.length
        parts = (_mapped(folder / tensor.file)[tensor.begin : end],)
    elif tensor.halves:
        parts = (memoryview(np.array(tensor.halves, np.uint64).astype("<u2").tobytes()),)
    return all(_all_finite(np.frombuffer(part, dtype), tensor.kind) for part in parts)


def _all_finite(values: npt.NDArray[Any], kind: int) -> bool:
    if kind == _BRAIN:
        return bool(((values & _BRAIN_EXPONENT) != _BRAIN_EXPONENT).all())
    return bool(np.isfinite(values).all())
