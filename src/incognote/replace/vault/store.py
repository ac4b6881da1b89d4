"""The file of a vault: SQLite, every row sealed, and a sealed sum over all rows.

`notes` are the seals, each under a name that is a keyed hash; `links` are other names of notes,
keyed hashes too. The sum is sealed together with the header, so that a row which is changed, taken
away, add_to_sum, swapped or put back from an older copy is noticed when the vault is opened. An older
copy of the whole file is not: nothing inside could tell.
"""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from incognote.base.files import parse_json
from incognote.replace.vault.keys import (
    Kind,
    Sealer,
    Secret,
    VaultError,
    add_to_sum,
    derive,
    new_derivation,
)

APPLICATION = 0x494E4356
SCHEMA = 1
WAIT_SECONDS = 120.0
_HEADER = b"header"
_NOTE, _LINK = b"note", b"link"
_TABLES = (
    "CREATE TABLE vault (id INTEGER PRIMARY KEY CHECK (id = 1), header BLOB, seal BLOB)",
    "CREATE TABLE notes (name BLOB NOT NULL UNIQUE, sealed BLOB NOT NULL)",
    "CREATE TABLE links (name BLOB PRIMARY KEY, note BLOB NOT NULL) WITHOUT ROWID",
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {SCHEMA}",
)


@dataclass
class Totals:
    """What the sealed sum says of the rows, and how the files of the vault's notes were read."""

    notes: int = 0
    links: int = 0
    sum: int = 0
    readings: list[Any] = field(default_factory=list)

    def pack(self) -> bytes:
        """As bytes, to be sealed."""
        return json.dumps(vars(self)).encode()


class Store:
    """The rows of one vault, and its sealer. Writing happens inside `writing()` only."""

    def __init__(self, path: Path, secret: Secret, *, make: bool = False) -> None:
        self.path = path
        self.totals = Totals()
        if make and kind_of(path) is None:
            secret.check_new()
        with _sqlite_errors(path):
            self._rows = _connect(path, make=make)
            try:
                if make:
                    self._begin(secret)
                self._read(secret)
                self._check()
            except (TypeError, ValueError, KeyError, AttributeError):
                self._rows.close()
                raise VaultError(f"{path}: the vault was changed or is damaged") from None
            except BaseException:
                self._rows.close()
                raise

    def _begin(self, secret: Secret) -> None:
        """Make a vault where there is none."""
        with self._transaction():
            if not _is_empty(self._rows):
                return
            for statement in _TABLES:
                self._rows.execute(statement)
            header: dict[str, Any] = {
                "schema": SCHEMA,
                "vault": secrets.token_hex(16),
                "derivation": new_derivation(secret.kind, secrets.token_bytes(16)),
            }
            content = json.dumps(header, sort_keys=True).encode()
            sealer = Sealer(derive(secret, header["derivation"]), content)
            seal = sealer.seal(Totals().pack(), _HEADER)
            self._rows.execute("INSERT INTO vault VALUES (1, ?, ?)", (content, seal))

    def _read(self, secret: Secret) -> None:
        """The header and the keys. The header is bound to every seal: a changed one opens none."""
        content, header = _header(self._rows, self.path)
        self.id = str(header["vault"])
        self.sealer = Sealer(derive(secret, header["derivation"]), content)
        self._refresh()

    def _refresh(self) -> None:
        (seal,) = self._rows.execute("SELECT seal FROM vault WHERE id = 1").fetchone()
        try:
            content = self.sealer.open(seal, _HEADER)
        except VaultError:
            raise VaultError(
                f"{self.path}: this is not the vault's passphrase or key, or the vault was changed"
            ) from None
        self.totals = Totals(**parse_json(content))

    def _check(self) -> None:
        """Compare all rows with the sum. One transaction, so that a writer cannot come between."""
        with self._transaction("DEFERRED"):
            self._refresh()
            sum = notes = links = 0
            for name, seal in self._rows.execute("SELECT name, sealed FROM notes"):
                sum = add_to_sum(sum, self.sealer.count(_NOTE, name, seal))
                notes += 1
            for name, note in self._rows.execute("SELECT name, note FROM links"):
                sum = add_to_sum(sum, self.sealer.count(_LINK, name, note))
                links += 1
        if (sum, notes, links) != (self.totals.sum, self.totals.notes, self.totals.links):
            raise VaultError(f"{self.path}: the vault was changed or is damaged")

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction: all that is put inside is written, or nothing. It begins with what others wrote."""
        with _sqlite_errors(self.path), self._transaction("IMMEDIATE"):
            self._refresh()
            yield
            seal = self.sealer.seal(self.totals.pack(), _HEADER)
            self._rows.execute("UPDATE vault SET seal = ? WHERE id = 1", (seal,))

    @contextmanager
    def _transaction(self, kind: str = "EXCLUSIVE") -> Iterator[None]:
        self._rows.execute(f"BEGIN {kind}")
        try:
            yield
        except BaseException:
            with suppress(sqlite3.Error):
                self._rows.execute("ROLLBACK")
            raise
        self._rows.execute("COMMIT")

    def note(self, name: bytes) -> bytes | None:
        """The content of the note with this name."""
        with _sqlite_errors(self.path):
            row = self._rows.execute("SELECT sealed FROM notes WHERE name = ?", (name,)).fetchone()
        return None if row is None else self.sealer.open(row[0], _NOTE + name)

    def link(self, name: bytes) -> bytes | None:
        """The note that a link names."""
        with _sqlite_errors(self.path):
            row = self._rows.execute("SELECT note FROM links WHERE name = ?", (name,)).fetchone()
        return None if row is None else bytes(row[0])

    def put_note(self, name: bytes, content: bytes) -> None:
        """Seal a note, in the place of an earlier one of this name."""
        old = self._rows.execute("SELECT sealed FROM notes WHERE name = ?", (name,)).fetchone()
        if old is not None:
            self._rows.execute("DELETE FROM notes WHERE name = ?", (name,))
            self._count(-self.sealer.count(_NOTE, name, old[0]))
            self.totals.notes -= 1
        seal = self.sealer.seal(content, _NOTE + name)
        self._rows.execute("INSERT INTO notes VALUES (?, ?)", (name, seal))
        self._count(self.sealer.count(_NOTE, name, seal))
        self.totals.notes += 1

    def put_link(self, name: bytes, note: bytes) -> None:
        """One more name for a note."""
        self._rows.execute("INSERT INTO links VALUES (?, ?)", (name, note))
        self._count(self.sealer.count(_LINK, name, note))
        self.totals.links += 1

    def _count(self, change: int) -> None:
        self.totals.sum = add_to_sum(self.totals.sum, change)

    def close(self) -> None:
        """Close, so that only the vault's file remains, unless another run still writes to it."""
        with suppress(sqlite3.Error):
            self._rows.execute("PRAGMA busy_timeout = 0")
            self._rows.execute("PRAGMA journal_mode = DELETE")
        self._rows.close()


