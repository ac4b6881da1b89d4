"""A network that cannot be opened is one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from incognote.base.errors import ModelError
from incognote.onnx.sessions import Network


def test_what_is_no_network_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    with pytest.raises(ModelError, match="no such file"):
        Network(path)
    path.write_bytes(b"not a network")
    with pytest.raises(ModelError, match="cannot load this network") as caught:
        Network(path)
    assert "\n" not in str(caught.value)
