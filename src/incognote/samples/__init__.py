"""A few invented notes for the demo, CC0, from the project's own corpus."""

from __future__ import annotations

from importlib.resources import files


def sample_notes() -> dict[str, str]:
    """Their texts by file name, in the order of the names."""
    notes = sorted(files(__name__).iterdir(), key=lambda file: file.name)
    return {
        note.name: note.read_text(encoding="utf-8") for note in notes if note.name.endswith(".txt")
    }
