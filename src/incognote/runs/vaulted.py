"""Putting the notes of a run into a vault, so that their originals can be had back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath

from incognote.base.errors import RunError, StoppedError
from incognote.formats.container import Fields, Format, FormatError, Record
from incognote.replace.vault import Place as NotePlace
from incognote.replace.vault import Reading, StoredNote, Vault, VaultError, chain_after, deltas_of
from incognote.replace.vault.stored_note import digest_of_bytes
from incognote.runs.inputs import Input
from incognote.runs.settings import Cleaned


def check_vault(path: Path, output: str | Path, sources: Sequence[str]) -> None:
    """A vault must not lie in what is given away, nor in what is read."""
    here, target = path.resolve(), Path(output).resolve()
    if here == target or target in here.parents:
        raise RunError(f"{path}: the vault lies in the output, which is given away; keep it apart")
    for source in map(Path, sources):
        read = source.resolve()
        if here == read or (source.is_dir() and read in here.parents):
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
        self.vault.remember(Reading(format.name, self.fields.text, self.fields.id))

    def kept(self, record: Record, cleaned: Sequence[Cleaned]) -> list[StoredNote]:
        """The notes of a record, as the vault will have them."""
        if self.vault is None or self.format is None or not cleaned:
            return []
        try:
            return self._kept(record, cleaned, self.format)
        except VaultError as error:
            raise FormatError(str(error)) from None

    def _kept(self, record: Record, cleaned: Sequence[Cleaned], format: Format) -> list[StoredNote]:
        found: list[StoredNote] = []
        chain = self.chain
        for original, note in zip(record.documents, cleaned, strict=True):
            id = original.id if record.has_own_ids else None
            place = replace(self.place, chain=chain, id=id)
            found.append(StoredNote.of(original, note.output, note.lengths, place))
            chain = chain_after(chain, found[-1].output_hash)
        output = format.render_files(record, tuple(note.output for note in cleaned))
        read = format.render_files(replace(record, marks=True), record.documents)
        deltas = deltas_of(output, read)
        around = digest_of_bytes(output)
        found[0] = replace(found[0], deltas=deltas)
        return [replace(each, around=around) for each in found]

    def add(self, notes: Sequence[StoredNote]) -> None:
        """Put the notes of a record that was written into the vault."""
        if self.vault is None:
            return
        for kept in notes:
            self.chain = chain_after(self.chain, kept.output_hash)
            with _stopping():
                self.vault.add(kept)

    def close(self) -> None:
        """The file is whole."""
        if self.vault is not None:
            self.vault.add_file(self.chain)

    def commit(self) -> None:
        """Before an output is published, and before the journal says that it was written."""
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
