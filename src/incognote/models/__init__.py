"""The folders that ship inside the package: the model that finds identifiers, and an encoder."""

from __future__ import annotations

from pathlib import Path

DEFAULT = Path(__file__).parent / "default"
CLINICAL_ALBERT = Path(__file__).parent / "clinical-albert"


def shipped_model() -> Path | None:
    """The folder of the model that comes with incognote; None where it was left out."""
    return DEFAULT if (DEFAULT / "incognote.json").is_file() else None
