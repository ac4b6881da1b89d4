"""The model folders that ship inside the package."""

from __future__ import annotations

from pathlib import Path

DEFAULT = Path(__file__).parent / "default"


def shipped_model() -> Path | None:
    """The folder of the model that comes with incognote; None where it was left out."""
    return DEFAULT if (DEFAULT / "incognote.json").is_file() else None
