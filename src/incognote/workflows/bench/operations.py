"""What a network multiplies, told from its file.

The file is read as it is (protocol buffers), because the `onnx` package is not part of the runtime.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path

PRODUCTS = {"MatMul", "MatMulIntegerToFloat", "FusedMatMul", "Gemm"}
ATTENTION = "MultiHeadAttention"
"""Two products: who looks at whom, and what is seen."""
_GRAPH, _NODE, _CONSTANT = 7, 1, 5
_NODE_INPUT, _NODE_OPERATOR = 1, 4
_CONSTANT_SIZES, _CONSTANT_NAME = 1, 8


@dataclass(frozen=True)
class Operations:
    """Multiplications and additions for each piece: by matrices, and for each piece looked at."""

    by_matrices: int
    by_attention: int

    def of(self, lengths: Sequence[int]) -> int:
        """Those of windows of these lengths."""
        return sum(self.by_matrices * size + self.by_attention * size * size for size in lengths)


def operations_of(path: Path) -> Operations:
    """Of the networks that `incognote export` writes."""
    graph = memoryview(b"")
    for number, value in _fields(memoryview(path.read_bytes())):
        if number == _GRAPH and isinstance(value, memoryview):
            graph = value
    sizes: dict[str, list[int]] = {}
    products: list[list[str]] = []
    attentions = 0
    for number, value in _fields(graph):
        if number == _CONSTANT and isinstance(value, memoryview):
            name, shape = _constant(value)
            sizes[name] = shape
        elif number == _NODE and isinstance(value, memoryview):
            operator, inputs = _node(value)
            if operator in PRODUCTS:
                products.append(inputs)
            attentions += operator == ATTENTION
    width = next((shape[0] for name, shape in sizes.items() if name.endswith("qkv.weight")), 0)
    matrices, attention = 0, 2 * attentions * width
    for inputs in products:
        shapes = [sizes[name] for name in inputs if len(sizes.get(name, ())) == 2]
        if shapes:
            matrices += prod(shapes[0])
        else:
            attention += width
    return Operations(2 * matrices, 2 * attention)


def _constant(message: memoryview) -> tuple[str, list[int]]:
    name, shape = "", []
    for number, value in _fields(message):
        if number == _CONSTANT_SIZES:
            shape += [value] if isinstance(value, int) else _numbers(value)
        elif number == _CONSTANT_NAME and isinstance(value, memoryview):
            name = bytes(value).decode()
    return name, shape


def _node(message: memoryview) -> tuple[str, list[str]]:
    operator, inputs = "", []
    for number, value in _fields(message):
        if isinstance(value, memoryview) and number in (_NODE_INPUT, _NODE_OPERATOR):
            text = bytes(value).decode()
            if number == _NODE_OPERATOR:
                operator = text
            else:
                inputs.append(text)
    return operator, inputs


def _fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Each field's number, and its whole number or its bytes."""
    place = 0
    while place < len(message):
        key, place = _number(message, place)
        if key & 7 == 0:
            value, place = _number(message, place)
            yield key >> 3, value
            continue
        if key & 7 == 2:
            size, place = _number(message, place)
        else:
            size = 8 if key & 7 == 1 else 4
        yield key >> 3, message[place : place + size]
        place += size


def _number(message: memoryview, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[place]
        value |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return value, place


def _numbers(packed: memoryview) -> list[int]:
    found, place = [], 0
    while place < len(packed):
        value, place = _number(packed, place)
        found.append(value)
    return found
