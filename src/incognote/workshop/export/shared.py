"""Large tables that several networks of a folder have in common, such as the words': written once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import onnx
from onnx.external_data_helper import set_external_data

SHARED = "shared.bin"
LARGE = 2**16
_PAGE = 4096
"""Tables begin at a page, so that they can be mapped into memory as they are."""


def write_shared(path: Path, networks: Mapping[Path, Any]) -> Mapping[Path, Any]:
    """The networks without tables that several have; these go to the file at `path`, if any."""
    often = Counter(
        data for each in networks.values() for data in {table.raw_data for table in _large(each)}
    )
    places: dict[bytes, int] = {}
    end = 0
    for data, count in often.items():
        if count > 1:
            places[data] = end
            end += -(-len(data) // _PAGE) * _PAGE
    if not places:
        return networks
    with path.open("wb") as file:
        for data, begin in places.items():
            file.seek(begin)
            file.write(data)
    return {source: _without(each, places, path.name) for source, each in networks.items()}


def _large(network: Any) -> list[Any]:
    return [table for table in network.graph.initializer if len(table.raw_data) >= LARGE]


def _without(network: Any, places: Mapping[bytes, int], file: str) -> Any:
    copy = onnx.ModelProto()
    copy.CopyFrom(network)
    for table in _large(copy):
        data = table.raw_data
        if data in places:
            set_external_data(table, file, offset=places[data], length=len(data))
            table.ClearField("raw_data")
    return copy
