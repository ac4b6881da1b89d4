"""The notes of a run into a vault, and the records of a de-identified file back out of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath

from incognote.base.errors import RunError, StoppedError
from incognote.document import Document
from incognote.formats import detect
from incognote.formats.column_plan import ColumnRule
from incognote.formats.container import BadRecord, Format, Record
from incognote.formats.fields import Fields
from incognote.formats.format_error import FormatError
from incognote.formats.registry import format_named
from incognote.replace.vault import Place as NotePlace
from incognote.replace.vault import (
    Reading,
    StoredNote,
    Vault,
    VaultError,
    chain_after,
    deltas_of,
    digest,
    find,
)
from incognote.replace.vault.stored_note import digest_of_bytes
from incognote.runs.inputs import Input
from incognote.runs.settings import Cleaned

# Into the vault


def check_vault(path: Path, output: str | Path, sources: Sequence[str]) -> None:
    """A vault must not lie in what is given away, nor in what is read."""
    here, target = path.resolve(), Path(output).resolve()
    if here == target or target in here.parents:
        raise RunError(f"{path}: the vault lies in the output, which is given away; keep it apart")
    for source in map(Path, sources):
        source_path = source.resolve()
        if here == source_path or (source.is_dir() and source_path in here.parents):
            raise RunError(f"{path}: the vault lies in the input; keep it apart")
    if path.is_dir():
        raise RunError(f"{path}: is a folder, and a vault is a file")


@dataclass
class Keeper:
    """Keeps the notes of one output file after the other; without a vault, it keeps nothing.

    `chain` is the hash of the notes written to the file so far: a run that is resumed goes on
    with it.
    """

    vault: Vault | None
    target: Path
    fields: Fields
    format: Format | None = None
    place: NotePlace = field(default_factory=lambda: NotePlace("", ""))
    chain: str = ""

    def open(self, input: Input, output: PurePath, format: Format, chain: str) -> None:
        """The notes that follow are of this file."""
        if self.vault is None:
            return
        self.format = format
        target = str(self.target.resolve())
        self.place = NotePlace(target, output.as_posix(), input.relative.as_posix())
        self.chain = chain
        fields = self.fields
        columns = tuple((name, rule.type) for name, rule in fields.values.items())
        left_out = format.table and bool(fields.dropped)
        self.vault.remember(
            Reading(format.name, fields.text, fields.id, columns, fields.no_text, left_out)
        )

    def stored_notes(self, record: Record, cleaned: Sequence[Cleaned]) -> list[StoredNote]:
        """The notes of a record, as the vault will have them."""
        if self.vault is None or self.format is None or not cleaned:
            return []
        try:
            return self._stored_notes(record, cleaned, self.format)
        except VaultError as error:
            raise FormatError(str(error)) from None

    def _stored_notes(
        self, record: Record, cleaned: Sequence[Cleaned], format: Format
    ) -> list[StoredNote]:
        notes: list[StoredNote] = []
        chain = self.chain
        for original, result in zip(record.documents, cleaned, strict=True):
            if original.value_type is not None and not result.output.text.strip():
                continue  # whoever reads the output finds no value here
            id = original.id if record.has_own_ids else None
            place = replace(self.place, chain=chain, id=id)
            notes.append(StoredNote.of(original, result.output, result.lengths, place))
            chain = chain_after(chain, notes[-1].output_hash)
        output = format.render_files(record, tuple(result.output for result in cleaned))
        original_bytes = format.render_files(replace(record, marks=True), record.documents)
        if not notes or (len(notes) < len(cleaned) and not output):
            raise VaultError(
                "a value that is left out, or that a column of numbers or dates cannot hold, would "
                "not come back from the vault, so the row is not written"
            )
        deltas = deltas_of(output, original_bytes)
        around = digest_of_bytes(output)
        notes[0] = replace(notes[0], deltas=deltas)
        return [replace(each, around=around) for each in notes]

    def add(self, notes: Sequence[StoredNote]) -> None:
        """Put the notes of a record that was written into the vault."""
        if self.vault is None:
            return
        for note in notes:
            self.chain = chain_after(self.chain, note.output_hash)
            with _stopping():
                self.vault.add(note)

    def close(self) -> None:
        """Remember a finished file by the hash of its notes in their order."""
        if self.vault is not None:
            self.vault.add_file(self.chain)

    def commit(self) -> None:
        """Make the notes durable, before their output is published and the journal says so."""
        if self.vault is None:
            return
        with _stopping():
            self.vault.commit()


@contextmanager
def _stopping() -> Iterator[None]:
    try:
        yield
    except VaultError as error:
        raise StoppedError(
            f"{error}; what is finished is kept: mend it and continue with --resume"
        ) from None


# How a file was read when its notes were put into the vault


@dataclass(frozen=True)
class ReadOptions:
    """What the user says of the files; the rest is as the vault remembers it."""

    format: str | None = None
    fields: Fields | None = None
    encoding: str | None = None


def reading_of(path: Path, vault: Vault, options: ReadOptions) -> tuple[Format, Fields, bool]:
    """The format and the fields by which the file's first note is one of the vault's, and whether
    `deid` left out fields of files that are read so.
    """
    readings = vault.readings()
    if options.fields is not None:
        kind = detect(path, options.format)
        drops = any(way.drops for way in readings if way.format == kind.name)
        return kind, options.fields, drops
    ways = list(dict.fromkeys(_ways(path, vault, options.format)))
    fitting = (
        ways
        if len(ways) == 1
        else (way for way in ways if _fits(path, way, vault, options.encoding))
    )
    way = next(iter(fitting), ways[0])
    drops = replace(way, drops=True) in readings
    return format_named(way.format), _fields(way, options.encoding), drops


def _fields(way: Reading, encoding: str | None) -> Fields:
    rules = {name: ColumnRule(type) for name, type in way.columns}
    typed = frozenset(type for _, type in way.columns)
    return Fields(
        way.text, way.id, column=rules, no_text=way.no_text, typed=typed, encoding=encoding
    )


def _ways(path: Path, vault: Vault, format: str | None) -> Iterator[Reading]:
    """Those of the format that the file seems to have, then the vault's others."""
    readings = vault.readings()
    try:
        usual = detect(path, format).name
    except FormatError:
        if format is not None or not readings:
            raise
        yield from readings
        return
    own = [way for way in readings if way.format == usual] or [Reading(usual)]
    yield from own
    if format is None:
        yield from readings


