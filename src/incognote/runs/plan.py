"""A de-identification from its arguments: list, check, name, run, write the name list and the audit.

`plan` checks all that can be checked before a note is read, `Plan.run` does it, and `rehearse` only reads
(`--dry-run`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath

from incognote.base.errors import RunError
from incognote.base.files import real_path, write_private
from incognote.base.messages import quantity
from incognote.formats import FORMATS, FormatError, detect
from incognote.formats.container import BadRecord, Record
from incognote.formats.streams import extension
from incognote.replace.vault import Vault
from incognote.runs.audit import Audit, Failure, counts_nothing
from incognote.runs.deid import Run
from incognote.runs.inputs import Input, list_inputs
from incognote.runs.journal import outputs_in
from incognote.runs.outputs import (
    Place,
    check_foreign,
    check_free,
    choose_place,
    goes_on,
    name_outputs,
    read_name_list,
    remove_files,
    suffix_of,
    write_name_list,
)
from incognote.runs.patients import folder_of, levels_of
from incognote.runs.settings import Settings
from incognote.runs.stream import Advance, Broken, Opened, events

SUFFIXES = {
    "text": ".txt",
    "inline": ".txt",
    "brat": ".txt",
    "i2b2": ".xml",
    "i2b2-2006": ".xml",
    "physionet": ".text",
    "jsonl": ".jsonl",
    "csv": ".csv",
    "parquet": ".parquet",
}
TABLE_SUFFIXES = (".jsonl", ".ndjson", ".csv", ".tsv", ".parquet")

Say = Callable[[str], None]


@dataclass(frozen=True)
class Plan:
    """What a run will read and write.

    Nothing is written, and nothing removed, before the first notes have been worked on: a model
    that cannot be loaded leaves all as it was.
    """

    inputs: Sequence[Input]
    place: Place
    settings: Settings
    audit: Path
    overwrite: bool = False
    resume: bool = False
    vault: Vault | None = None
    audit_asked: bool = True
    """Whether the user named the audit; else a file of which nothing came leaves none."""
    names_from: Path | None = None

    @property
    def name_list(self) -> Path | None:
        """The list that leads from outputs back to inputs, if names change."""
        if self.place.single is not None or self.settings.names == "keep":
            return None
        return self._list

    @property
    def _list(self) -> Path:
        return self.place.beside(".names.csv")

    def size(self) -> int:
        """Bytes to read, in all passes."""
        passes = 2 if self.settings.scan_first else 1
        return passes * sum(input.size() for input in self.inputs)

    def check(self) -> bool:
        """Refuse what would lose or mix anything; whether the run goes on from an earlier one."""
        going_on = goes_on(self.place, overwrite=self.overwrite, resume=self.resume)
        free = [self.audit, *self._beside_note()]
        if self.name_list is not None:
            free.append(self.name_list)
        replaced = self.overwrite or going_on
        free = [path for path in free if replaced or not counts_nothing(path)]
        check_free(free, self.inputs, overwrite=replaced)
        if going_on and self.name_list is not None and not self.name_list.exists():
            raise RunError(
                f"{self.name_list}: the list of names is gone, and with it which output is whose; "
                "put it back, or start over with --overwrite"
            )
        return going_on

    def _beside_note(self) -> tuple[Path, ...]:
        """What a single output's format puts beside it: `.ann`, `-phi.phrase`."""
        if self.place.single is None:
            return ()
        try:
            kind = detect(self.inputs[0].path, self.settings.format)
        except (FormatError, OSError):
            return ()
        return kind.companions(self.place.target)

    def outputs(self, earlier: Mapping[str, str]) -> dict[int, PurePath]:
        """The name of each output; those of an earlier run (original to output) stay."""
        if self.place.single is not None:
            return {self.inputs[0].index: self.place.single}
        names = self.settings.names or "number"
        return name_outputs(
            self.inputs,
            names,
            key=self.settings.key,
            earlier=earlier if names == "number" else {},
            fallback_suffix=SUFFIXES.get(self.settings.format or "", ""),
        )

    def run(
        self, advance: Advance = lambda notes, size: None, say: Say = lambda line: None
    ) -> Audit:
        """De-identify, and write the audit. `say` is called with what a reader of the output must know."""
        with self.place.lock("deid"):
            going_on = self.check()
            if self.resume and not going_on:
                say("no unfinished run is here: starting from the beginning")
            folder = self.place.single is None
            earlier = read_name_list(self._list) if folder and self._list.exists() else {}
            outputs = self.outputs(self._earlier_names(earlier, going_on))
            if folder and (going_on or self.overwrite):
                earlier_outputs = (*earlier.values(), *outputs_in(self.place.state))
                check_foreign(self.place, (*outputs.values(), *map(PurePath, earlier_outputs)))
            run = Run(
                self.inputs,
                outputs,
                self.place,
                self.settings,
                resume=going_on,
                prepare=lambda: self._prepare(outputs),
                advance=advance,
                say=say,
                vault=self.vault,
            )
            listed = self._list.exists()
            try:
                return run.finish(self._write_audit)
            finally:
                if (
                    folder
                    and not listed
                    and not self.place.unfinished
                    and not run.audit.files_written
                ):
                    self._list.unlink(missing_ok=True)

    def _earlier_names(self, own: Mapping[str, str], going_on: bool) -> Mapping[str, str]:
        """Names that stay: of the run that goes on or is written over, or of a list that is named."""
        if going_on or (self.overwrite and own):
            return own
        return {} if self.names_from is None else read_name_list(self.names_from)

    def _prepare(self, outputs: Mapping[int, PurePath]) -> None:
        """Before the first note is written: remove what is replaced, and write the name list."""
        if self.overwrite and self.place.single is None:
            remove_files(self.place, set())
        self.place.folder.mkdir(parents=True, exist_ok=True)
        if self.name_list is not None:
            write_name_list(self.name_list, self.inputs, outputs)

    def _write_audit(self, audit: Audit) -> None:
        if self.place.single is not None and not audit.files_written and not self.audit_asked:
            return
        write_private(self.audit, (json.dumps(audit.to_json(), indent=2) + "\n").encode())


