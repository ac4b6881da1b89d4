"""Packages with entry points, put on the path as an installer would, without one."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest
from places import ROOT

from incognote.base.registry import Registry
from incognote.detect.plugins import DETECTOR_PLUGINS
from incognote.formats.registry import FORMAT_PLUGINS
from incognote.replace.plugins import OPERATOR_PLUGINS
from incognote.replace.policy import POLICY_PLUGINS

EXAMPLE = ROOT / "examples" / "plugin"
REGISTRIES = (DETECTOR_PLUGINS, OPERATOR_PLUGINS, FORMAT_PLUGINS, POLICY_PLUGINS)

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
    """The modules of a folder become importable, here and in processes that are started, as a
    package that offers things.
    """
    write_metadata(folder, package, version, entry_points)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=":")
    forget_names(monkeypatch)


def install_example(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package of `examples/plugin`."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    shutil.copytree(EXAMPLE / "odile_plugin", folder / "odile_plugin")
    install(folder, monkeypatch, project["name"], project["version"], project["entry-points"])


def forget_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every registry reads what is installed now, and knows of nothing that was registered in code."""
    for registry in REGISTRIES:
        fresh = Registry(registry.group, registry.kind, registry.ours)
        monkeypatch.setattr(registry, "_registered", {})
        try:
            monkeypatch.setitem(vars(registry), "_entries", fresh._entries)
        except ValueError:  # a package whose names are refused, which a test asks for on purpose
            monkeypatch.delitem(vars(registry), "_entries", raising=False)
