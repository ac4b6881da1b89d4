"""The records of one de-identified file, each found in the vault and given back as it was."""

from __future__ import annotations

from dataclasses import dataclass, field

from incognote.document import Document
from incognote.formats.container import Format, Record
from incognote.replace.vault import Kept, Place, Vault, digest, find, linked
from incognote.replace.vault.note import digest_of_bytes


@dataclass(frozen=True)
class Original:
    """A record as it was read: its bytes in each of its files or, where these cannot be had, its
    documents.
    """

    bytes: tuple[bytes, ...] = field(repr=False)
    documents: tuple[Document, ...] = ()


@dataclass
class Restorer:
    """Restores records in order. `target` and `output` are where their file stands.

    `names` are those that the file had, as far as its notes tell.
    """

    vault: Vault
    format: Format
    target: str
    output: str
    chain: str = ""
    names: set[str] = field(default_factory=set)

    def restore(self, record: Record) -> Original:
        """The record; UnknownNoteError if a note of it is not in the vault."""
        written = self.format.rendered(record, record.documents)
        if not record.documents:
            return Original(written)
        around = digest_of_bytes(written)
        places = [self._next_place(document, record) for document in record.documents]
        first, *others = zip(record.documents, places, strict=True)
        kept = [self._find(*first, around)]
        if original := kept[0].restore_bytes(written):
            return Original(original)
        kept += (self._find(*each, around) for each in others)
        documents = tuple(
            each.restore(document.text, document.id)
            for each, document in zip(kept, record.documents, strict=True)
        )
        return Original((), documents)

    def _next_place(self, document: Document, record: Record) -> Place:
        """The chain goes on over notes that the vault does not know: those after them are moved."""
        id = document.id if record.named else None
        place = Place(self.target, self.output, chain=self.chain, id=id)
        self.chain = linked(self.chain, digest(document.text))
        return place

    def _find(self, document: Document, place: Place, around: str) -> Kept:
        found = find(self.vault, digest(document.text), place, around)
        if found.named:
            self.names.add(found.kept.place.input)
        return found.kept

    def name(self) -> str | None:
        """What the file was called, if that is certain."""
        return next(iter(self.names)) if len(self.names) == 1 else None
