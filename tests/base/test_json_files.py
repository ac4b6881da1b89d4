"""JSON that is damaged or nested without end is an error of a few words; names stay in their folder."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.base.json_files import JsonError, is_plain_name, parse_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES)
def test_what_was_written_is_read(value: Any) -> None:
    assert parse_json(json.dumps(value).encode()) == value


@pytest.mark.parametrize(
    "text", ["", "{", b"\xff\xfe\xfa", "[" * 10**6, '{"a":' * 10**5, "9" * 10**5, "nul"]
)
def test_what_is_no_json_is_one_error(text: str | bytes) -> None:
    with pytest.raises(JsonError) as caught:
        parse_json(text)
    assert "\n" not in str(caught.value)
    assert "999" not in str(caught.value)


@pytest.mark.parametrize("name", ["model.onnx", "shared.bin", ".hidden", "a b", "..."])
def test_plain_names(name: str) -> None:
    assert is_plain_name(name)


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../x", "a/b", "/etc/passwd", "a\\b", "C:x", "C:\\x", "a\0", "a/"]
)
def test_names_that_lead_elsewhere(name: str) -> None:
    assert not is_plain_name(name)