def plan(
    arguments: Sequence[str],
    output: str | Path,
    settings: Settings,
    *,
    audit: Path | None = None,
    overwrite: bool = False,
    resume: bool = False,
    vault: Vault | None = None,
    names_from: Path | None = None,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
) -> Plan:
    """Check everything that can be checked before the first note is read.

    The audit goes beside the output unless told otherwise. The vault stays the caller's to close.
    `names_from` is the list of an earlier run whose numbers stay.
    """
    settings = replace(settings, vault=None if vault is None else vault.id)
    settings.check()
    inputs = checked_inputs(arguments, settings, include, exclude)
    place = choose_place(output, arguments, inputs)
    if names_from is not None:
        if (settings.names or "number") != "number" or place.single is not None:
            raise RunError(
                "--names-from gives numbers to the files of a folder: use --names number"
            )
        read_name_list(names_from)
    if place.single is not None:
        _check_ending(inputs[0].path, place.single, settings.format)
    audit_asked = audit is not None
    audit = audit or place.beside(".audit.json")
    if real_path(audit) == real_path(place.target):
        raise RunError(f"{audit}: is also the output; choose another name")
    prepared = Plan(
        inputs, place, settings, audit, overwrite, resume, vault, audit_asked, names_from
    )
    with place.lock("deid"):
        prepared.check()
        prepared.outputs({})
    return replace(prepared, settings=settings.settled(inputs))


def _check_ending(source: Path, output: PurePath, format: str | None) -> None:
    """Refuse an output that ends like another format than the notes': it is written in theirs."""
    try:
        kind = detect(source, format)
    except (FormatError, OSError):
        return
    ending = extension(Path(output))
    if ending in kind.extensions:
        return
    if ending in {other for each in FORMATS.values() for other in each.extensions}:
        raise RunError(
            f"{output}: ends in {ending}, but the notes are {kind.name} and stay so: end it in "
            f"{kind.extensions[0]}, or convert them first (incognote corpus convert)"
        )


