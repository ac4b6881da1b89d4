"""`incognote deid`: de-identify files, folders, tables, or standard input."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incognote.cli.options import (
    OUTPUT,
    Calibration,
    DetectorOption,
    FormatOption,
    IdField,
    KeyFile,
    Known,
    MinRecall,
    ModelFolder,
    Paths,
    PatientField,
    Speed,
    TextField,
    Workers,
    fields_of,
)
from incognote.cli.surrogate_options import (
    Consistent,
    KeepSeason,
    Order,
    PatientFolder,
    PatientPattern,
    ScanFirst,
    ShiftAges,
    ShiftDays,
    WholeWeeks,
)
from incognote.cli.vault_options import VaultFile, VaultKeyFile, VaultPassphraseFile

if TYPE_CHECKING:
    from rich.console import Console

    from incognote.workflows.run.files import Plan


def deid(
    paths: Paths = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="File or folder to write. Without it, one input goes to standard output.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    replace: Annotated[
        str,
        typer.Option(
            help="tag ([PATIENT]), redact (nothing), mask (Xxxx 00), hash ([PATIENT-5b1f…]), "
            "surrogate (realistic fakes) or keep; others for some types or categories: "
            "tag,DATE=mask,CONTACT=redact. 'hash' and 'surrogate' need a key."
        ),
    ] = "tag",
    number: Annotated[
        bool,
        typer.Option("--number", help="Number tags per distinct person or value in a note."),
    ] = False,
    names: Annotated[
        str | None,
        typer.Option(
            metavar="number|hash|keep",
            help="Names of output files. File names are PHI too, so folders get numbers by default; "
            "the list that leads back is OUT.names.csv. 'hash' needs a key.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    format: FormatOption = None,
    text_field: TextField = None,
    id_field: IdField = None,
    patient_field: PatientField = None,
    known: Known = None,
    model: ModelFolder = None,
    detector: DetectorOption = None,
    speed: Speed = None,
    calibration: Calibration = None,
    min_recall: MinRecall = None,
    key_file: KeyFile = None,
    make_key: Annotated[
        bool,
        typer.Option(
            "--make-key", help="Make the key file, readable by you only, if there is none."
        ),
    ] = False,
    patient_pattern: PatientPattern = None,
    patient_folder: PatientFolder = False,
    shift_days: ShiftDays = None,
    whole_weeks: WholeWeeks = True,
    keep_season: KeepSeason = False,
    date_order: Order = "mdy",
    shift_ages: ShiftAges = 0,
    consistent: Consistent = "patient",
    scan_first: ScanFirst = False,
    vault: VaultFile = None,
    vault_key_file: VaultKeyFile = None,
    vault_passphrase_file: VaultPassphraseFile = None,
    workers: Workers = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Continue a run that stopped.", rich_help_panel=OUTPUT),
    ] = False,
    overwrite: Annotated[
        bool,
        typer.Option("--overwrite", help="Write over earlier outputs.", rich_help_panel=OUTPUT),
    ] = False,
    audit: Annotated[
        Path | None,
        typer.Option(
            help="Where the audit goes: counts per type and detector, coverage, settings, failures; "
            "no PHI. OUT.audit.json by default.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
) -> int:
    """De-identify notes: every identifier found is replaced, everything else stays byte for byte.

    A folder (its tree is kept), a table whose rows know their patient (its other columns are copied
    as they are), other ways to replace, a pipe:

    - `incognote deid notes/ -o clean/`
    - `incognote deid notes.csv -o clean.csv --text-field note --known name=PATIENT`
    - `incognote deid notes.jsonl -o clean.jsonl --replace tag,DATE=mask --number`
    - `incognote deid notes/ -o clean/ --replace surrogate --key-file key --make-key --patient-folder`
    - `incognote deid notes/ -o clean/ --vault notes.vault`
    - `cat note.txt | incognote deid`

    A note that cannot be processed is never written: it is listed, the rest goes on, and the exit
    status is 1.
    """
    from rich.console import Console

    from incognote.cli.streams import standard_input, standard_output
    from incognote.cli.surrogate_options import surrogates_of
    from incognote.cli.vault_options import opened_vault
    from incognote.workflows.run.files import plan
    from incognote.workflows.run.inputs import RunError
    from incognote.workflows.run.key import key_of
    from incognote.workflows.run.patients import Patients
    from incognote.workflows.run.settings import Settings

    if names not in (None, "number", "hash", "keep"):
        raise RunError(f"--names {names}: choose number, hash or keep")
    piped = not paths or paths == ["-"]
    settings = Settings(
        replace=replace,
        number=number,
        names=names,  # type: ignore[arg-type]
        format=format or ("text" if piped else None),
        fields=fields_of(text_field, id_field, patient_field, known),
        key=key_of(key_file, make=make_key and not (vault_key_file and key_file is None)),
        surrogates=surrogates_of(
            shift_days, whole_weeks, keep_season, date_order, shift_ages, consistent
        )
        if "surrogate" in replace
        else None,
        patients=Patients(patient_pattern or "", patient_folder),
        scan_first=scan_first,
        model=model,
        find_by=detector,
        speed=speed,
        calibration=calibration,
        min_recall=min_recall,
        workers=workers or 0,
    )
    console = Console(stderr=True)
    with (
        standard_input(paths) as sources,
        standard_output(output, sources) as target,
        opened_vault(
            vault,
            vault_key_file,
            vault_passphrase_file,
            target,
            sources,
            make=True,
            make_key=make_key,
        ) as opened,
    ):
        prepared = plan(
            sources,
            target,
            settings,
            audit=audit,
            overwrite=overwrite,
            resume=resume,
            vault=opened,
        )
        single = "standard input" if piped else sources[0]
        return _run(console, prepared, single, to_file=output is not None)


def _run(console: Console, prepared: Plan, single: str, *, to_file: bool) -> int:
    from incognote.cli.progress import progress
    from incognote.cli.summary import show_failures, show_findings

    def name(index: int) -> str:
        """File names are PHI: only what the user typed, or asked to keep, is shown."""
        if prepared.place.single is not None:
            return single
        if prepared.settings.names == "keep":
            return str(prepared.inputs[index - 1].relative)
        return f"input {index}"

    try:
        with progress(console, "de-identifying", prepared.size()) as advance:
            result = prepared.run(advance)
    except KeyboardInterrupt:
        kept = "; what is finished is kept: continue with --resume" if to_file else ""
        console.print(f"incognote: interrupted{kept}", soft_wrap=True)
        return 130
    show_failures(console, result.failures, name)
    if result.failures and prepared.key_list is not None:
        console.print(f"incognote: which file an input is, {prepared.key_list} tells", markup=False)
    show_findings(console, result)
    if to_file:
        _say_where(console, prepared, written=result.files_written > 0)
    return 1 if result.failures else 0


def _say_where(console: Console, prepared: Plan, *, written: bool) -> None:
    lines: list[tuple[str, object]] = [("audit", prepared.audit)]
    if written:
        lines.insert(0, ("notes", prepared.place.target))
    if prepared.key_list is not None:
        lines.append(("names (PHI: keep it apart)", prepared.key_list))
    if prepared.vault is not None:
        lines.append(("vault (leads back: keep it apart)", prepared.vault.path))
    fields = prepared.settings.fields
    copied = {name: None for name in (*fields.known, fields.patient, fields.id) if name}
    if copied and written:
        lines.append(("copied as they are (drop them before a release)", ", ".join(copied)))
    for what, told in lines:
        console.print(f"  {what}: {told}", markup=False, highlight=False, soft_wrap=True)
