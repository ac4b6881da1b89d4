"""A vault opens with its key only, shows nothing without it, and does not survive a change."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from replace.vault.test_vault_notes import add, stored
from vaults import SECRET, open_vault

from incognote.replace.vault import Place, Secret, VaultError, digest, find, keys
from incognote.replace.vault.keys import SMALLEST, pad, unpad
from incognote.replace.vault.store import kind_of

NOTES = [("Ngozi Okafor " * (n + 1), f"out {n}", f"PATIENT-{n}") for n in range(12)]


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("vault") / "v.db"
    with closing(open_vault(path)) as vault:
        for n, (original, output, id) in enumerate(NOTES):
            add(
                vault,
                stored(original, output, Place("/release", f"n{n}", f"okafor-{n}.txt", "", id)),
            )
    return path


def everything(path: Path, secret: Secret = SECRET) -> list[str]:
    with closing(open_vault(path, make=False, secret=secret)) as vault:
        return [
            find(vault, digest(output), Place("/release", f"n{n}", id=id)).note.restore(output).text
            for n, (_, output, id) in enumerate(NOTES)
        ]


def test_it_opens_with_its_key(full: Path) -> None:
    assert everything(full) == [original for original, _, _ in NOTES]


@pytest.mark.parametrize(
    "wrong", [Secret.key_file(b"0123456789abcdeX"), Secret.passphrase("0123456789abcdef")], ids=repr
)
def test_another_key_opens_nothing(full: Path, wrong: Secret) -> None:
    with pytest.raises(VaultError, match=r"this is not the vault's|opens with a key file"):
        everything(full, wrong)


def test_nothing_can_be_read_in_the_file(full: Path) -> None:
    content = full.read_bytes().lower()
    for secret_word in (
        b"okafor",
        b"ngozi",
        b"patient",
        b"release",
        b"out 3",
        b"n11",
        SECRET.value,
    ):
        assert secret_word not in content
    with sqlite3.connect(full) as rows:
        sizes = {len(sealed) for (sealed,) in rows.execute("SELECT sealed FROM notes")}
    rows.close()
    assert sizes == {SMALLEST + 12 + 16}
    assert full.stat().st_mode & 0o777 == 0o600


def test_lengths_are_rounded_up() -> None:
    draw = random.Random(3)
    sizes = set()
    for length in range(0, 5000, 7):
        content = draw.randbytes(length)
        assert unpad(pad(content)) == content
        sizes.add(len(pad(content)))
    assert sizes == {256, 512, 1024, 2048, 4096, 8192}


def test_equal_notes_do_not_look_equal(tmp_path: Path) -> None:
    path = tmp_path / "v.db"
    with closing(open_vault(path)) as vault:
        add(vault, *(stored("Ada", "[X]", Place("/out", f"{n}")) for n in range(20)))
    with closing(sqlite3.connect(path)) as rows:
        for table, column in (("notes", "sealed"), ("notes", "name"), ("links", "name")):
            distinct, all = rows.execute(
                f"SELECT count(DISTINCT {column}), count(*) FROM {table}"
            ).fetchone()
            assert distinct == all


def _swap(rows: sqlite3.Connection) -> None:
    (one, first), (other, second) = rows.execute("SELECT name, sealed FROM notes LIMIT 2")
    rows.execute("UPDATE notes SET sealed = ? WHERE name = ?", (second, one))
    rows.execute("UPDATE notes SET sealed = ? WHERE name = ?", (first, other))


def _swap_links(rows: sqlite3.Connection) -> None:
    # Of two notes: those of one note could be swapped without a change.
    (one, first), (other, second) = rows.execute(
        "SELECT min(name), note FROM links GROUP BY note LIMIT 2"
    )
    rows.execute("UPDATE links SET note = ? WHERE name = ?", (second, one))
    rows.execute("UPDATE links SET note = ? WHERE name = ?", (first, other))


def _same_row_twice(rows: sqlite3.Connection) -> None:
    rows.execute("INSERT INTO notes SELECT zeroblob(16), sealed FROM notes LIMIT 1")


FOREIGN = (
    "CREATE TABLE other (x)",
    "CREATE VIEW other AS SELECT * FROM notes",
    "CREATE INDEX other ON notes (sealed)",
    "CREATE TRIGGER other AFTER INSERT ON notes BEGIN DELETE FROM links; END",
    "CREATE TRIGGER other AFTER UPDATE ON vault BEGIN DELETE FROM notes; END",
    "ALTER TABLE notes ADD COLUMN other",
    "ALTER TABLE links RENAME TO other",
)
CHANGES: dict[str, Callable[[sqlite3.Connection], object]] = {
    "rows swapped": _swap,
    "links swapped": _swap_links,
    "a row added": _same_row_twice,
    "a row gone": lambda rows: rows.execute("DELETE FROM notes WHERE rowid = 3"),
    "all rows gone": lambda rows: rows.execute("DELETE FROM notes"),
    "the links gone": lambda rows: rows.execute("DELETE FROM links"),
    "a row empty": lambda rows: rows.execute("UPDATE notes SET sealed = x'' WHERE rowid = 1"),
    "a row a number": lambda rows: rows.execute("UPDATE notes SET sealed = 7 WHERE rowid = 1"),
    "a row a text": lambda rows: rows.execute("UPDATE notes SET sealed = 'x' WHERE rowid = 1"),
    "no header": lambda rows: rows.execute("DELETE FROM vault"),
    "no seal": lambda rows: rows.execute("UPDATE vault SET seal = NULL"),
    "another header": lambda rows: rows.execute(
        'UPDATE vault SET header = replace(CAST(header AS TEXT), \'"vault": "\', \'"vault": "0\')'
    ),
    "another schema": lambda rows: rows.execute(
        "UPDATE vault SET header = replace(CAST(header AS TEXT), '\"schema\": 1', '\"schema\": 9')"
    ),
    "another salt": lambda rows: rows.execute(
        'UPDATE vault SET header = replace(CAST(header AS TEXT), \'"salt": "\', \'"salt": "00\')'
    ),
    "a broken header": lambda rows: rows.execute("UPDATE vault SET header = '{'"),
    "no table": lambda rows: rows.execute("DROP TABLE links"),
    "a deep header": lambda rows: rows.execute("UPDATE vault SET header = ?", ("[" * 100_000,)),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_vault_is_refused(full: Path, tmp_path: Path, change: str) -> None:
    path = tmp_path / "v.db"
    shutil.copy(full, path)
    with closing(sqlite3.connect(path, isolation_level=None)) as rows:
        CHANGES[change](rows)
    with pytest.raises(VaultError) as refused:
        everything(path)
    assert "kafor" not in str(refused.value)


@pytest.mark.parametrize("what", FOREIGN)
def test_what_no_vault_has_is_refused_before_anything_is_read(
    full: Path, tmp_path: Path, what: str
) -> None:
    path = tmp_path / "v.db"
    shutil.copy(full, path)
    with closing(sqlite3.connect(path, isolation_level=None)) as rows:
        rows.execute(what)
    for ask in (
        lambda: kind_of(path),
        lambda: open_vault(path),
        lambda: open_vault(path, make=False),
    ):
        with pytest.raises(VaultError, match="tables, triggers or views that no vault has"):
            ask()


def test_an_older_row_put_back_is_refused(tmp_path: Path) -> None:
    path, place = tmp_path / "v.db", Place("/out", "n")
    with closing(open_vault(path)) as vault:
        add(vault, stored("Ada", "[X]", place))
    with closing(sqlite3.connect(path)) as rows:
        (older,) = rows.execute("SELECT sealed FROM notes").fetchone()
    with closing(open_vault(path)) as vault:
        add(vault, stored("Eve", "[X]", place))
    with closing(sqlite3.connect(path, isolation_level=None)) as rows:
        rows.execute("UPDATE notes SET sealed = ?", (older,))
    with pytest.raises(VaultError, match="changed"):
        open_vault(path, make=False)


def test_rows_of_another_vault_with_the_same_key_are_refused(full: Path, tmp_path: Path) -> None:
    path = tmp_path / "v.db"
    shutil.copy(full, path)
    other = tmp_path / "other.db"
    with closing(open_vault(other)) as vault:
        add(vault, stored("Ada", "[X]", Place("/out", "n")))
    with closing(sqlite3.connect(path, isolation_level=None)) as rows:
        rows.execute("ATTACH ? AS other", (str(other),))
        rows.execute("UPDATE vault SET seal = (SELECT seal FROM other.vault)")
    with pytest.raises(VaultError):
        everything(path)


def test_no_byte_can_be_changed_to_any_effect(full: Path, tmp_path: Path) -> None:
    """A flipped byte is refused or, where SQLite never looks, changes nothing."""
    whole, expected = full.read_bytes(), everything(full)
    draw = random.Random(11)
    path = tmp_path / "v.db"
    refused = 0
    places = sorted({*range(0, 120, 3), *draw.sample(range(len(whole)), 250)})
    for place in places:
        changed = bytearray(whole)
        changed[place] ^= 1 << draw.randrange(8)
        path.write_bytes(changed)
        try:
            assert everything(path) == expected
        except VaultError:
            refused += 1
    assert refused > len(places) / 4


def test_every_seal_is_noticed_when_a_bit_of_it_changes(full: Path, tmp_path: Path) -> None:
    whole = full.read_bytes()
    with closing(sqlite3.connect(full)) as rows:
        seals = [sealed for (sealed,) in rows.execute("SELECT sealed FROM notes")]
        names = [name for (name,) in rows.execute("SELECT name FROM links")]
    path = tmp_path / "v.db"
    for piece in (*seals, *names):
        place = whole.index(piece)
        changed = bytearray(whole)
        changed[place + len(piece) // 2] ^= 1
        path.write_bytes(changed)
        with pytest.raises(VaultError):
            open_vault(path, make=False)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.6, 0.99])
def test_a_file_that_was_cut_off_is_refused(full: Path, tmp_path: Path, share: float) -> None:
    path = tmp_path / "v.db"
    whole = full.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(VaultError):
        everything(path)


@pytest.mark.parametrize("content", [b"", b"PAR1 not a vault", b"SQLite format 3\0" + b"\0" * 90])
def test_other_files_are_not_vaults(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "v.db"
    path.write_bytes(content)
    with pytest.raises(VaultError):
        open_vault(path, make=False)


def test_a_passphrase_is_stretched_and_spelled_in_one_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keys, "SCRYPT", {"n": 16, "r": 8, "p": 1})
    path = tmp_path / "v.db"
    with closing(open_vault(path, secret=Secret.passphrase("caf\u00e9 au lait"))) as vault:
        add(vault, stored("Ada", "[X]", Place("/out", "n")))
    with closing(
        open_vault(path, make=False, secret=Secret.passphrase("cafe\u0301 au lait"))
    ) as vault:
        assert len(vault) == 1
    with pytest.raises(VaultError, match="not the vault's passphrase"):
        open_vault(path, make=False, secret=Secret.passphrase("cafe au lait"))
    with pytest.raises(VaultError, match="opens with a passphrase"):
        open_vault(path, make=False)


def test_a_header_cannot_ask_for_all_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keys, "SCRYPT", {"n": 1 << 40, "r": 8, "p": 1})
    with pytest.raises(VaultError, match="more memory"):
        open_vault(tmp_path / "v.db", secret=Secret.passphrase("correct horse"))
