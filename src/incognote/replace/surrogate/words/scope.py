"""For whom a place keeps its fake: for one patient, or for the whole corpus."""

from __future__ import annotations

from typing import Literal

from incognote.replace.surrogate.keyed import Keyed

Consistent = Literal["patient", "corpus"]


def check_consistent(consistent: str) -> None:
    """Refuse a setting that means nothing."""
    if consistent not in ("patient", "corpus"):
        raise ValueError("fakes are consistent within a 'patient' or within the 'corpus'")


def keyed_for(key: bytes, patient: str, consistent: Consistent, what: str) -> Keyed:
    """The secret from which fakes of one kind are drawn; of the corpus it knows no patient."""
    whose = f"patient\0{patient}" if consistent == "patient" else "corpus"
    return Keyed.of(key, what, whose)
