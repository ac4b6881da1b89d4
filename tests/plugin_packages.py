"""Packages with entry points, put on the path as an installer would, without one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

EntryPoints = Mapping[str, Mapping[str, str]]
"""From each group to the names and the objects."""


def write_metadata(folder: Path, package: str, version: str, entry_points: EntryPoints) -> None:
    """The `.dist-info` of an installed package."""
    info = folder / f"{package.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
    lines: list[str] = []
    for group, names in entry_points.items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in names.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")


def install(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    package: str,
    version: str,
    entry_points: EntryPoints,
) -> None:
    """The modules of a folder become importable, as a package that offers things."""
    write_metadata(folder, package, version, entry_points)
    monkeypatch.syspath_prepend(folder)
