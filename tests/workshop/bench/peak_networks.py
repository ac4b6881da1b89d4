"""How the two networks of `incognote bench` were made: one product by a constant matrix each."""

from __future__ import annotations

import onnx
from onnx import TensorProto, helper

from incognote.workshop.bench.operations import SIZE
from incognote.workshop.export.graph import IR_VERSION, OPSET

KINDS = {
    "fp32": ("MatMul", TensorProto.FLOAT, TensorProto.FLOAT, TensorProto.FLOAT),
    "int8": ("MatMulInteger", TensorProto.UINT8, TensorProto.INT8, TensorProto.INT32),
}


def peak_network(kind: str) -> bytes:
    """The matrix is told by its size, so that the file is small; it is made once, when loaded."""
    operator, rows, matrix, product = KINDS[kind]
    size = helper.make_tensor("size", TensorProto.INT64, [2], [SIZE, SIZE])
    value = helper.make_tensor("value", matrix, [1], [3])
    graph = helper.make_graph(
        [
            helper.make_node("ConstantOfShape", ["size"], ["matrix"], value=value),
            helper.make_node(operator, ["rows", "matrix"], ["product"]),
        ],
        "peak",
        [helper.make_tensor_value_info("rows", rows, ["rows", SIZE])],
        [helper.make_tensor_value_info("product", product, ["rows", SIZE])],
        [size],
    )
    model = helper.make_model(
        graph,
        producer_name="incognote",
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
    )
    onnx.checker.check_model(model)
    content: bytes = model.SerializeToString()
    return content