def _fits(path: Path, way: Reading, vault: Vault, encoding: str | None) -> bool:
    fields = _fields(way, encoding)
    try:
        with closing(format_named(way.format).open(path, fields)) as source:
            for record in source.records():
                if isinstance(record, BadRecord):
                    return False
                if record.documents:
                    return vault.knows(digest(record.documents[0].text))
    except (FormatError, OSError):
        return False
    return True


# Out of the vault


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
        record_bytes = self.format.render_files(record, record.documents)
        if not record.documents:
            return Original(record_bytes)
        around = digest_of_bytes(record_bytes)
        places = [self._next_place(document, record) for document in record.documents]
        first, *others = zip(record.documents, places, strict=True)
        notes = [self._find(*first, around)]
        if original := notes[0].restore_bytes(record_bytes):
            return Original(original)
        notes += (self._find(*each, around) for each in others)
        documents = tuple(
            each.restore(document.text, document.id)
            for each, document in zip(notes, record.documents, strict=True)
        )
        return Original((), documents)

    def _next_place(self, document: Document, record: Record) -> NotePlace:
        id = document.id if record.has_own_ids else None
        chain = self.chain if self.whole else None
        place = NotePlace(self.target, self.output, chain=chain, id=id)
        self.chain = chain_after(self.chain, digest(document.text))
        return place

    def _find(self, document: Document, place: NotePlace, around: str) -> StoredNote:
        ordered = self.whole and self.format.table
        match = find(self.vault, digest(document.text), place, around, ordered=ordered)
        if match.sure_of_file:
            self.names.add(match.note.place.input)
        return match.note

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
