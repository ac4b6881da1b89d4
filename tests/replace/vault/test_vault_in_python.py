"""A vault in Python: what a `Deidentifier` replaces can be had back, as after `incognote deid`."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny_checkpoints import unsure_model
from toy_corpus import toy
from typer.testing import CliRunner
from vaults import KEY, SECRET, open_vault

from incognote import Deidentifier, Document
from incognote.cli.app import app
from incognote.replace.vault import Secret, UnknownNoteError, Vault, VaultError, original

NOTES = (
    "Ms. Ngozi Okafor, MRN: 307-74-18, seen by Dr. Brandt on 3/14/2019.\r\n",
    "Seen by Dr. Obi on 4/2/2018.",
    "The lungs are clear.",
    "",
)


@pytest.mark.parametrize("replace", ["surrogate", "tag", "redact", "mask", "surrogate,DATE=tag"])
def test_what_is_replaced_comes_back(tmp_path: Path, replace: str) -> None:
    with open_vault(tmp_path / "v.db") as vault:
        deid = Deidentifier(replace, key=KEY, detector="rules", vault=vault)
        results = [*map(deid, NOTES[:2]), *deid.pipe(NOTES[2:])]
        assert results[0].text != NOTES[0]
    with open_vault(tmp_path / "v.db", make=False) as vault:
        for note, result in zip(NOTES, results, strict=True):
            again = original(vault, result.text)
            assert again.text == note
            marked = [(span.start, span.end, span.type) for span in result.spans]
            assert [(span.start, span.end, span.type) for span in again.spans] == marked


def test_notes_read_together_are_kept_before_they_are_given(tmp_path: Path) -> None:
    notes = [Document(note.id, note.text) for note in toy(6)]
    with open_vault(tmp_path / "v.db") as vault:
        deid = Deidentifier(model=unsure_model(tmp_path), vault=vault)
        for note, result in zip(notes, deid.pipe(notes), strict=True):
            with open_vault(tmp_path / "v.db", make=False) as other:
                assert original(other, result.output).text == note.text


def test_notes_that_look_alike_are_told_apart_by_id_or_refused(tmp_path: Path) -> None:
    with open_vault(tmp_path / "v.db") as vault:
        deid = Deidentifier("tag", detector="rules", vault=vault)
        one, two = (Document(name, f"Seen by Dr. {name}.") for name in ("Okafor", "Brandt"))
        assert deid(one).text == deid(two).text
        assert original(vault, Document("Okafor", deid(one).text)).text == one.text
        assert original(vault, Document("Brandt", deid(two).text)).text == two.text
        with pytest.raises(UnknownNoteError, match="several notes"):
            original(vault, deid(one).text)


def test_the_same_note_twice_is_kept_once(tmp_path: Path) -> None:
    with open_vault(tmp_path / "v.db") as vault:
        deid = Deidentifier("tag", detector="rules", vault=vault)
        results = list(deid.pipe([NOTES[0]] * 3))
        assert len(vault) == 1
        assert original(vault, results[2].text).text == NOTES[0]


def test_a_changed_note_and_a_wrong_key_are_refused(tmp_path: Path) -> None:
    with open_vault(tmp_path / "v.db") as vault:
        result = Deidentifier("tag", detector="rules", vault=vault)(NOTES[0])
        with pytest.raises(UnknownNoteError, match="changed since"):
            original(vault, result.text + " ")
    with pytest.raises(VaultError, match="not the vault's passphrase or key"):
        Vault(tmp_path / "v.db", Secret.key_file(b"another key of bytes"))


def test_the_command_gives_them_back_too(tmp_path: Path) -> None:
    key = tmp_path / "vault.key"
    key.write_bytes(SECRET.value)
    key.chmod(0o600)
    (tmp_path / "out").mkdir()
    with open_vault(tmp_path / "v.db") as vault:
        deid = Deidentifier("surrogate", key=KEY, detector="rules", vault=vault)
        for number, result in enumerate(deid.pipe(NOTES[:3])):
            (tmp_path / "out" / f"{number}.txt").write_bytes(result.text.encode())
    arguments = ["reidentify", str(tmp_path / "out"), "-o", str(tmp_path / "back"), "--vault"]
    arguments += [str(tmp_path / "v.db"), "--vault-key-file", str(key)]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    for number, note in enumerate(NOTES[:3]):
        assert (tmp_path / "back" / f"{number}.txt").read_bytes() == note.encode()
