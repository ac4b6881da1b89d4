"""`incognote deid`: de-identify files, folders, tables, or standard input."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import typer

from incognote.base.errors import RunError
from incognote.base.options import Choices, PathText
from incognote.cli.from_dataclass import Only, Without
from incognote.cli.options import (
    OUTPUT,
    Exclude,
    FormatOption,
    Include,
    KeyFile,
    Messages,
    Paths,
    Workers,
)
from incognote.cli.review_options import REVIEW, ReviewKey, opened_review
from incognote.cli.vault_options import VaultFile, VaultKeyFile, VaultPassphraseFile
from incognote.formats.fields import Fields
from incognote.replace.surrogate.date_shift import DateSettings
from incognote.runs.patients import Patients
from incognote.runs.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from incognote.replace.surrogate.settings import SurrogateSettings
    from incognote.runs.decisions import Decisions
    from incognote.runs.plan import Plan

SURROGATES = "Surrogates"
Consistent = Literal["patient", "corpus"]
_RANGE = re.compile(r"(?P<low>-?\d{1,9}):(?P<high>-?\d{1,9})|(?P<most>\d{1,9})")


def deid(
    paths: Paths = None,
    *,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="File or folder to write. Without it, one input goes to standard output.",
        ),
        PathText(),
    ] = None,
    replacement: Annotated[Choices[Settings], Only("replace", "policy", "number")],
    key_file: KeyFile = None,
    make_key: Annotated[
        bool,
        typer.Option(
            "--make-key", help="Make the key file, readable by you only, if there is none."
        ),
    ] = False,
    include: Include = None,
    exclude: Exclude = None,
    format: FormatOption = None,
    fields: Fields,
    choices: Annotated[Choices[Settings], Without("replace", "policy", "number")],
    decisions: Annotated[
        Path | None,
        typer.Option(
            metavar="REVIEW",
            help="Folder of a review (`incognote review`): in notes that people read there, what they "
            "said is no identifier stays, and what they marked is replaced.",
            rich_help_panel=REVIEW,
        ),
    ] = None,
    review_key: ReviewKey = None,
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
    audit: Annotated[
        Path | None,
        typer.Option(
            help="Where the audit goes: counts per type and detector, coverage, settings, failures; "
            "no PHI. OUT.audit.json by default.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    patients: Patients,
    shift_days: Annotated[
        str | None,
        typer.Option(
            "--shift-days",
            metavar="MAX|LOW:HIGH",
            help="How many days a patient's dates may move: 730 is up to two years either way, "
            "30:365 is 30 to 365 days later. By default up to a year either way (five with "
            "--keep-season).",
            rich_help_panel=SURROGATES,
        ),
    ] = None,
    dates: Choices[DateSettings],
    consistent: Annotated[
        Consistent,
        typer.Option(
            "--consistent",
            help="Where the same name, place or number gets the same surrogate: in all notes of a "
            "patient, or in all notes. Dates always move by patient.",
            rich_help_panel=SURROGATES,
        ),
    ] = "patient",
    vault: VaultFile = None,
    vault_key_file: VaultKeyFile = None,
    vault_passphrase_file: VaultPassphraseFile = None,
    messages: Messages,
) -> int:
    """De-identify notes: every identifier found is replaced, everything else stays byte for byte.

    A folder (its tree is kept), a table whose rows know their patient (its other columns are copied
    as they are), one whose columns are replaced too, other ways to replace, a pipe:

    - `incognote deid notes/ -o clean/`
    - `incognote deid notes.csv -o clean.csv --text-field note --known name=PATIENT`
    - `incognote deid notes.csv -o clean.csv --text-field note --column name=PATIENT --drop ssn`
    - `incognote deid notes.jsonl -o clean.jsonl --replace tag,DATE=mask --number`
    - `incognote deid notes/ -o clean/ --replace surrogate --key-file key --make-key --patient-folder`
    - `incognote deid notes/ -o clean/ --policy safe-harbor`
    - `incognote deid notes/ -o clean/ --vault notes.vault`
    - `cat note.txt | incognote deid`
    - `service | incognote deid --format jsonl` answers a JSON line with a JSON line, as they come

    A note that cannot be processed is never written: it is listed, the rest goes on, and the exit
    status is 1.
    """
    from rich.console import Console

    from incognote.cli.streams import standard_input, standard_output
    from incognote.cli.vault_options import opened_vault
    from incognote.runs.live import can_stream
    from incognote.runs.plan import cautions, plan
    from incognote.runs.secret_files import key_of

    piped = not paths or paths == ["-"]
    settings = choices.fill(
        **replacement.values,
        format=format or ("text" if piped else None),
        fields=fields,
        key=key_of(key_file, make=make_key and not (vault_key_file and key_file is None)),
        patients=patients,
        workers=workers or 0,
        decisions=None if decisions is None else _decisions(decisions, review_key),
    )
    if settings.reads_dates:
        settings = replace(settings, surrogates=_surrogates(dates, shift_days, consistent))
    consoles = Consoles(Console(stderr=True), Console(stderr=True, quiet=messages.quiet))
    patterns = (tuple(include or ()), tuple(exclude or ()))
    if dry_run:
        with standard_input(paths) as sources:
            return _dry_run(
                consoles, sources, output, settings, patterns, overwrite=overwrite, resume=resume
            )
    if settings.with_spans and settings.uses_surrogates:
        consoles.errors.print(
            "incognote: --with-spans shows which values are surrogates, so that a missed identifier "
            "stands out; do not release this output",
            style="yellow",
            soft_wrap=True,
        )
    with messages.logging():
        needs_files = output is not None or vault is not None or settings.scan_first
        if piped and not needs_files and can_stream(format, fields):
            return _run_live(consoles, settings, audit)
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
            ) as open_vault,
        ):
            prepared = plan(
                sources,
                target,
                settings,
                audit=audit,
                overwrite=overwrite,
                resume=resume,
                vault=open_vault,
                names_from=names_from,
                include=patterns[0],
                exclude=patterns[1],
            )
            for caution in cautions(prepared.inputs, settings):
                consoles.caution(caution)
            single = "standard input" if piped else sources[0]
            return _run(consoles, prepared, single, to_file=output is not None)


def _decisions(review: Path, key: Path | None) -> Decisions:
    """What people decided in a review."""
    with opened_review(review, key, None) as project:
        from incognote.review.outcome import decisions_of
        from incognote.review.readings import Readings

        return decisions_of(Readings(project))


def _surrogates(
    dates: Choices[DateSettings], shift_days: str | None, consistent: Consistent
) -> SurrogateSettings:
    from incognote.replace.surrogate.settings import SurrogateSettings

    earliest, latest = _range(shift_days)
    try:
        return SurrogateSettings(
            dates.fill(earliest=earliest, latest=latest), consistent=consistent
        )
    except ValueError as error:
        raise RunError(f"--shift-days: {error}") from None


def _range(shift_days: str | None) -> tuple[int | None, int | None]:
    """The fewest and the most days: 730 is from -730 to 730, 30:365 is as it says."""
    if shift_days is None:
        return None, None
    match = _RANGE.fullmatch(shift_days)
    if match is None:
        raise RunError("--shift-days: write the most days, such as 730, or a range: 30:365")
    if match["most"]:
        return -int(match["most"]), int(match["most"])
    return int(match["low"]), int(match["high"])


def _dry_run(
    consoles: Consoles,
    sources: Sequence[str],
    output: str | None,
    settings: Settings,
    patterns: tuple[Sequence[str], Sequence[str]],
    *,
    overwrite: bool,
    resume: bool,
) -> int:
    """Say what a run would read, what it could not, and whether it could write."""
    from incognote.base.messages import quantity
    from incognote.cli.progress import progress
    from incognote.cli.show import show_failures
    from incognote.runs.outputs import choose_place
    from incognote.runs.plan import Plan, cautions, checked_inputs, rehearse

    settings.check()
    inputs = checked_inputs(sources, settings, *patterns)
    if output is not None:
        place = choose_place(output, sources, inputs)
        audit = place.beside(".audit.json")
        Plan(inputs, place, settings, audit, overwrite=overwrite, resume=resume).check()
    with progress(consoles.news, "reading", sum(input.size() for input in inputs)) as advance:
        rehearsal = rehearse(inputs, settings, advance)
    show_failures(consoles.errors, rehearsal.failures, lambda index: f"input {index}")
    for caution in cautions(inputs, settings):
        consoles.caution(caution)
    for format, files in sorted(rehearsal.files.items()):
        consoles.say(
            f"{format}: {quantity(rehearsal.notes[format], 'note')} in {quantity(files, 'file')}"
        )
    whose = f" of {quantity(len(rehearsal.patients), 'patient')}" if rehearsal.patients else ""
    values = f" and {quantity(rehearsal.values, 'value')} of columns" if rehearsal.values else ""
    consoles.say(
        f"a dry run: {quantity(rehearsal.notes.total(), 'note')}{values}{whose} with "
        f"{quantity(rehearsal.characters, 'character')} would be de-identified; nothing was written"
    )
    return 1 if rehearsal.failures else 0


class Consoles(NamedTuple):
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


def _run(consoles: Consoles, prepared: Plan, single: str, *, to_file: bool) -> int:
    from incognote.cli.progress import progress
    from incognote.cli.show import patients_missing, show_failures, show_findings

    def name(index: int) -> str:
        """File names are PHI: only what the user typed, or asked to keep, is shown."""
        if prepared.place.single is not None:
            return single
        if prepared.settings.names == "keep":
            return str(prepared.inputs[index - 1].relative)
        return f"input {index}"

    try:
        with progress(consoles.news, "de-identifying", prepared.size()) as advance:
            result = prepared.run(advance, consoles.say)
    except KeyboardInterrupt:
        rest = "what is finished is kept: continue with --resume"
        consoles.say(f"interrupted; {rest if prepared.place.unfinished else 'nothing was written'}")
        return 130
    show_failures(consoles.errors, result.failures, name)
    if result.failures and prepared.name_list is not None:
        consoles.say(f"which file an input is, {prepared.name_list} tells")
    show_findings(consoles.news, result)
    if missing := patients_missing(result):
        consoles.caution(missing)
    if to_file:
        _say_where(consoles.news, prepared, has_notes=result.files_written > 0)
    return 1 if result.failures else 0


def _run_live(consoles: Consoles, settings: Settings, audit: Path | None) -> int:
    """A JSON line in, a JSON line out."""
    import json

    from incognote.base.files import write_private
    from incognote.cli.progress import progress
    from incognote.cli.show import patients_missing, show_failures, show_findings
    from incognote.cli.streams import standard_lines, write_at_once
    from incognote.runs.audit import Failure
    from incognote.runs.live import deid_lines
    from incognote.runs.plan import policy_cautions

    def failed(failure: Failure) -> None:
        show_failures(consoles.errors, [failure], lambda index: "standard input")

    for caution in policy_cautions(settings):
        consoles.caution(caution)
    with progress(consoles.news, "de-identifying", 0) as advance:
        result = deid_lines(standard_lines(), settings, write_at_once, failed, advance)
    show_findings(consoles.news, result)
    if missing := patients_missing(result):
        consoles.caution(missing)
    if audit is not None:
        write_private(audit, (json.dumps(result.to_json(), indent=2) + "\n").encode())
    return 1 if result.failures else 0


def _say_where(console: Console, prepared: Plan, *, has_notes: bool) -> None:
    lines: list[tuple[str, object]] = []
    if prepared.audit.exists():
        lines.append(("audit", prepared.audit))
    if has_notes:
        what = "table" if prepared.settings.fields.no_text else "notes"
        lines.insert(0, (what, prepared.place.target))
    if prepared.name_list is not None:
        lines.append(("names (PHI: keep it apart)", prepared.name_list))
    if prepared.vault is not None:
        lines.append(("vault (leads back: keep it apart)", prepared.vault.path))
    fields = prepared.settings.fields
    named = (*fields.known, fields.patient, fields.id)
    gone = {*fields.values, *fields.dropped}
    copied = {name: None for name in named if name and name not in gone}
    if copied and has_notes:
        lines.append(("copied as they are (drop them before a release)", ", ".join(copied)))
    for what, value in lines:
        console.print(f"  {what}: {value}", markup=False, highlight=False, soft_wrap=True)
