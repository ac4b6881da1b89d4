"""`incognote corpus split`: parts for training, validation and testing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incognote.cli.corpus.arguments import Corpus, Overwrite, source_of
from incognote.cli.options import (
    OUTPUT,
    EncodingName,
    FormatOption,
    IdField,
    PatientField,
    TextField,
)

if TYPE_CHECKING:
    from incognote.corpus.split import PatientOf, Split

PATIENTS = "Patients"


def split(
    corpus: Corpus,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder for the parts.", rich_help_panel=OUTPUT),
    ] = None,
    list_: Annotated[
        Path | None,
        typer.Option(
            "--list",
            metavar="FILE",
            help="Write the ids of each part to this file, as JSON.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    ratio: Annotated[
        str, typer.Option(help="Share of each part: train:validation:test, or train:test.")
    ] = "50:10:40",
    seed: Annotated[int, typer.Option(help="Another seed gives another split.")] = 0,
    stratify: Annotated[
        bool, typer.Option("--stratify", help="Give each part about the same share of every type.")
    ] = False,
    patient_pattern: Annotated[
        str | None,
        typer.Option(
            "--patient-pattern",
            metavar="REGEX",
            help="Regular expression that finds the patient in a note's id (its file name): its "
            "first group, or else the whole match. For i2b2 2014: '(\\d+)-\\d+'",
            rich_help_panel=PATIENTS,
        ),
    ] = None,
    patient_folder: Annotated[
        bool,
        typer.Option(
            "--patient-folder", help="Each folder is a patient.", rich_help_panel=PATIENTS
        ),
    ] = False,
    patient_level: Annotated[
        int | None,
        typer.Option(
            "--patient-level",
            metavar="N",
            min=1,
            help="With --patient-folder: the folder so many levels below CORPUS names the patient. "
            "p1/2019/a.txt is of p1 with 1; without it, of p1/2019.",
            rich_help_panel=PATIENTS,
        ),
    ] = None,
    patient_field: PatientField = None,
    format: FormatOption = None,
    text_field: TextField = None,
    id_field: IdField = None,
    encoding: EncodingName = None,
    overwrite: Overwrite = False,
) -> int:
    r"""Split a corpus by note, or by patient so that nobody is in two parts.

    - `incognote corpus split notes/ -o parts/ --patient-pattern '(\d+)-\d+'`
    - `incognote corpus split notes.jsonl -o parts/ --patient-field mrn --ratio 80:20`

    Files and rows are copied unchanged. The same notes and seed give the same split, whatever the
    order of files; to split again, remove the old parts first. A corpus with errors is not split:
    all errors are listed.
    """
    from incognote.cli import show
    from incognote.corpus.output import check_file, check_output, staged
    from incognote.corpus.source import CorpusError, RefusedError
    from incognote.corpus.split import Ratio, list_json, write_parts
    from incognote.corpus.split import split as choose

    if output is None and list_ is None:
        raise CorpusError("give -o FOLDER for the parts, or --list FILE for their ids")
    source = source_of(corpus, format, text_field, id_field, patient_field, encoding)
    patient = _patient(patient_pattern, patient_folder, patient_level, patient_field)
    if output is not None:
        check_output(output, [corpus], overwrite=overwrite)
        if output.is_file():
            raise CorpusError(f"{output}: is a file, but the parts need a folder")
    if list_ is not None:
        check_file(list_, [corpus], overwrite=overwrite)
    try:
        result = choose(source, Ratio.parse(ratio), seed=seed, patient=patient, stratify=stratify)
    except RefusedError as error:
        return show.refusal(error.failures)
    if output is not None:
        with staged(output, [corpus], overwrite=overwrite, alone=True, private=True) as folder:
            write_parts(result, folder)
    if list_ is not None:
        with staged(list_, [corpus], overwrite=overwrite, private=True) as file:
            file.write_bytes(list_json(result))
    _show(result)
    return 0


def _patient(
    pattern: str | None, folder: bool, level: int | None, field: str | None
) -> PatientOf | None:
    from incognote.corpus.source import CorpusError
    from incognote.corpus.split import (
        patient_from_field,
        patient_from_folder,
        patient_from_pattern,
    )

    if (pattern is not None) + folder + (field is not None) > 1:
        raise CorpusError("choose one of --patient-pattern, --patient-folder and --patient-field")
    if pattern is not None:
        return patient_from_pattern(pattern)
    if folder:
        return patient_from_folder(level)
    if level is not None:
        raise CorpusError("--patient-level is for --patient-folder")
    return patient_from_field if field is not None else None


def _show(result: Split) -> None:
    from incognote.cli import show

    rows = []
    by_patient = any(unit.patient for unit in result.units)
    for part, name in enumerate(result.ratio.names):
        units = result.units_of(part)
        share = f"{100 * len(units) / len(result.units):.1f}"
        patients = [f"{len({unit.patient for unit in units}):,}"] if by_patient else []
        spans = sum(sum(unit.types.values()) for unit in units)
        rows.append([name, f"{len(units):,}", share, f"{spans:,}", *patients])
    show.table(["", "notes", "%", "spans", *(["patients"] if by_patient else [])], rows)
    for row in rows:
        if row[1] == "0":
            show.say(f"incognote: {row[0]} is empty: too few notes for this ratio")
    if result.without_notes:
        show.say(f"lines or rows without a note, which are in no part: {result.without_notes:,}")
