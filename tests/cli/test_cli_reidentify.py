"""`incognote deid --vault` and `incognote reidentify`, as a user meets them."""

from __future__ import annotations

import getpass
import json
from pathlib import Path

import pytest
from commands import Command

from incognote.replace.vault import keys

NOTES = {
    "OKAFOR/1.txt": "\ufeffSeen by Dr. Okafor on 3/14/2019.\r\n",
    "OKAFOR/2.txt": "Seen by Dr. Obi on 3/15/2019.\r\n",
    "t.csv": 'mrn,note\n4471902,"Dr. Brandt, MRN 4471902"\n7,Dr. Obi\n',
}
WORDS = "correct horse battery"
DEID = ("--detector", "rules", "--text-field", "note")


@pytest.fixture(autouse=True)
def _quick_passphrases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "SCRYPT", {"n": 16, "r": 8, "p": 1})
    monkeypatch.delenv("INCOGNOTE_VAULT_PASSPHRASE", raising=False)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    for name, text in NOTES.items():
        path = tmp_path / "notes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return tmp_path / "notes"


def contents(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes().decode()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_there_and_back_with_a_passphrase(
    incognote: Command, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INCOGNOTE_VAULT_PASSPHRASE", WORDS)
    clean, back, vault = tmp_path / "clean", tmp_path / "back", tmp_path / "v.vault"
    ran = incognote(
        "deid", notes, "-o", clean, "--vault", vault, "--known", "mrn=MEDICALRECORD", *DEID
    )
    assert ran.status == 0, ran.err
    assert f"vault (leads back: keep it apart): {vault}" in ran.err
    assert vault.stat().st_mode & 0o777 == 0o600
    audit = json.loads((tmp_path / "clean.audit.json").read_text())
    assert audit["settings"]["vault"]
    ran = incognote("reidentify", clean, "-o", back, "--vault", vault)
    assert ran.status == 0, ran.err
    assert "4 notes re-identified byte for byte." in ran.err
    assert contents(back) == NOTES


def test_there_and_back_with_a_key_file_that_is_made(
    incognote: Command, notes: Path, tmp_path: Path
) -> None:
    key, vault = tmp_path / "vault.key", tmp_path / "v.vault"
    by_key = ("--vault", vault, "--vault-key-file", key)
    ran = incognote("deid", notes, "-o", tmp_path / "clean", *by_key, "--make-key", *DEID)
    assert ran.status == 0, ran.err
    assert key.stat().st_mode & 0o777 == 0o600
    ran = incognote("reidentify", tmp_path / "clean", "-o", tmp_path / "back", *by_key)
    assert ran.status == 0, ran.err
    assert contents(tmp_path / "back") == NOTES
    key.write_bytes(b"another key of sufficient length")
    ran = incognote("reidentify", tmp_path / "clean", "-o", tmp_path / "again", *by_key)
    assert ran.status == 2
    assert "this is not the vault's passphrase or key" in ran.err
    assert not (tmp_path / "again").exists()
    ran = incognote("reidentify", tmp_path / "clean", "-o", tmp_path / "again", "--vault", vault)
    assert "this vault opens with a key file: give it with --vault-key-file" in ran.err


def test_a_person_is_asked_twice_for_a_new_vault_and_once_for_an_old_one(
    incognote: Command, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault, asked = tmp_path / "v.vault", []

    def answer(prompt: str) -> str:
        asked.append(prompt)
        return WORDS

    monkeypatch.setattr(getpass, "getpass", answer)
    one = notes / "OKAFOR" / "1.txt"
    assert incognote("deid", one, "-o", tmp_path / "c.txt", "--vault", vault).status == 0
    assert len(asked) == 2
    assert (
        incognote("reidentify", tmp_path / "c.txt", "-o", tmp_path / "b", "--vault", vault).status
        == 0
    )
    assert len(asked) == 3
    assert (tmp_path / "b").read_bytes().decode() == NOTES["OKAFOR/1.txt"]
    monkeypatch.setattr(getpass, "getpass", lambda prompt: prompt)
    ran = incognote("deid", one, "-o", tmp_path / "d.txt", "--vault", tmp_path / "other")
    assert "the two passphrases differ" in ran.err
    assert not (tmp_path / "other").exists()


def test_through_pipes(incognote: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INCOGNOTE_VAULT_PASSPHRASE", WORDS)
    vault = tmp_path / "v.vault"
    note = b"Seen by Dr. Okafor.\r\n"
    clean = incognote("deid", "--vault", vault, "--detector", "rules", stdin=note).out
    assert b"Okafor" not in clean
    assert incognote("reidentify", "--vault", vault, stdin=clean).out == note
    ran = incognote("reidentify", "--vault", vault, stdin=clean + b"!")
    assert (ran.status, ran.out) == (1, b"")
    assert "changed since, or never put into this vault" in ran.err


def test_refusals_in_one_line(
    incognote: Command, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault, file = tmp_path / "v.vault", tmp_path / "words"
    file.write_text("short\n")

    def said(*arguments: object, stdin: bytes | None = None) -> str:
        ran = incognote(*arguments, stdin=stdin)
        assert ran.status == 2
        assert ran.err.count("\n") == 1
        return ran.err

    into = ("deid", notes, "-o", tmp_path / "clean", *DEID)
    by_file = ("--vault", vault, "--vault-passphrase-file", file)
    assert "others may read this passphrase" in said(*into, *by_file)
    file.chmod(0o600)
    assert "at least 8 characters" in said(*into, *by_file)
    assert "choose one of" in said(*into, *by_file, "--vault-key-file", file)
    assert "go with --vault" in said(*into, "--vault-key-file", file)
    assert "keep it apart" in said(*into, "--vault", notes / "v")
    assert "keep it apart" in said(*into, "--vault", tmp_path / "clean" / "v")
    assert "needs a passphrase" in said("deid", "--vault", vault, stdin=b"x")
    monkeypatch.setenv("INCOGNOTE_VAULT_PASSPHRASE", WORDS)
    back = ("reidentify", notes, "-o", tmp_path / "back")
    assert "give the vault with --vault" in said(*back)
    assert "there is no vault here" in said(*back, "--vault", vault)
    vault.write_bytes(b"something else entirely")
    assert "not a vault" in said(*back, "--vault", vault)
    assert not (tmp_path / "back").exists()
    assert not (tmp_path / "clean").exists()


def test_a_changed_note_is_named_by_its_output(
    incognote: Command, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INCOGNOTE_VAULT_PASSPHRASE", WORDS)
    clean, back, vault = tmp_path / "clean", tmp_path / "back", tmp_path / "v.vault"
    assert incognote("deid", notes, "-o", clean, "--vault", vault, *DEID).status == 0
    changed = next(clean.rglob("note-000002.txt"))
    changed.write_text("something else")
    ran = incognote("reidentify", clean, "-o", back, "--vault", vault)
    assert ran.status == 1
    assert "note-000002.txt: changed since, or never put into this vault" in ran.err
    assert "nothing is written" in ran.err
    assert not back.exists()
    ran = incognote("reidentify", clean, "-o", back, "--vault", vault, "--keep-going")
    assert ran.status == 1
    assert contents(back) == {name: text for name, text in NOTES.items() if "2.txt" not in name}
