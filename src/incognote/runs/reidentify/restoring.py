"""The records of one de-identified file, each found in the vault and given back as it was."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from incognote.document import Document
from incognote.formats.container import BadRecord, Format, Record
from incognote.replace.vault import Place, StoredNote, Vault, chain_after, digest, find
from incognote.replace.vault.stored_note import digest_of_bytes


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

    `whole` says whether the vault has seen a table of just these notes: if not, rows may be left
    out or moved, and where they stand tells nothing. `names` are those that the file had, as far as
    its notes tell.
    """

    vault: Vault
    format: Format
    target: str
    output: str
    whole: bool = True
    chain: str = ""
    names: set[str] = field(default_factory=set)

    def restore(self, record: Record) -> Original:
        """The record; UnknownNoteError if a note of it is not in the vault."""
        written = self.format.render_files(record, record.documents)
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
        id = document.id if record.has_own_ids else None
        chain = self.chain if self.whole else None
        place = Place(self.target, self.output, chain=chain, id=id)
        self.chain = chain_after(self.chain, digest(document.text))
        return place

    def _find(self, document: Document, place: Place, around: str) -> StoredNote:
        ordered = self.whole and self.format.table
        found = find(self.vault, digest(document.text), place, around, ordered=ordered)
        if found.sure_of_file:
            self.names.add(found.note.place.input)
        return found.note

    def name(self) -> str | None:
        """What the file was called, if that is certain."""
        return next(iter(self.names)) if len(self.names) == 1 else None


def is_whole(records: Iterable[Record | BadRecord], vault: Vault) -> bool:
    """Whether the vault has seen a file of just these notes, in this order."""
    chain = ""
    for record in records:
        if isinstance(record, BadRecord):
            return False
        for document in record.documents:
            chain = chain_after(chain, digest(document.text))
    return vault.knows_file(chain)
