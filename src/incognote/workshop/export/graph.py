"""Building an ONNX graph by hand, node by node.

By hand, because an exporter that traces writes a shared weight once for each layer that uses it:
here a constant has a name, and a name has one copy, however many nodes read it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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

    def __init__(self) -> None:
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}
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
        names = [f"{len(self._nodes)}.{output}" for output in range(outputs)]
        domain = CONTRIBUTED if contributed else ""
        self._contributed |= contributed
        node = helper.make_node(operator, list(inputs), names, domain=domain, **attributes)
        self._nodes.append(node)
        return names

    def finish(self, inputs: Mapping[str, Shape], outputs: Mapping[str, tuple[str, Shape]]) -> Any:
        """The model: whole-number inputs of these shapes, and what each output's value and shape are."""
        for name, (value, _) in outputs.items():
            self._nodes.append(helper.make_node("Identity", [value], [name]))
        whole, real = onnx.TensorProto.INT64, onnx.TensorProto.FLOAT
        graph = helper.make_graph(
            self._nodes,
            "incognote",
            [helper.make_tensor_value_info(name, whole, shape) for name, shape in inputs.items()],
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