def kind_of(path: Path) -> Kind | None:
    """Whether a vault opens with a passphrase or a key file; None where there is none yet."""
    if not path.exists() or path.stat().st_size == 0:
        return None
    with _sqlite_errors(path):
        rows = _connect(path, make=False)
        try:
            if _is_empty(rows):
                return None
            kind = _header(rows, path)[1]["derivation"]["kind"]
        finally:
            rows.close()
    return "key file" if kind == "key file" else "passphrase"


def _connect(path: Path, *, make: bool) -> sqlite3.Connection:
    """The file, private from its first moment. What a killed run left is only taken up where the
    file can be written.
    """
    if make:
        path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    elif not path.is_file():
        raise VaultError(f"{path}: there is no vault here")
    mode = "rw" if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK) else "ro"
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    rows = sqlite3.connect(uri, WAIT_SECONDS, isolation_level=None, uri=True)
    rows.execute("PRAGMA trusted_schema = OFF")
    if make:
        rows.execute("PRAGMA journal_mode = WAL")
        rows.execute("PRAGMA synchronous = NORMAL")
    return rows


def _is_empty(rows: sqlite3.Connection) -> bool:
    """Whether nothing was ever put there, as after a run that was killed at once."""
    return not rows.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]


def _schema(rows: sqlite3.Connection) -> frozenset[tuple[Any, ...]]:
    """All that a file defines, as it was written: what fires and what is computed too."""
    return frozenset(rows.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"))


@cache
def _own_schema() -> frozenset[tuple[Any, ...]]:
    """The tables that a new vault has."""
    rows = sqlite3.connect(":memory:")
    try:
        for statement in _TABLES:
            rows.execute(statement)
        return _schema(rows)
    finally:
        rows.close()


def _header(rows: sqlite3.Connection, path: Path) -> tuple[bytes, dict[str, Any]]:
    if rows.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
        raise VaultError(f"{path}: not a vault")
    if _schema(rows) != _own_schema():
        raise VaultError(
            f"{path}: has tables, triggers or views that no vault has; it was changed and is not opened"
        )
    row = rows.execute("SELECT header FROM vault WHERE id = 1").fetchone()
    try:
        header = parse_json(row[0])
        schema = header["schema"]
        derivation = header["derivation"]
        sound = isinstance(header["vault"], str) and bytes.fromhex(derivation["salt"])
        if not sound or derivation["kind"] not in ("passphrase", "key file"):
            raise ValueError
    except (TypeError, ValueError, KeyError):
        raise VaultError(f"{path}: the header of the vault was changed") from None
    if schema != SCHEMA:
        raise VaultError(f"{path}: a vault of schema {schema}; this version reads {SCHEMA}")
    return bytes(row[0]), header


@contextmanager
def _sqlite_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into sentences that quote nothing."""
    try:
        yield
    except sqlite3.OperationalError as error:
        kind = getattr(error, "sqlite_errorname", "") or type(error).__name__
        if kind.startswith("SQLITE_BUSY"):
            raise VaultError(f"{path}: another run has held the vault for too long") from None
        raise VaultError(f"{path}: the vault cannot be read or written ({kind})") from None
    except sqlite3.Error as error:
        kind = getattr(error, "sqlite_errorname", "") or type(error).__name__
        raise VaultError(f"{path}: not a vault, or a damaged one ({kind})") from None
