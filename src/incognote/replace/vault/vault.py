"""A vault: the originals of notes, for whoever may have them back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, islice
from pathlib import Path
from typing import Any

from incognote.document import Document
from incognote.replace.vault.keys import Secret, VaultError
from incognote.replace.vault.store import Store
from incognote.replace.vault.stored_note import Place, StoredNote, digest, handles

BUFFERED = 500


@dataclass(frozen=True)
class Reading:
    """How a file was read: with the same format and fields, its notes are found again."""

    format: str
    text: tuple[str, ...] = ()
    id: str | None = None
    columns: tuple[tuple[str, str], ...] = ()
    """The columns of values, each with its type."""
    no_text: bool = False
    """Whether it held no notes, only values."""
    drops: bool = False
    """Whether fields of it were left out, which are not in the vault."""


def _packed(reading: Reading) -> list[Any]:
    columns = list(map(list, reading.columns))
    rest = [columns, reading.no_text, reading.drops]
    rest = rest if any(rest) else []
    return [reading.format, list(reading.text), reading.id, *rest]


def _unpacked(packed: list[Any]) -> Reading:
    format, text, id, *rest = packed
    columns, *more = rest or ((),)
    return Reading(format, tuple(text), id, tuple((name, type) for name, type in columns), *more)


class Vault:
    """Notes are added one by one and are there after `commit`.

    A note has several handles, and a handle may lead to several notes: the first, the second and
    so on have names of their own in the file, so that nobody sees which notes are alike.
    """

    def __init__(self, path: str | Path, secret: Secret, *, make: bool = False) -> None:
        self._store = Store(Path(path), secret, make=make)
        self._waiting: list[StoredNote] = []
        self._new_files: set[str] = set()
        self._new_readings: dict[Reading, None] = {}

    @property
    def path(self) -> Path:
        return self._store.path

    @property
    def id(self) -> str:
        """What tells this vault from others; it is no secret."""
        return self._store.id

    def __len__(self) -> int:
        return self._store.totals.notes

    def readings(self) -> list[Reading]:
        """How the files of its notes were read, the last first."""
        return [_unpacked(packed) for packed in reversed(self._store.totals.readings)]

    def remember(self, reading: Reading) -> None:
        """Note, with the next `commit`, how a file is read."""
        self._new_readings[reading] = None

    def add(self, note: StoredNote) -> None:
        """Put a note there, with the next `commit` or before."""
        self._waiting.append(note)
        if len(self._waiting) >= BUFFERED:
            self.commit()

    def add_file(self, chain: str) -> None:
        """Note, with the next `commit`, that a file is whole; `chain` is that of all its notes."""
        self._new_files.add(chain)

    def knows_file(self, chain: str) -> bool:
        """Whether these notes, in this order, were a whole file."""
        return self._store.link(self._file(chain)) is not None

    def _file(self, chain: str) -> bytes:
        return self._store.sealer.tag(f'["file", "{chain}"]'.encode(), 0)

    def commit(self) -> None:
        """Write all that was added, so that it is there whatever happens to this process."""
        readings = self.readings()
        new = [reading for reading in self._new_readings if reading not in readings]
        if self._waiting or self._new_files or new:
            with self._store.writing():
                for note in self._waiting:
                    self._put(note)
                for name in sorted(map(self._file, self._new_files)):
                    if self._store.link(name) is None:
                        self._store.put_link(name, name)
                totals = self._store.totals
                totals.readings += [_packed(each) for each in new]
        self._waiting.clear()
        self._new_files.clear()
        self._new_readings.clear()

    def _put(self, note: StoredNote) -> None:
        """A note with the same text at the same place of the same output gives way to this one."""
        own, *others = handles(note.output_hash, note.place)
        name = self._store.sealer.tag(own, 0)
        content = self._store.note(name)
        if content is not None:
            old = StoredNote.unpack(content)
            if old == note:
                return
            present = handles(old.output_hash, old.place)
            others = [handle for handle in others if handle not in present]
        self._store.put_note(name, note.pack())
        for handle in others:
            self._store.put_link(self._free(handle), name)

    def _free(self, handle: bytes) -> bytes:
        """The first name of a handle that no link has; all before it are taken."""

        def is_taken(turn: int) -> bool:
            return self._store.link(self._store.sealer.tag(handle, turn)) is not None

        last, free = -1, 0
        while is_taken(free):
            last, free = free, 2 * free + 1
        while free - last > 1:
            middle = (last + free) // 2
            last, free = (middle, free) if is_taken(middle) else (last, middle)
        return self._store.sealer.tag(handle, free)

    def alike(self, handle: bytes) -> Iterator[StoredNote]:
        """The notes that a handle leads to."""
        content = self._store.note(self._store.sealer.tag(handle, 0))
        if content is not None:
            yield StoredNote.unpack(content)
            return
        for turn in count():
            note = self._store.link(self._store.sealer.tag(handle, turn))
            if note is None:
                return
            content = self._store.note(note)
            if content is None:
                raise VaultError(f"{self.path}: the vault was changed or is damaged")
            yield StoredNote.unpack(content)

    def knows(self, output_hash: str) -> bool:
        """Whether any note of the vault has this output."""
        *_, text = handles(output_hash, Place("", ""))
        return self._store.link(self._store.sealer.tag(text, 0)) is not None

    def close(self) -> None:
        """Close without what was not committed."""
        self._store.close()

    def __enter__(self) -> Vault:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


# Which note of a vault an output is, where several have become the same text.

MOST_ALIKE = 1000


class UnknownNoteError(VaultError):
    """An output that the vault has no note for, or several and nothing to choose by."""

    status = 1


@dataclass(frozen=True)
class Match:
    """A note, and whether its file is certain too: notes can be alike in all but that."""

    note: StoredNote
    sure_of_file: bool


def find(
    vault: Vault, output_hash: str, place: Place, around: str = "", *, ordered: bool = False
) -> Match:
    """The note whose output has this hash, stands here, and has these bytes around it.

    Where several notes fit they are told apart by what is still as it was: the file's name, its
    order if it is a whole table (`ordered`), the id, the bytes of the row. Nothing is guessed.
    """
    for handle in handles(output_hash, place):
        alike = list(islice(vault.alike(handle), MOST_ALIKE + 1))
        if any(note.output_hash != output_hash for note in alike):
            raise VaultError(f"{vault.path}: the vault was changed or is damaged")
        if not handle.startswith(b'["text"'):
            alike = [note for note in alike if _may_be(note.place.id, place.id)]
        if alike:
            if ordered:
                alike = _those_that_fit(alike, lambda note: note.place.chain == place.chain)
            return _choose(alike, place, around)
    raise UnknownNoteError("changed since, or never put into this vault")


def _may_be(one: str | None, other: str | None) -> bool:
    return one is None or other is None or one == other


def _those_that_fit(
    notes: list[StoredNote], fits: Callable[[StoredNote], bool]
) -> list[StoredNote]:
    """The notes that fit or, if none does, all of them."""
    return [note for note in notes if fits(note)] or notes


def _choose(notes: list[StoredNote], place: Place, around: str) -> Match:
    if place.id is not None:
        notes = _those_that_fit(notes, lambda note: note.place.id == place.id)
    notes = _those_that_fit(notes, lambda note: note.place.output == place.output)
    if around:
        notes = _those_that_fit(notes, lambda note: note.around == around)
    if _differ(notes) or len(notes) > MOST_ALIKE:
        raise UnknownNoteError(
            "several notes have become this text, and neither name, place nor id tells which it is"
        )
    note, *others = notes
    if any(other.deltas != note.deltas for other in others):
        note = replace(note, deltas=())
    return Match(note, sure_of_file=all(other.place.input == note.place.input for other in others))


def _differ(notes: Sequence[StoredNote]) -> bool:
    return any(note.changes != notes[0].changes for note in notes[1:])


# Notes that come one by one from a program and stand in no file, to a vault and back.


def keep(vault: Vault, note: Document, output: Document) -> None:
    """Put a note there, with the next `commit` or before; `note` has the spans that `output` has.

    Such a note has no place by which two that look alike are told apart. Its original stands in
    for one, so that another note with the same output never takes its place.
    """
    place = Place("", "", chain=digest(note.text), id=note.id or None)
    vault.add(StoredNote.of(note, output, tuple(map(len, note.spans)), place))


def original(vault: Vault, output: str | Document) -> Document:
    """The note that this output was made of, with what was replaced marked in it.

    UnknownNoteError: it was changed since, or never put there, or several notes have become this
    text; then the id of a document may tell which it is.
    """
    note = output if isinstance(output, Document) else Document("", output)
    place = Place("", "", chain=None, id=note.id or None)
    return find(vault, digest(note.text), place).note.restore(note.text, note.id)
