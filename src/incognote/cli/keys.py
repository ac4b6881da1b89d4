"""`incognote keys`: the API keys of a service."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from incognote.serve.keys import SCOPES, add_key, read_keys, remove_key

app = typer.Typer(
    add_completion=False,
    rich_markup_mode="markdown",
    no_args_is_help=True,
    help="Add, list and remove the API keys of a service. The file holds hashes only.",
)

KeysFile = Annotated[
    Path, typer.Option("--keys", metavar="FILE", help="File of keys; made if it is not there.")
]
Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the key, such as ward7.")]


@app.command("add")
def add(
    name: Name,
    keys: KeysFile,
    scope: Annotated[
        list[str] | None,
        typer.Option(
            metavar=f"<{'|'.join(SCOPES)}>",
            help="What the key allows: deid (notes in requests, the default), jobs (files), review, "
            "admin (metrics); may be repeated.",
        ),
    ] = None,
    per_minute: Annotated[
        int | None, typer.Option(min=1, help="Requests a minute; any number by default.")
    ] = None,
) -> int:
    """Add a key, and print it: it is kept nowhere, so keep it now."""
    typer.echo(add_key(keys, name, scope or ["deid"], per_minute))
    return 0


@app.command("list")
def list_keys(keys: KeysFile) -> int:
    """List the keys by name."""
    from incognote.cli import show

    rows = [
        [
            key.name,
            ", ".join(scope for scope in SCOPES if key.allows(scope)),
            "any" if key.per_minute is None else f"{key.per_minute:,}",
            key.created,
        ]
        for key in read_keys(keys)
    ]
    show.table(["key", "allows", "a minute", "added"], rows)
    return 0


@app.command("remove")
def remove(name: Name, keys: KeysFile) -> int:
    """Remove a key. A service that runs takes it until it is started anew."""
    remove_key(keys, name)
    return 0
