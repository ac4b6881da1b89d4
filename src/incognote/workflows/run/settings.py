"""What a run was asked to do."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from incognote import __version__
from incognote.document import Document
from incognote.formats.container import Fields
from incognote.pipeline import Deidentifier
from incognote.workflows.run.naming import Names


@dataclass(frozen=True)
class Cleaned:
    """A note that may leave, and how many characters of its original every detector saw."""

    output: Document
    seen: int


@dataclass(frozen=True)
class Settings:
    """The settings that decide what comes out; two runs with the same ones give the same."""

    replace: str = "tag"
    number: bool = False
    names: Names | None = None
    """None: numbers for folders, the given name for a single file."""
    format: str | None = None
    fields: Fields = field(default_factory=Fields)
    key: bytes | None = field(default=None, repr=False)
    workers: int = 1

    def deidentifier(self) -> Deidentifier:
        """What does the work."""
        return Deidentifier(self.replace, key=self.key, number=self.number)

    def cleaner(self) -> Callable[[Document], Cleaned]:
        """Built once in each process: from a note to the note that may leave."""
        deidentifier = self.deidentifier()

        def clean(document: Document) -> Cleaned:
            result = deidentifier(document)
            return Cleaned(result.output, result.seen)

        return clean

    def describe(self) -> dict[str, Any]:
        """For the journal and the audit: everything but the key, which is shown by a fingerprint,
        and the number of workers, which changes nothing.
        """
        return {
            "incognote": __version__,
            "replace": self.replace,
            "number": self.number,
            "names": self.names or "number",
            "format": self.format,
            "text_fields": list(self.fields.text),
            "id_field": self.fields.id,
            "patient_field": self.fields.patient,
            "known": dict(self.fields.known),
            "key": _fingerprint(self.key),
            "detectors": ["rules", "known", "propagated"],
        }


def _fingerprint(key: bytes | None) -> str | None:
    return hmac.digest(key, b"incognote fingerprint", "sha256").hex()[:16] if key else None