def checked_inputs(
    arguments: Sequence[str],
    settings: Settings,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
) -> list[Input]:
    """The files to read; refused if there are none, or if dates beside them betray the shift."""
    inputs = list_inputs(arguments, include, exclude)
    if not inputs:
        some = " that --include and --exclude leave" if include or exclude else ""
        raise RunError(f"{', '.join(arguments)}: no files here{some}")
    if settings.fields.no_text:
        from incognote.runs.column_survey import refuse_unsearched_text

        refuse_unsearched_text(inputs, settings.format, settings.fields, settings.keep_columns)
    if settings.moves_dates:
        from incognote.runs.date_columns import refuse_date_columns

        refuse_date_columns(inputs, settings.format, settings.fields, settings.keep_columns)
    return inputs


def policy_cautions(settings: Settings) -> Iterator[str]:
    """The warning that some types are replaced otherwise than the policy says."""
    if settings.policy is not None and settings.replaced_otherwise:
        names = settings.operator_names
        others = ", ".join(f"{type} by {names[type]}" for type in settings.replaced_otherwise)
        yield (
            f"replaced otherwise than the policy {settings.policy.name} says: {others}; what the "
            "policy can claim does not hold for them"
        )


def cautions(inputs: Sequence[Input], settings: Settings) -> Iterator[str]:
    """Warnings where notes may belong to other patients than the user thinks, or leave the policy."""
    yield from policy_cautions(settings)
    patients = settings.patients
    several = len(inputs) > 1 or _is_table(inputs)
    if settings.uses_surrogates and several and not settings.names_patients:
        yield (
            "no patient is named, so each note is its own patient: the notes of one person get "
            "other surrogates and other shifts of dates; see --patient-field, --patient-folder "
            "and --patient-pattern"
        )
    if _is_table(inputs):
        from incognote.runs.column_survey import column_cautions, column_doubts

        fields, keep = settings.fields, settings.keep_columns
        yield from column_cautions(column_doubts(inputs, settings.format, fields, keep))
    levels = levels_of(input.relative for input in inputs) if patients.folder else []
    if len(levels) > 1 and patients.level is None:
        paths = {folder_of(input.relative) for input in inputs} - {None}
        each = ", ".join(f"--patient-level {at} makes {n:,}" for at, n in enumerate(levels, 1))
        yield (
            f"folders lie in folders, and each is taken for a patient: {quantity(len(paths), 'patient')}; "
            f"where one level names the patient, {each}"
        )


def _is_table(inputs: Sequence[Input]) -> bool:
    return any(suffix_of(input.relative).startswith(TABLE_SUFFIXES) for input in inputs)


# Dry run


@dataclass
class Rehearsal:
    """Counts of files and notes by format, and what could not be read."""

    files: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    characters: int = 0
    values: int = 0
    without_patient: int = 0
    patients: set[str] = field(default_factory=set, repr=False)
    failures: list[Failure] = field(default_factory=list)


def rehearse(
    inputs: Sequence[Input], settings: Settings, advance: Advance = lambda notes, size: None
) -> Rehearsal:
    """Open every file and count its notes; none is searched, and nothing is written."""
    counts = Rehearsal()
    file: Opened | None = None
    for event in settings.assign(events(inputs, settings.fields, settings.format)):
        match event:
            case Opened():
                file = event
                counts.files[event.format.name] += 1
            case Record() if file is not None:
                _count(counts, event, file.format.name)
                advance(len(event.notes), sum(len(note.text) for note in event.documents))
            case BadRecord() if file is not None:
                counts.failures.append(
                    Failure(file.input.index, event.error.place, event.error.reason)
                )
            case Broken():
                counts.failures.append(Failure(event.input.index, event.place, event.reason))
    return counts


def _count(counts: Rehearsal, record: Record, format: str) -> None:
    for note in record.documents:
        if note.value_type is not None:
            counts.values += 1
            continue
        counts.notes[format] += 1
        counts.characters += len(note.text)
        if note.patient:
            counts.patients.add(note.patient)
        else:
            counts.without_patient += 1
