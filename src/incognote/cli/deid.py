"""`incognote deid`: de-identify files, folders, tables, or standard input."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from incognote.cli.options import (
    OUTPUT,
    UNPACK,
    Calibration,
    DetectorOption,
    EncodingName,
    Exclude,
    FormatOption,
    IdField,
    Include,
    KeyFile,
    Known,
    LogFile,
    MaxUnpack,
    MinRecall,
    ModelFolder,
    Paths,
    PatientField,
    Quiet,
    Speed,
    TextField,
    Verbose,
    Workers,
    fields_of,
)
from incognote.cli.surrogate_options import (
    Consistent,
    ForceOrder,
    KeepColumns,
    KeepSeason,
    Order,
    PatientFolder,
    PatientLevel,
    PatientPattern,
    ScanFirst,
    ShiftAges,
    ShiftDays,
    WholeWeeks,
)
from incognote.cli.vault_options import VaultFile, VaultKeyFile, VaultPassphraseFile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from incognote.runs.plan import Plan
    from incognote.runs.settings import Settings


def deid(
    paths: Paths = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="File or folder to write. Without it, one input goes to standard output.",
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
    key_file: KeyFile = None,
    make_key: Annotated[
        bool,
        typer.Option(
            "--make-key", help="Make the key file, readable by you only, if there is none."
        ),
    ] = False,
    text_field: TextField = None,
    known: Known = None,
    speed: Speed = None,
    workers: Workers = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Read everything, say what would be done and what cannot be read; write nothing.",
        ),
    ] = False,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Continue a run that stopped; where none did and nothing is there, begin.",
        ),
    ] = False,
    overwrite: Annotated[
        bool,
        typer.Option(
            "--overwrite", help="Begin anew: all that an earlier run wrote here goes first."
        ),
    ] = False,
    include: Include = None,
    exclude: Exclude = None,
    format: FormatOption = None,
    encoding: EncodingName = None,
    max_unpack: MaxUnpack = UNPACK,
    names: Annotated[
        str | None,
        typer.Option(
            metavar="number|hash|keep",
            help="Names of output files. File names are PHI too, so folders get numbers by default; "
            "the list that leads back is OUT.names.csv. 'hash' needs a key.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    names_from: Annotated[
        Path | None,
        typer.Option(
            "--names-from",
            metavar="LIST",
            help="The OUT.names.csv of an earlier run: its files keep their numbers, new ones get "
            "further ones. --overwrite takes the list that is there.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    with_spans: Annotated[
        bool,
        typer.Option(
            "--with-spans",
            help="Mark each replacement in the output, where its format can: `spans` in JSONL, tags "
            "in i2b2 XML, .ann of brat, [[TYPE|text]] marks. Without it no place is marked. Not for "
            "a release with surrogates: what has no mark there is real.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    audit: Annotated[
        Path | None,
        typer.Option(
            help="Where the audit goes: counts per type and detector, coverage, settings, failures; "
            "no PHI. OUT.audit.json by default.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    id_field: IdField = None,
    patient_field: PatientField = None,
    keep_columns: KeepColumns = None,
    model: ModelFolder = None,
    detector: DetectorOption = None,
    calibration: Calibration = None,
    min_recall: MinRecall = None,
    patient_pattern: PatientPattern = None,
    patient_folder: PatientFolder = False,
    patient_level: PatientLevel = None,
    shift_days: ShiftDays = None,
    whole_weeks: WholeWeeks = True,
    keep_season: KeepSeason = False,
    date_order: Order = "mdy",
    force_date_order: ForceOrder = False,
    shift_ages: ShiftAges = 0,
    consistent: Consistent = "patient",
    scan_first: ScanFirst = False,
    vault: VaultFile = None,
    vault_key_file: VaultKeyFile = None,
    vault_passphrase_file: VaultPassphraseFile = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
    log: LogFile = None,
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
    - `service | incognote deid --format jsonl` answers a JSON line with a JSON line, as they come

    A note that cannot be processed is never written: it is listed, the rest goes on, and the exit
    status is 1.
    """
    from rich.console import Console

    from incognote.base.errors import RunError
    from incognote.base.messages import logging_to
    from incognote.cli.streams import standard_input, standard_output
    from incognote.cli.surrogate_options import surrogates_of
    from incognote.cli.vault_options import opened_vault
    from incognote.runs.live import can_stream
    from incognote.runs.patients import Patients
    from incognote.runs.plan import cautions, plan
    from incognote.runs.secret_files import key_of
    from incognote.runs.settings import Settings

    if names not in (None, "number", "hash", "keep"):
        raise RunError(f"--names {names}: choose number, hash or keep")
    piped = not paths or paths == ["-"]
    settings = Settings(
        replace=replace,
        number=number,
        names=names,  # type: ignore[arg-type]
        format=format or ("text" if piped else None),
        with_spans=with_spans,
        fields=fields_of(text_field, id_field, patient_field, known, encoding, max_unpack),
        key=key_of(key_file, make=make_key and not (vault_key_file and key_file is None)),
        surrogates=surrogates_of(
            shift_days,
            whole_weeks,
            keep_season,
            date_order,
            shift_ages,
            consistent,
            force_date_order,
        )
        if "surrogate" in replace
        else None,
        patients=Patients(patient_pattern or "", patient_folder, patient_level),
        scan_first=scan_first,
        keep_columns=tuple(keep_columns or ()),
        model=model,
        find_by=detector,
        speed=speed,
        calibration=calibration,
        min_recall=min_recall,
        workers=workers or 0,
    )
    shown = Shown(Console(stderr=True), Console(stderr=True, quiet=quiet))
    patterns = (tuple(include or ()), tuple(exclude or ()))
    if dry_run:
        with standard_input(paths) as sources:
            return _rehearse(shown, sources, output, settings, patterns)
    if with_spans and "surrogate" in replace:
        shown.errors.print(
            "incognote: --with-spans shows which values are surrogates, so that a missed identifier "
            "stands out; do not release this output",
            style="yellow",
            soft_wrap=True,
        )
    with logging_to(verbose=verbose, file=log):
        whole = output is not None or vault is not None or scan_first
        if piped and not whole and can_stream(format, settings.fields):
            return _run_live(shown, settings, audit)
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
                names_from=names_from,
                include=patterns[0],
                exclude=patterns[1],
            )
            for caution in cautions(prepared.inputs, settings):
                shown.caution(caution)
            single = "standard input" if piped else sources[0]
            return _run(shown, prepared, single, to_file=output is not None)


