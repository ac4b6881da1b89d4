"""A policy: the path of its file, which lies in the package."""

from __future__ import annotations

from pathlib import Path

FILE = Path(__file__).with_name("release.toml")
