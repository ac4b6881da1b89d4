"""What the command refuses as too weak a secret, Python refuses too, in the same words."""

from __future__ import annotations

from pathlib import Path

import pytest

from incognote import Deidentifier
from incognote.base.errors import RunError
from incognote.replace import OperatorError, parse_operators
from incognote.replace.operators import SHORTEST_KEY, Hash, WeakSecretError
from incognote.replace.surrogate.dates import DateSurrogates
from incognote.replace.surrogate.operator import Surrogate
from incognote.replace.surrogate.people import PeopleSurrogates
from incognote.replace.vault import Secret, Vault, VaultError
from incognote.runs.secret_files import read_key

WEAK = (b"", b"x", b"fifteen bytes..")
GOOD = b"sixteen bytes..."


@pytest.mark.parametrize("key", WEAK)
@pytest.mark.parametrize("name", ["hash", "surrogate"])
def test_a_short_key_is_refused_wherever_it_is_given(key: bytes, name: str) -> None:
    for refused in (parse_operators, Deidentifier):
        with pytest.raises(OperatorError, match=f"'{name}' needs a"):
            refused(name, key=key)
    with pytest.raises(WeakSecretError, match=f"{len(key)} bytes?, at least {SHORTEST_KEY}"):
        {"hash": Hash, "surrogate": Surrogate}[name](key)


@pytest.mark.parametrize("key", WEAK)
def test_families_of_surrogates_refuse_it_too(key: bytes) -> None:
    with pytest.raises(WeakSecretError):
        PeopleSurrogates(key, "17").replace_all([])
    with pytest.raises(WeakSecretError):
        DateSurrogates(key, "17")


@pytest.mark.parametrize("key", WEAK)
def test_a_vault_takes_no_short_key(key: bytes) -> None:
    for made in (Secret.key_file, lambda value: Secret("key file", value)):
        with pytest.raises(VaultError, match="stronger key"):
            made(key)


def test_a_vault_takes_no_empty_passphrase_and_begins_with_no_short_one(tmp_path: Path) -> None:
    with pytest.raises(VaultError, match="empty"):
        Secret.passphrase("")
    with pytest.raises(VaultError, match="at least 8 characters"):
        Vault(tmp_path / "v.db", Secret.passphrase("1234567"), make=True)
    assert not list(tmp_path.iterdir())


def test_the_command_says_the_same(tmp_path: Path) -> None:
    path = tmp_path / "site.key"
    path.touch(0o600)
    path.write_bytes(b"x\n")
    with pytest.raises(RunError, match=f"the key has 1 byte, at least {SHORTEST_KEY} are needed"):
        read_key(path)


def test_text_is_no_key() -> None:
    with pytest.raises(OperatorError, match="bytes, not text"):
        parse_operators("hash", key="a key of sufficient length")  # type: ignore[arg-type]


def test_sixteen_bytes_are_enough() -> None:
    assert Hash(GOOD)
    assert Surrogate(GOOD)
    assert Secret.key_file(GOOD)
