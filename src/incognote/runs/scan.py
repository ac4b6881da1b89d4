"""A first pass over a corpus, so that no fake is a real name or number anywhere in it.

What it leaves is a SQLite file of keyed hashes, which tells nothing without the key and is deleted
with the run's other traces.
"""

from __future__ import annotations

import errno
import hashlib
import hmac
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from incognote.detect.detector import detect_many
from incognote.document import Document
from incognote.formats.container import Record
from incognote.replace.surrogate.date_parse import order_by, order_votes
from incognote.replace.surrogate.number_shapes import compact
from incognote.replace.surrogate.operator import NUMBERS, PEOPLE
from incognote.replace.surrogate.people_parse import name_key, pieces_of
from incognote.replace.surrogate.settings import Avoided
from incognote.runs.pool import NoteError, Work
from incognote.runs.stream import events, work_through

if TYPE_CHECKING:
    from collections.abc import Sequence

    from incognote.detect.detector import Detection
    from incognote.document import Order
    from incognote.runs.inputs import Input
    from incognote.runs.settings import Settings

_HASH = 12
_MANY = 20_000
_DATE_TYPES = frozenset({"DATE", "AGE"})

What = Literal["word", "value", "patient"]
Advance = Callable[[int], None]


@dataclass(frozen=True)
class _Hashing:
    secret: bytes

    @classmethod
    def by(cls, key: bytes) -> _Hashing:
        return cls(hmac.digest(key, b"incognote scan", "sha256"))

    def of(self, what: What, text: str) -> bytes:
        message = f"{what}\0{text}".encode("utf-8", "surrogatepass")
        return hashlib.blake2b(message, key=self.secret, digest_size=_HASH).digest()


def originals(document: Document) -> Iterator[tuple[What, str]]:
    """The words and values of a note, with its findings, that no fake may be."""
    findings = [(span.type, span.text) for span in document.spans]
    for type, text in (*findings, *document.known):
        if type in _DATE_TYPES:
            continue
        yield "value", compact(text)
        if type in PEOPLE:
            yield from (("word", piece.key) for piece in pieces_of(text) if piece.kind == "name")
        elif type not in NUMBERS:
            yield "word", name_key(text)


class Scanned(NamedTuple):
    """The hashes of what is in a note and of its patient, and how its dates vote on their order."""

    hashes: list[bytes]
    patient: bytes | None
    month_first: int
    day_first: int


@dataclass(frozen=True)
class Scanner:
    """What each process builds: from a note to what the index keeps of it."""

    settings: Settings

    def work(self) -> Work[Scanned]:
        """Built once in each process."""
        assert self.settings.key is not None
        detector = self.settings.detector()
        hashing = _Hashing.by(self.settings.key)
        types = self.settings.types

        def scan(document: Document, detection: Detection) -> Scanned:
            spans = (*detection.spans, *document.spans)
            note = document.with_spans(
                replace(span, type=types.as_date_or_age(span.type)) for span in spans
            )
            hashes = [
                hashing.of(what, text) for what, text in dict.fromkeys(originals(note)) if text
            ]
            votes = order_votes(span.text for span in note.spans if span.type == "DATE")
            patient = hashing.of("patient", document.patient) if document.patient else None
            return Scanned(hashes, patient, *votes)

        return lambda documents: map(scan, documents, detect_many(detector, documents))


def scan(
    path: Path,
    inputs: Sequence[Input],
    settings: Settings,
    advance: Advance = lambda size: None,
) -> None:
    """Read all inputs and write the index. What cannot be read is left to the second pass."""
    path.unlink(missing_ok=True)
    try:
        _fill(path, inputs, settings, advance)
    except sqlite3.Error:
        raise OSError(errno.EIO, "the index of the first pass failed") from None


def _fill(path: Path, inputs: Sequence[Input], settings: Settings, advance: Advance) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as index:
        index.execute("PRAGMA journal_mode=OFF")
        index.execute("PRAGMA synchronous=OFF")
        index.execute("CREATE TABLE seen (hash BLOB PRIMARY KEY) WITHOUT ROWID")
        index.execute(
            "CREATE TABLE orders (patient BLOB PRIMARY KEY, month_first INT, day_first INT) "
            "WITHOUT ROWID"
        )
        index.execute("BEGIN")
        waiting: set[bytes] = set()
        votes: dict[bytes, tuple[int, int]] = {}
        stream = settings.patients.assign(events(inputs, settings.fields, settings.format))
        with closing(work_through(stream, Scanner(settings).work, settings.workers)) as results:
            for event, outcomes in results:
                for scanned in outcomes:
                    if not isinstance(scanned, NoteError):
                        waiting.update(scanned.hashes)
                        _vote(votes, scanned)
                if len(waiting) > _MANY:
                    _add(index, waiting)
                if len(votes) > _MANY:
                    _add_votes(index, votes)
                if isinstance(event, Record):
                    advance(sum(len(document.text) for document in event.documents))
        _add(index, waiting)
        _add_votes(index, votes)
        index.execute("COMMIT")


def _add(index: sqlite3.Connection, hashes: set[bytes]) -> None:
    rows = [(each,) for each in sorted(hashes)]
    index.executemany("INSERT OR IGNORE INTO seen VALUES (?)", rows)
    hashes.clear()


def _vote(votes: dict[bytes, tuple[int, int]], scanned: Scanned) -> None:
    if scanned.patient is not None and (scanned.month_first or scanned.day_first):
        month_first, day_first = votes.get(scanned.patient, (0, 0))
        votes[scanned.patient] = (month_first + scanned.month_first, day_first + scanned.day_first)


def _add_votes(index: sqlite3.Connection, votes: dict[bytes, tuple[int, int]]) -> None:
    rows = [(patient, *both) for patient, both in sorted(votes.items())]
    index.executemany(
        "INSERT INTO orders VALUES (?, ?, ?) ON CONFLICT (patient) DO UPDATE SET "
        "month_first = month_first + excluded.month_first, day_first = day_first + excluded.day_first",
        rows,
    )
    votes.clear()


class _ScannedTexts:
    """Words or values of the corpus, asked for one by one."""

    def __init__(self, find: Callable[[bytes], bool], hashing: _Hashing, what: What) -> None:
        self._find = find
        self._hashing = hashing
        self._what = what

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str) and self._find(self._hashing.of(self._what, text))


def open_scan(path: Path, key: bytes) -> Avoided:
    """The originals of the corpus, which no fake may be, asked of the index."""
    index = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    hashing = _Hashing.by(key)
    find = partial(_find, index)

    def order_of(patient: str) -> Order | None:
        row = index.execute(
            "SELECT month_first, day_first FROM orders WHERE patient = ?",
            (hashing.of("patient", patient),),
        ).fetchone()
        return None if row is None else order_by(*row)

    return Avoided(
        _ScannedTexts(find, hashing, "word"), _ScannedTexts(find, hashing, "value"), order_of
    )


def _find(index: sqlite3.Connection, hash: bytes) -> bool:
    return index.execute("SELECT 1 FROM seen WHERE hash = ?", (hash,)).fetchone() is not None