def _rehearse(
    shown: Shown,
    sources: Sequence[str],
    output: str | None,
    settings: Settings,
    patterns: tuple[Sequence[str], Sequence[str]],
) -> int:
    """Say what a run would read, and what it could not."""
    from incognote.base.messages import quantity
    from incognote.cli.progress import progress
    from incognote.cli.summary import show_failures
    from incognote.runs.outputs import choose_place
    from incognote.runs.plan import cautions, checked_inputs, rehearse

    settings.check()
    inputs = checked_inputs(sources, settings, *patterns)
    if output is not None:
        choose_place(output, sources, inputs)
    with progress(shown.news, "reading", sum(input.size() for input in inputs)) as advance:
        seen = rehearse(inputs, settings, advance)
    show_failures(shown.errors, seen.failures, lambda index: f"input {index}")
    for caution in cautions(inputs, settings):
        shown.caution(caution)
    for format, files in sorted(seen.files.items()):
        shown.say(f"{format}: {quantity(seen.notes[format], 'note')} in {quantity(files, 'file')}")
    whose = f" of {quantity(len(seen.patients), 'patient')}" if seen.patients else ""
    shown.say(
        f"a dry run: {quantity(seen.notes.total(), 'note')}{whose} with "
        f"{quantity(seen.characters, 'character')} would be de-identified; nothing was written"
    )
    return 1 if seen.failures else 0


class Shown(NamedTuple):
    """Where messages go: what went wrong is always shown, news unless --quiet."""

    errors: Console
    news: Console

    def say(self, line: str) -> None:
        """A sentence that is no error."""
        self.news.print(f"incognote: {line}", markup=False, highlight=False, soft_wrap=True)

    def caution(self, line: str) -> None:
        """A sentence to heed before the output is used; also with --quiet."""
        self.errors.print(
            f"incognote: {line}", style="yellow", markup=False, highlight=False, soft_wrap=True
        )


def _run(shown: Shown, prepared: Plan, single: str, *, to_file: bool) -> int:
    from incognote.cli.progress import progress
    from incognote.cli.summary import patients_missing, show_failures, show_findings

    def name(index: int) -> str:
        """File names are PHI: only what the user typed, or asked to keep, is shown."""
        if prepared.place.single is not None:
            return single
        if prepared.settings.names == "keep":
            return str(prepared.inputs[index - 1].relative)
        return f"input {index}"

    try:
        with progress(shown.news, "de-identifying", prepared.size()) as advance:
            result = prepared.run(advance, shown.say)
    except KeyboardInterrupt:
        kept = "what is finished is kept: continue with --resume"
        shown.say(f"interrupted; {kept if prepared.place.unfinished else 'nothing was written'}")
        return 130
    show_failures(shown.errors, result.failures, name)
    if result.failures and prepared.key_list is not None:
        shown.say(f"which file an input is, {prepared.key_list} tells")
    show_findings(shown.news, result)
    if missing := patients_missing(result):
        shown.caution(missing)
    if to_file:
        _say_where(shown.news, prepared, written=result.files_written > 0)
    return 1 if result.failures else 0


def _run_live(shown: Shown, settings: Settings, audit: Path | None) -> int:
    """A JSON line in, a JSON line out."""
    import json

    from incognote.base.files import write_private
    from incognote.cli.progress import progress
    from incognote.cli.streams import standard_lines, write_at_once
    from incognote.cli.summary import patients_missing, show_failures, show_findings
    from incognote.runs.audit import Failure
    from incognote.runs.live import deid_lines

    def failed(failure: Failure) -> None:
        show_failures(shown.errors, [failure], lambda index: "standard input")

    with progress(shown.news, "de-identifying", 0) as advance:
        result = deid_lines(standard_lines(), settings, write_at_once, failed, advance)
    show_findings(shown.news, result)
    if missing := patients_missing(result):
        shown.caution(missing)
    if audit is not None:
        write_private(audit, (json.dumps(result.to_json(), indent=2) + "\n").encode())
    return 1 if result.failures else 0


def _say_where(console: Console, prepared: Plan, *, written: bool) -> None:
    lines: list[tuple[str, object]] = []
    if prepared.audit.exists():
        lines.append(("audit", prepared.audit))
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
