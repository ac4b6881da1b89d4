"""Whose note it is, told by a field, by the note's id, or by its folder."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from incognote.corpus.reading import CorpusError
from incognote.runs.patients import folder_of

PatientOf = Callable[[Path, str, str | None], str | None]
"""From a note's file (inside the corpus), id and patient field to the patient; None: not told."""


def patient_from_pattern(pattern: str) -> PatientOf:
    """The first group of a regular expression found in the id, or the whole match."""
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise CorpusError(f"--patient-pattern is not a regular expression: {error}") from None

    def patient(path: Path, id: str, field: str | None) -> str | None:
        match = compiled.search(id)
        return None if match is None else match[1] if compiled.groups else match[0]

    return patient


def patient_from_folder(level: int | None = None) -> PatientOf:
    """The folder of the file, or the one so many levels below the corpus."""

    def patient(path: Path, id: str, field: str | None) -> str | None:
        return str(path.parent) if level is None else folder_of(path, level)

    return patient


def patient_from_field(path: Path, id: str, field: str | None) -> str | None:
    """What the table's field says."""
    return field or None
