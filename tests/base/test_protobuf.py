"""Fields of protocol buffers, against files that the `onnx` package writes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import numpy_helper

from incognote.base.protobuf import fields, messages, numbers

NAME, DOUBLES, SIZES, KIND = 8, 10, 1, 2


@given(st.text(), st.lists(st.integers(1, 300), max_size=3), st.integers(0, 2**63 - 1))
def test_fields_are_those_written(name: str, sizes: list[int], kind: int) -> None:
    tensor = numpy_helper.from_array(np.zeros(0, np.float32), name)
    tensor.dims[:] = sizes
    tensor.data_type = kind % 2**31
    found = list(fields(memoryview(tensor.SerializeToString())))
    assert [value for number, value in found if number == SIZES] == sizes
    assert dict(found)[KIND] == kind % 2**31
    assert (
        bytes(dict(messages(memoryview(tensor.SerializeToString()))).get(NAME, b""))
        == name.encode()
    )


def test_numbers_in_a_row_and_negative_ones() -> None:
    tensor = numpy_helper.from_array(np.zeros(0, np.int64))
    tensor.int64_data[:] = [5, 300, -1]
    packed = dict(messages(memoryview(tensor.SerializeToString())))[7]
    assert numbers(packed) == [5, 300, 2**64 - 1]


def test_what_is_cut_short_is_an_error() -> None:
    tensor = numpy_helper.from_array(np.arange(4.0), "name")
    whole = tensor.SerializeToString()
    with pytest.raises(IndexError):
        list(fields(memoryview(whole[:-1])))
    tensor.ClearField("raw_data")
    tensor.double_data[:] = [1.0, 2.0]
    assert len(dict(messages(memoryview(tensor.SerializeToString())))[DOUBLES]) == 16
