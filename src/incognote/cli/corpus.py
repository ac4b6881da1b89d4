"""`incognote corpus`: the commands that write annotated notes; `corpus_reports.py` has the others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incognote.base.options import PathText
from incognote.cli.corpus_reports import agree, stats, validate
from incognote.cli.from_dataclass import with_options
from incognote.cli.options import (
    OUTPUT,
    Corpus,
    FormatOption,
    OverwriteFiles,
    PatientFields,
    format_option,
)

if TYPE_CHECKING:
    from incognote.corpus.split import PatientOf, Split
    from incognote.phi import View

PATIENTS = "Patients"

Output = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        help="File or folder to write.",
        rich_help_panel=OUTPUT,
        show_default=False,
    ),
]
To = Annotated[str, format_option("--to", help="The format to write.", rich_help_panel=OUTPUT)]
DropSpans = Annotated[
    bool,
    typer.Option(
        "--drop-spans",
        help="Write the notes without their annotations; formats that hold no spans (text, csv, "
        "parquet) need it.",
        rich_help_panel=OUTPUT,
    ),
]


def split(
    corpus: Corpus,
    *,
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
    format: FormatOption = None,
    fields: PatientFields,
    overwrite: OverwriteFiles = False,
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
    from incognote.corpus.source import CorpusError, RefusedError, Source
    from incognote.corpus.split import Ratio, list_json, write_parts
    from incognote.corpus.split import split as choose

    if output is None and list_ is None:
        raise CorpusError("give -o FOLDER for the parts, or --list FILE for their ids")
    source = Source(corpus, format, fields)
    patient = _patient(patient_pattern, patient_folder, patient_level, fields.patient)
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
    _show_split(result)
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


def _show_split(result: Split) -> None:
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


def convert(
    corpus: Corpus,
    output: Output,
    to: To,
    *,
    map: Annotated[
        str | None,
        typer.Option(
            "--map",
            metavar="SCHEME",
            help="Rename the types of another scheme to ours: i2b2-2006, meddocan, physionet or "
            "presidio. Types without a counterpart are dropped and counted.",
        ),
    ] = None,
    drop_spans: DropSpans = False,
    format: FormatOption = None,
    fields: PatientFields,
    overwrite: OverwriteFiles = False,
) -> int:
    """Write a corpus in another format: the same ids, texts and spans.

    - `incognote corpus convert i2b2/ -o notes.jsonl --to jsonl`
    - `incognote corpus convert meddocan/ -o ours/ --to i2b2 --map meddocan`

    Ids become file names, or fields of a table. If the format cannot hold something, all of it is
    listed and nothing is written. The output is read back and compared before it is kept.
    """
    from incognote.cli import show
    from incognote.corpus.convert import Target
    from incognote.corpus.convert import convert as run
    from incognote.corpus.source import RefusedError, Source, view_named

    source = Source(corpus, format, fields)
    target = Target.of(output, to, drop_spans=drop_spans, overwrite=overwrite)
    try:
        result = run(source, target, view_named(map) if map else None)
    except RefusedError as error:
        return show.refusal(error.failures)
    show.write_result(result, output, to)
    return 0


def merge(
    corpora: Annotated[
        list[str],
        typer.Argument(
            metavar="[NAME=]CORPUS…",
            help="Files or folders of annotated notes, with a name for each.",
        ),
        PathText(labelled=True),
    ],
    output: Output,
    *,
    to: To = "jsonl",
    map: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="NAME=SCHEME",
            help="Rename the types of one corpus to ours, such as NAME=meddocan. Types without a "
            "counterpart are dropped and counted.",
        ),
    ] = None,
    drop_spans: DropSpans = False,
    format: FormatOption = None,
    fields: PatientFields,
    overwrite: OverwriteFiles = False,
) -> int:
    """Merge corpora into one with a single type scheme; each note keeps its source.

    - `incognote corpus merge ours=corpus/ es=meddocan/ -o all.jsonl --map es=meddocan`

    Ids become NAME/id: a folder for each corpus if notes are files. JSONL also has the name in the
    field `source`. The default name is that of the file or folder.
    """
    from incognote.cli import show
    from incognote.corpus.convert import Member, Target
    from incognote.corpus.convert import merge as run
    from incognote.corpus.source import CorpusError, RefusedError, Source

    paths = dict(_name_and_path(argument) for argument in corpora)
    if len(paths) < len(corpora):
        raise CorpusError("two corpora have the same name: write NAME=CORPUS to tell them apart")
    views = _views(map or [], paths)
    members = [
        Member(
            name,
            Source(path, format, fields),
            views.get(name),
        )
        for name, path in paths.items()
    ]
    target = Target.of(output, to, drop_spans=drop_spans, overwrite=overwrite)
    try:
        result = run(members, target)
    except RefusedError as error:
        return show.refusal(error.failures)
    show.write_result(result.output, output, to)
    show.say(show.count_list(result.notes))
    for name, types in result.unmapped_types().items():
        some = f"{', '.join(types[:3])}{' …' if len(types) > 3 else ''}"
        show.say(f"incognote: types of {name} that the others lack ({some}): is --map missing?")
    return 0


def _name_and_path(argument: str) -> tuple[str, Path]:
    from incognote.corpus.source import CorpusError
    from incognote.formats.streams import plain_name

    name, equals, path = argument.partition("=")
    if not equals or Path(argument).exists():
        path = argument
        name = Path(plain_name(Path(argument).resolve())).stem
    if not name or "/" in name or name.startswith("."):
        raise CorpusError(f"{argument}: write NAME=CORPUS, with a name that a folder can have")
    return name, Path(path)


def _views(pairs: list[str], paths: dict[str, Path]) -> dict[str, View]:
    from incognote.corpus.source import CorpusError, view_named

    views = {}
    for pair in pairs:
        name, _, view = pair.partition("=")
        if name not in paths:
            raise CorpusError(
                f"--map {pair}: write NAME=SCHEME; the corpora are {', '.join(paths)}"
            )
        views[name] = view_named(view)
    return views


app = typer.Typer(
    help="Count, split, check, convert, merge and compare annotated notes.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
)
for command in (stats, split, validate, convert, merge, agree):
    app.command(command.__name__)(with_options(command))
