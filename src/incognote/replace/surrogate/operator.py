"""Surrogate: realistic fakes, coherent within a patient's notes and a function of the key."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from incognote.document import Document
from incognote.replace.operators import Replacer, check_key
from incognote.replace.surrogate.families import NoteSurrogates, Scope
from incognote.replace.surrogate.settings import Avoided, SurrogateSettings


@dataclass(frozen=True)
class Surrogate:
    """`Ms. Okafor, 3/14/19` becomes `Ms. Dancy, 8/1/18`.

    What cannot be replaced by a fake gets a tag and a remark: no original is ever kept, except
    ages under 90 and the name of a weekday or month, or a year, that the shift leads back to.
    """

    key: bytes = field(repr=False)
    settings: SurrogateSettings = field(default_factory=SurrogateSettings)
    avoided: Avoided = field(default_factory=Avoided, repr=False)

    def __post_init__(self) -> None:
        check_key(self.key)

    def begin(self, document: Document) -> Replacer:
        """The fakes of a note."""
        patient = patient_of(document)
        names = "everywhere" if self.settings.consistent == "corpus" else patient
        return NoteSurrogates(
            document, Scope(self.key, patient, names), self.settings, self.avoided
        ).replace


def patient_of(document: Document) -> str:
    """Who the note is about; one that does not tell is about a patient of its own.

    Such a note is known by its text, so that neither its place nor its name changes the fakes.
    """
    if document.patient:
        return f"patient {document.patient}"
    text = document.text.encode("utf-8", "surrogatepass")
    return f"note {hashlib.sha256(text).hexdigest()}"
