"""Notes that come one by one from a program and stand in no file, to a vault and back."""

from __future__ import annotations

from incognote.document import Document
from incognote.replace.vault.finding import find
from incognote.replace.vault.note import Kept, Place, digest
from incognote.replace.vault.vault import Vault


def keep(vault: Vault, found: Document, output: Document) -> None:
    """Put a note there, with the next `commit` or before; `found` has the spans that `output` has.

    Such a note has no place by which two that look alike are told apart. Its original stands in
    for one, so that another note with the same output never takes its place.
    """
    place = Place("", "", chain=digest(found.text), id=found.id or None)
    vault.add(Kept.of(found, output, tuple(map(len, found.spans)), place))


def original(vault: Vault, output: str | Document) -> Document:
    """The note that this output was made of, with what was replaced marked in it.

    UnknownNoteError: it was changed since, or never put there, or several notes have become this
    text; then the id of a document may tell which it is.
    """
    note = output if isinstance(output, Document) else Document("", output)
    place = Place("", "", chain=None, id=note.id or None)
    return find(vault, digest(note.text), place).kept.restore(note.text, note.id)
