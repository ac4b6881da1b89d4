"""`incognote reidentify`: the originals of de-identified notes, from a vault."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incognote.base.messages import quantity
from incognote.base.options import PathText
from incognote.cli.options import OUTPUT, FormatOption, NoteFields
from incognote.cli.vault_options import VAULT, VaultKeyFile, VaultPassphraseFile

if TYPE_CHECKING:
    from rich.console import Console

    from incognote.runs.reidentify import Reidentification


def reidentify(
    path: Annotated[
        str | None,
        typer.Argument(
            help="File or folder that `incognote deid --vault` wrote. Standard input if there is "
            "none, or where it is '-'.",
            metavar="OUT",
            show_default=False,
        ),
        PathText(),
    ] = None,
    *,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="ORIGINAL",
            help="File or folder to write. Without it, one file goes to standard output.",
            rich_help_panel=OUTPUT,
        ),
        PathText(),
    ] = None,
    vault: Annotated[
        Path | None,
        typer.Option(
            "--vault",
            metavar="FILE",
            help="The vault that `incognote deid --vault` wrote. Its passphrase comes from "
            "INCOGNOTE_VAULT_PASSPHRASE, or is asked for.",
            rich_help_panel=VAULT,
        ),
    ] = None,
    vault_key_file: VaultKeyFile = None,
    vault_passphrase_file: VaultPassphraseFile = None,
    format: FormatOption = None,
    fields: NoteFields,
    keep_going: Annotated[
        bool,
        typer.Option(
            "--keep-going",
            help="If notes are refused, write the others all the same.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    overwrite: Annotated[
        bool,
        typer.Option(
            "--overwrite", help="Write over files of the same name.", rich_help_panel=OUTPUT
        ),
    ] = False,
) -> int:
    """Restore the originals of de-identified notes from a vault, byte for byte.

    - `incognote deid notes/ -o clean/ --vault notes.vault`
    - `incognote reidentify clean/ -o notes-again/ --vault notes.vault`

    Files get their old names again. Formats and fields need not be given: the vault has those of
    `deid`. If a note was changed or is not in the vault, nothing is written, unless --keep-going
    is given. A changed vault or a wrong key is refused.

    A part of an output can be restored too. So can a table whose rows or other columns were
    edited; it keeps its edited layout. Columns that `deid` dropped are not restored. For Parquet the values are restored, for gzip the content.
    Notes that `deid` could not process are in no output and cannot be restored.
    """
    from rich.console import Console

    from incognote.base.errors import RunError
    from incognote.cli.progress import progress
    from incognote.cli.streams import standard_input, standard_output
    from incognote.cli.vault_options import opened_vault
    from incognote.runs.inputs import list_inputs
    from incognote.runs.reidentify import reidentify as run
    from incognote.runs.vault_notes import ReadOptions

    if vault is None:
        raise RunError("give the vault with --vault (see: incognote reidentify --help)")
    own_fields = fields if fields.text or fields.id else None
    console = Console(stderr=True)
    with (
        standard_input(None if path is None else [path]) as sources,
        standard_output(output, sources) as target,
        opened_vault(
            vault, vault_key_file, vault_passphrase_file, target, sources, make=False
        ) as opened,
    ):
        assert opened is not None
        size = sum(input.size() for input in list_inputs(sources))
        with progress(console, "re-identifying", size) as advance:
            result = run(
                sources[0],
                target,
                opened,
                options=ReadOptions(format, own_fields, fields.encoding),
                keep_going=keep_going,
                overwrite=overwrite,
                advance=advance,
            )
        _show(console, result, to_file=output is not None)
    return 1 if result.failures else 0


def _show(console: Console, result: Reidentification, *, to_file: bool) -> None:
    from incognote.cli.show import show_failures

    def say(line: str) -> None:
        console.print(line, markup=False, highlight=False, soft_wrap=True)

    show_failures(console, result.failures, lambda index: str(result.inputs[index - 1].relative))
    if not result.written:
        say("incognote: nothing is written; --keep-going writes the notes that are not refused")
        return
    other = result.notes - result.exact
    also = f", {other:,} with their text but in another layout" if other else ""
    say(f"{quantity(result.exact, 'note')} re-identified byte for byte{also}.")
    if result.lacking:
        say("Columns that deid dropped (--drop) are in no vault, and are not restored.")
    if result.unnamed:
        say(
            f"{quantity(result.unnamed, 'file')} kept the name of the output: the vault has no other."
        )
    if to_file:
        say(f"  originals (PHI): {result.target}")
