"""The options of a vault, and opening it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from incognote.replace.vault import Vault

VAULT = "Vault"

VaultFile = Annotated[
    Path | None,
    typer.Option(
        "--vault",
        metavar="FILE",
        help="Keep the originals in this encrypted file, so that `incognote reidentify` can "
        "restore them. It is created if there is none; further runs add to it. It opens with a "
        "key file or a passphrase, which comes from a file, from INCOGNOTE_VAULT_PASSPHRASE, or "
        "is asked for.",
        rich_help_panel=VAULT,
    ),
]
VaultKeyFile = Annotated[
    Path | None,
    typer.Option(
        "--vault-key-file",
        metavar="FILE",
        help="File with the vault's key (16 bytes or more, readable by you only), instead of a "
        "passphrase.",
        rich_help_panel=VAULT,
    ),
]
VaultPassphraseFile = Annotated[
    Path | None,
    typer.Option(
        "--vault-passphrase-file",
        metavar="FILE",
        help="File with the vault's passphrase, readable by you only.",
        rich_help_panel=VAULT,
    ),
]


@contextmanager
def opened_vault(
    path: Path | None,
    key_file: Path | None,
    passphrase_file: Path | None,
    target: str,
    sources: Sequence[str],
    *,
    make: bool,
    make_key: bool = False,
) -> Iterator[Vault | None]:
    """The vault, if one is asked for; closed when the run is over."""
    from incognote.base.errors import RunError
    from incognote.replace.vault import Vault, VaultError
    from incognote.runs.secret_files import secret_of
    from incognote.runs.vault_notes import check_vault

    if path is None:
        if key_file is not None or passphrase_file is not None:
            raise RunError("--vault-key-file and --vault-passphrase-file go with --vault")
        yield None
        return
    check_vault(path, target, sources)
    if not make and not path.is_file():
        raise VaultError(f"{path}: there is no vault here")
    secret = secret_of(
        path,
        key_file=key_file,
        passphrase_file=passphrase_file,
        make_key=make_key,
        ask=_ask if sys.stdin.isatty() else None,
    )
    with closing(Vault(path, secret, make=make)) as vault:
        yield vault


def _ask(new: bool) -> str:
    from getpass import getpass

    from incognote.base.errors import RunError

    words = getpass("Passphrase for the new vault: " if new else "Passphrase of the vault: ")
    if new and getpass("Once more: ") != words:
        raise RunError("the two passphrases differ")
    return words
