"""A network names no file outside its folder's list, and has no weight that is no number."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from incognote.base.errors import ModelError
from incognote.onnx.network_file import check_network

FLOATS = np.array([1.0, -2.5, 65504.0, 0.0], np.float32)


def outside(location: str, kind: int = TensorProto.FLOAT) -> Any:
    tensor = TensorProto(name="w", data_type=kind, dims=[4], data_location=TensorProto.EXTERNAL)
    for key, value in (("location", location), ("offset", "8"), ("length", "16")):
        tensor.external_data.add(key=key, value=value)
    return tensor


def network(path: Path, tensor: Any, place: str = "graph") -> Path:
    """A network with one constant, in the graph or somewhere that is looked at less."""
    nodes, constants, functions = [], [], []
    if place == "graph":
        constants.append(tensor)
    elif place == "node":
        nodes.append(helper.make_node("Constant", [], ["w"], value=tensor))
    elif place == "branch":
        inner = helper.make_graph([], "inner", [], [], [tensor])
        nodes.append(helper.make_node("If", ["x"], ["y"], then_branch=inner, else_branch=inner))
    elif place == "function":
        node = helper.make_node("Constant", [], ["w"], value=tensor)
        functions.append(
            helper.make_function("here", "f", [], ["w"], [node], [helper.make_opsetid("", 20)])
        )
    elif place == "sparse":
        graph = helper.make_graph([], "sparse", [], [])
        graph.sparse_initializer.add().values.CopyFrom(tensor)
        path.write_bytes(helper.make_model(graph).SerializeToString())
        return path
    made = helper.make_model(helper.make_graph(nodes, "g", [], [], constants), functions=functions)
    path.write_bytes(made.SerializeToString())
    return path


PLACES = ["graph", "node", "branch", "function", "sparse"]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("location", ["../secret.bin", "/etc/passwd", "sub/x.bin", "other.bin", ""])
def test_other_files_are_not_opened(place: str, location: str, tmp_path: Path) -> None:
    (tmp_path / "other.bin").write_bytes(bytes(64))
    path = network(tmp_path / "model.onnx", outside(location), place)
    with pytest.raises(ModelError, match="names a file that is not listed beside it"):
        check_network(path, {"shared.bin"})


@pytest.mark.parametrize("place", PLACES)
def test_listed_files_may_be_named_and_are_looked_into(place: str, tmp_path: Path) -> None:
    path = network(tmp_path / "model.onnx", outside("shared.bin"), place)
    shared = tmp_path / "shared.bin"
    shared.write_bytes(b"\xff" * 8 + FLOATS.tobytes() + b"\xff" * 8)
    check_network(path, {"shared.bin"})
    shared.write_bytes(b"\xff" * 32)
    with pytest.raises(ModelError, match="weights that are not finite"):
        check_network(path, {"shared.bin"})
    shared.unlink()
    with pytest.raises(ModelError, match="incomplete"):
        check_network(path, {"shared.bin"})


@pytest.mark.parametrize("raw", [True, False], ids=["raw", "in fields"])
@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf, None])
@pytest.mark.parametrize("kind", ["FLOAT", "DOUBLE", "FLOAT16", "BFLOAT16"])
def test_weights_of_every_kind_are_looked_at(
    kind: str, wrong: float | None, raw: bool, tmp_path: Path
) -> None:
    number = TensorProto.DataType.Value(kind)
    values = FLOATS.astype(helper.tensor_dtype_to_np_dtype(number))
    if wrong is not None:
        values[2] = wrong
    tensor = numpy_helper.from_array(values, "w")
    if not raw:
        tensor.ClearField("raw_data")
        if kind == "FLOAT":
            tensor.float_data[:] = values.tolist()
        elif kind == "DOUBLE":
            tensor.double_data[:] = values.tolist()
        else:
            tensor.int32_data[:] = values.view(np.uint16).astype(int).tolist()
    path = network(tmp_path / "model.onnx", tensor)
    if wrong is None:
        check_network(path, ())
        return
    with pytest.raises(ModelError, match="weights that are not finite"):
        check_network(path, ())


def test_whole_numbers_are_never_wrong(tmp_path: Path) -> None:
    tensor = numpy_helper.from_array(np.full(8, -1, np.int32), "w")  # NaN, read as a float
    check_network(network(tmp_path / "model.onnx", tensor), ())


@pytest.mark.parametrize(
    "content",
    [b"", b"not a network", b"\xff" * 4096, b"\x3a\xff\xff\xff\xff\x0f", os.urandom(2000)],
    ids=["empty", "text", "an endless number", "too long a field", "noise"],
)
def test_what_is_no_network_is_refused_or_left_to_onnxruntime(
    content: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(content)
    with suppress(ModelError):
        check_network(path, ())


def test_a_network_has_its_ending(tmp_path: Path) -> None:
    path = network(tmp_path / "model.ort", numpy_helper.from_array(FLOATS, "w"))
    with pytest.raises(ModelError, match=r"ends in \.onnx"):
        check_network(path, ())


def test_deep_graphs_are_walked(tmp_path: Path) -> None:
    graph = helper.make_graph([], "inner", [], [], [outside("../x")])
    for _ in range(20):
        node = helper.make_node("If", ["x"], ["y"], then_branch=graph)
        graph = helper.make_graph([node], "g", [], [])
    path = tmp_path / "model.onnx"
    path.write_bytes(onnx.ModelProto(graph=graph).SerializeToString())
    with pytest.raises(ModelError, match="not listed"):
        check_network(path, ())
