"""An ONNX graph built by hand, and how its matrices are stored and multiplied: in 32 bits, or in 8.

By hand, because an exporter that traces writes a shared weight once for each layer that uses it:
here a constant has a name, and a name has one copy, however many nodes read it.

In 8 bits every row that enters a matrix, that is every token, is rounded with a scale of its own.
The usual dynamic scale is one for a whole batch, so that a window's result would change with its
neighbours; here it cannot. The products are sums of whole numbers and so exact: machines with and
without 8-bit instructions agree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import onnx
from onnx import helper, numpy_helper

CONTRIBUTED = "com.microsoft"
"""Where onnxruntime keeps operators that ONNX itself has not."""

OPSET = 20
IR_VERSION = 9
BATCH = ("batch", "length")

Shape = tuple[str | int, ...]
"""Sizes, or names of those that differ from run to run."""


class Graph:
    """Nodes and constants; `add` and `constant` give the name of what they made."""

    def __init__(self, around: Graph | None = None, mark: str = "") -> None:
        """`around` is the graph that this one is a step of; `mark` tells its names from others'."""
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = around._constants if around else {}
        self._around, self._mark = around, mark
        self._contributed = False

    def constant(self, name: str, value: npt.ArrayLike) -> str:
        """A constant; of a name that there is already, the one there is."""
        if name not in self._constants:
            array = np.ascontiguousarray(value)
            self._constants[name] = numpy_helper.from_array(array, name)
        return name

    def add(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """A node with one output."""
        return self.split(operator, *inputs, outputs=1, **attributes)[0]

    def split(
        self,
        operator: str,
        *inputs: str,
        outputs: int,
        contributed: bool = False,
        **attributes: Any,
    ) -> list[str]:
        """A node with several outputs."""
        # Short names, as a network of many layers has thousands of them.
        names = [f"{self._mark}{len(self._nodes)}.{output}" for output in range(outputs)]
        domain = CONTRIBUTED if contributed else ""
        self._contributed |= contributed
        node = helper.make_node(operator, list(inputs), names, domain=domain, **attributes)
        self._nodes.append(node)
        return names

    def scan(
        self,
        name: str,
        sequence: str,
        states: Sequence[str],
        step: Callable[[Graph, str, Sequence[str]], tuple[str, Sequence[str]]],
        *,
        backward: bool = False,
    ) -> str:
        """A step for each place of a sequence [batch, length, …], from the first on or from the last.

        `step` writes one: from what stands at the place [batch, …] and the states before it to what is
        put out there and the states after it. The result is all that was put out, [batch, length, …].
        """
        inner = Graph(self, f"{name}.")
        own = [f"{name}.before.{number}" for number in range(len(states))]
        at = f"{name}.at"
        output, after = step(inner, at, own)
        real = onnx.TensorProto.FLOAT
        given, results = (
            [helper.make_tensor_value_info(each, real, None) for each in side]
            for side in ([*own, at], [*after, output])
        )
        self._contributed |= inner._contributed
        names = self.split(
            "Scan",
            *states,
            sequence,
            outputs=len(states) + 1,
            body=helper.make_graph(inner._nodes, name, given, results),
            num_scan_inputs=1,
            scan_input_axes=[1],
            scan_output_axes=[1],
            scan_input_directions=[int(backward)],
            scan_output_directions=[int(backward)],
        )
        return names[-1]

    def finish(
        self,
        inputs: Mapping[str, Shape],
        outputs: Mapping[str, tuple[str, Shape]],
        real_inputs: Mapping[str, Shape] | None = None,
    ) -> Any:
        """The model: whole-number inputs of these shapes, and what each output's value and shape are.

        `real_inputs` are inputs of other numbers.
        """
        for name, (value, _) in outputs.items():
            self._nodes.append(helper.make_node("Identity", [value], [name]))
        whole, real = onnx.TensorProto.INT64, onnx.TensorProto.FLOAT
        graph = helper.make_graph(
            self._nodes,
            "incognote",
            [
                helper.make_tensor_value_info(name, kind, shape)
                for kind, some in ((whole, inputs), (real, real_inputs or {}))
                for name, shape in some.items()
            ],
            [
                helper.make_tensor_value_info(name, real, shape)
                for name, (_, shape) in outputs.items()
            ],
            list(self._constants.values()),
        )
        domains = [helper.make_opsetid("", OPSET)]
        if self._contributed:
            domains.append(helper.make_opsetid(CONTRIBUTED, 1))
        model = helper.make_model(
            graph, producer_name="incognote", opset_imports=domains, ir_version=IR_VERSION
        )
        onnx.checker.check_model(model)
        return model


Floats = npt.NDArray[np.float32]

WEIGHT_LIMIT = 63
"""Weights take 7 bits: AVX2 adds two products of 8 bits in 16, which overflow with a larger one."""

TABLE_LIMIT = 127
_SMALLEST = np.float32(1e-20)


class Layer(NamedTuple):
    """A matrix [in, out], and what is added to its products, [out], if anything."""

    name: str
    weight: Floats
    bias: Floats | None


class Precision:
    """Writes the parts of a network that hold many numbers: here as they are, in 32 bits."""

    def rows(self, graph: Graph, name: str, table: Floats, ids: str) -> str:
        """The rows of a table [rows, size] by their numbers."""
        return graph.add("Gather", self.table(graph, name, table), ids)

    def table(self, graph: Graph, name: str, table: Floats) -> str:
        """The whole of a table [rows, size], of which there is one copy."""
        return graph.constant(name, table)

    def matrix(self, graph: Graph, name: str, matrix: Floats) -> str:
        """A matrix [in, out] to multiply with."""
        return graph.constant(name, matrix)

    def linear(self, graph: Graph, hidden: str, layer: Layer, least: float | None = None) -> str:
        """`hidden` [*, in] through a layer.

        `least` is what no value of `hidden` is below, where that is known and near 0.
        """
        name, weight, bias = layer
        product = graph.add("MatMul", hidden, self.matrix(graph, f"{name}.weight", weight))
        return _biased(graph, name, product, bias)


FULL = Precision()


class Int8Weights(Precision):
    """Tables with a scale for each row, matrices with one for each output; multiplied in 32 bits.

    Smaller, not faster, and nearer to torch than `Int8`.
    """

    def rows(self, graph: Graph, name: str, table: Floats, ids: str) -> str:
        weights, scales = quantised(table.T, TABLE_LIMIT)
        rows = graph.add("Gather", graph.constant(name, weights.T), ids)
        real = graph.add("Cast", rows, to=onnx.TensorProto.FLOAT)
        steps = graph.constant(f"{name}.scale", scales[:, None])
        return graph.add("Mul", real, graph.add("Gather", steps, ids))

    def table(self, graph: Graph, name: str, table: Floats) -> str:
        weights, scales = quantised(table.T, TABLE_LIMIT)
        return _real_again(graph, name, weights.T, scales[:, None])

    def matrix(self, graph: Graph, name: str, matrix: Floats) -> str:
        return _real_again(graph, name, *quantised(matrix, TABLE_LIMIT))


class Int8(Int8Weights):
    """Multiplied in 8 bits as well, with a scale for each row that enters."""

    def linear(self, graph: Graph, hidden: str, layer: Layer, least: float | None = None) -> str:
        """Divide each row by its largest value, round, multiply exactly, scale back."""
        name, weight, bias = layer
        weights, scales = quantised(weight, WEIGHT_LIMIT)
        if least is None:
            size = graph.add("Abs", hidden)
            steps, zero = 127, 128
        else:
            # Raised to begin at 0, values have all of the 8 bits; the bias takes the rise back.
            hidden = size = graph.add("Sub", hidden, graph.constant(f"least.{least}", _real(least)))
            rise = _real(least) * (weights * scales).sum(axis=0)
            bias = rise if bias is None else bias + rise
            steps, zero = 255, 0
        last = graph.constant("last.axis", np.array([-1]))
        largest = graph.add("ReduceMax", size, last, keepdims=1)
        largest = graph.add("Max", largest, graph.constant("smallest", _SMALLEST))
        step = graph.constant(f"step.{steps}", _real(1 / steps))
        middle = graph.constant(f"zero.{zero}", np.uint8(zero))
        even = graph.add("Div", hidden, largest)
        product = graph.add(
            "MatMulIntegerToFloat",
            graph.add("QuantizeLinear", even, step, middle),
            graph.constant(f"{name}.weight", weights),
            step,
            graph.constant(f"{name}.scale", scales),
            middle,
            graph.constant(f"{name}.zero", np.zeros(len(scales), np.int8)),
            contributed=True,
        )
        back = graph.add("Mul", product, largest)
        return _biased(graph, name, back, bias)


def _biased(graph: Graph, name: str, product: str, bias: Floats | None) -> str:
    if bias is None:
        return product
    return graph.add("Add", product, graph.constant(f"{name}.bias", bias.astype(np.float32)))


def _real_again(graph: Graph, name: str, weights: npt.NDArray[np.int8], scales: Floats) -> str:
    """Whole numbers times their scales; onnxruntime computes it once, when it loads."""
    cast = graph.add("Cast", graph.constant(name, weights), to=onnx.TensorProto.FLOAT)
    return graph.add("Mul", cast, graph.constant(f"{name}.scale", scales))


def quantised(matrix: Floats, limit: int) -> tuple[npt.NDArray[np.int8], Floats]:
    """Whole numbers of at most `limit` and a scale for each column."""
    scales = np.abs(matrix).max(axis=0) / limit
    scales = np.where(scales > 0, scales, 1).astype(np.float32)
    return np.rint(matrix / scales).astype(np.int8), scales


def _real(value: float) -> np.float32:
    return np.float32(value)
