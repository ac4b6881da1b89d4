"""`incognote site`: what a hospital's own lists and patterns find, and proposals for them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incognote.base.options import Choices, PathText
from incognote.cli.from_dataclass import Only, with_options
from incognote.cli.options import (
    OUTPUT,
    Exclude,
    FormatOption,
    Include,
    Messages,
    NoteFields,
    OverwriteFiles,
    Workers,
)
from incognote.runs.settings import Settings

if TYPE_CHECKING:
    from incognote.corpus.site_check import SiteReport
    from incognote.corpus.site_suggest import Suggestions
    from incognote.document import Document
    from incognote.formats import Fields

Notes = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[NOTES…]", help="Files, folders or glob patterns of notes.", show_default=False
    ),
    PathText(),
]
Show = Annotated[
    bool,
    typer.Option(
        "--show-text",
        help="Show the texts themselves. They may be PHI: without it letters and digits are masked.",
        rich_help_panel=OUTPUT,
    ),
]


def check(
    site: Annotated[Path, typer.Argument(metavar="SITE.toml", help="The site file.")],
    notes: Notes = None,
    *,
    most: Annotated[
        int, typer.Option("--most", min=1, help="Try it on so many notes at most, the first ones.")
    ] = 200,
    json: Annotated[
        bool, typer.Option("--json", help="Print every figure as JSON.", rich_help_panel=OUTPUT)
    ] = False,
    show: Show = False,
    include: Include = None,
    exclude: Exclude = None,
    format: FormatOption = None,
    fields: NoteFields,
    choices: Annotated[Choices[Settings], Only("model", "find_by", "speed")],
    messages: Messages,
) -> int:
    """Check a site file, and show what each of its rows finds in sample notes, and what it costs.

    - `incognote site check site.toml notes/`
    - `incognote site check site.toml`: on the invented notes that come with incognote

    For each list and pattern: how often it finds something, in how many notes, and how much of that
    is found without it too. For each `never`: how many findings it drops. Then what looks wrong: rows
    that find nothing, entries that are ordinary words, patterns that find too much, and entries that
    contradict each other. The exit status is 1 if the file has an error, and 0 if it has warnings.
    """
    from rich.console import Console

    from incognote.cli.progress import progress
    from incognote.cli.show import as_json, say
    from incognote.corpus.site_check import check_site
    from incognote.detect.site import SiteError

    console = Console(stderr=True, quiet=messages.quiet)
    with messages.logging():
        documents = _sample(notes, most, format, fields, (include or [], exclude or []))
        choice = choices.fill().choice
        size = sum(len(document.text) for document in documents)
        try:
            with progress(console, "checking", size) as advance:
                report = check_site(
                    site,
                    documents,
                    lambda own: choice.detector(site=own),
                    show=show,
                    advance=advance,
                )
        except SiteError as error:
            if json:
                as_json({"path": str(site), "errors": [str(error)]})
            say(f"incognote: {error}", "red")
            return 1
    if json:
        as_json(report.to_json(show=show))
    else:
        _show_report(report, show=show, sampled=not notes)
    return 0


def _sample(
    notes: list[str] | None,
    most: int,
    format: str | None,
    fields: Fields,
    patterns: tuple[list[str], list[str]],
) -> list[Document]:
    """The first of the notes, or those that come with the package."""
    from itertools import islice

    from incognote.base.errors import RunError
    from incognote.document import Document
    from incognote.formats import read
    from incognote.runs.inputs import list_inputs
    from incognote.samples import sample_notes

    if not notes:
        return [Document(name, text) for name, text in sample_notes().items()][:most]
    each_note = (
        Document(note.id, note.text)
        for input in list_inputs(notes, *map(tuple, patterns))
        for note in read(input.path, format, fields)
    )
    documents = list(islice(each_note, most))
    if not documents:
        raise RunError(f"{notes[0]}: no notes here")
    return documents


def _show_report(report: SiteReport, *, show: bool, sampled: bool) -> None:
    from incognote.base.messages import quantity
    from incognote.cli.show import say
    from incognote.cli.show import table as print_table

    rows = [
        (
            row.name,
            row.kind,
            ", ".join(row.types) or "all",
            row.mode,
            f"{row.entries:,}" if row.entries else "",
            f"{row.times:,}",
            f"{row.notes:,}",
            "" if row.anyway is None else f"{row.anyway:,}",
            "" if row.drops is None else f"{row.drops:,}",
            *(("; ".join(row.examples),) if show else ()),
        )
        for row in report.rows
    ]
    header = (
        "row",
        "kind",
        "type",
        "mode",
        "entries",
        "finds",
        "in notes",
        "found anyway",
        "drops",
    )
    print_table((*header, *(("such as",) if show else ())), rows)
    for warning in report.warnings:
        say(f"incognote: {report.path}: {warning}", "yellow")
    which = " that come with incognote: give your own" if sampled else ""
    say(
        f"{quantity(len(report.rows), 'row')} tried on {quantity(report.notes, 'note')}{which}; "
        f"{quantity(len(report.warnings), 'warning')}."
    )
    extra = report.extra_time
    if extra is not None:
        without = 1000 * report.seconds_without / report.notes
        say(
            f"read in {report.load_seconds:.2f} s; a note takes {without:.1f} ms without the site "
            f"file, and {extra:+.0%} with it."
        )


def suggest(
    notes: Notes = None,
    *,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="SITE.toml",
            help="Site file to write, and lists beside it, readable by you only; '-' for standard "
            "output. Without it nothing is written.",
            rich_help_panel=OUTPUT,
        ),
        PathText(),
    ] = None,
    table: Annotated[
        list[Path] | None,
        typer.Option(
            "--table",
            metavar="TABLE.csv",
            help="A table of patients or staff. Its columns of names, wards, streets, towns, "
            "employers and numbers become lists and patterns; may be repeated.",
        ),
    ] = None,
    name_field: Annotated[
        list[str] | None,
        typer.Option(
            "--name-field",
            metavar="COLUMN",
            help="A column of people's names, where its own name does not say so; may be repeated.",
        ),
    ] = None,
    least_notes: Annotated[
        int,
        typer.Option("--least-notes", min=1, help="Propose what stands in so many notes or more."),
    ] = 2,
    show: Show = False,
    include: Include = None,
    exclude: Exclude = None,
    format: FormatOption = None,
    fields: NoteFields,
    choices: Annotated[Choices[Settings], Only("model", "find_by", "speed")],
    workers: Workers = None,
    overwrite: OverwriteFiles = False,
    messages: Messages,
) -> int:
    """Propose a site file from a table of patients or staff, and from what notes have in common.

    - `incognote site suggest notes/ --table staff.csv -o site.toml`
    - `incognote site suggest notes/ --show-text`: look, and write nothing

    From notes: capitalised phrases and codes that the detector leaves, that no medical vocabulary
    explains, and that stand where names of wards, people, streets or employers do. They are ranked,
    with the number of notes they are in. A person goes through the file: it is a proposal.
    """
    from rich.console import Console

    from incognote.base.errors import RunError
    from incognote.cli.progress import progress
    from incognote.cli.show import show_failures
    from incognote.corpus.site_suggest import suggest as propose
    from incognote.corpus.site_tables import without_shape
    from incognote.runs.inputs import list_inputs

    tables = table or []
    if not notes and not tables:
        raise RunError("give notes, or a table of patients or staff with --table")
    for each in tables:
        if not each.is_file():
            raise RunError(f"--table {each}: no such file")
    console = Console(stderr=True)
    with messages.logging():
        inputs = list_inputs(notes or [], tuple(include or ()), tuple(exclude or ()))
        settings = choices.fill(format=format, fields=fields, workers=workers or 0)
        news = Console(stderr=True, quiet=messages.quiet)
        with progress(news, "reading", sum(input.size() for input in inputs)) as advance:
            suggestions = propose(
                inputs,
                settings,
                tables=tables,
                name_fields=name_field or (),
                least_notes=least_notes,
                advance=advance,
            )
        show_failures(console, suggestions.failures, lambda index: f"input {index}")
        for each in tables:
            for column in without_shape(each, fields.encoding):
                sentence = f"{each}: column {column}: no common shape found, so no pattern for it"
                news.print(sentence, style="yellow", markup=False, highlight=False)
        if output != "-" and not messages.quiet:
            _show_suggestions(suggestions, show=show)
        sources = [*tables, *(input.path for input in inputs)]
        _write_suggestions(suggestions, output, sources, notes or [], overwrite=overwrite)
    return 1 if suggestions.failures else 0


def _show_suggestions(suggestions: Suggestions, *, show: bool) -> None:
    from incognote.cli.show import table as print_table
    from incognote.corpus.site_suggest import summary_rows
    from incognote.replace.operators import masked

    rows = [
        (
            row.type,
            f"{row.entries:,}",
            f"{row.notes:,}" if row.notes else "",
            row.origin,
            row.example if show or not row.is_text else masked(row.example),
        )
        for row in summary_rows(suggestions)
    ]
    if rows:
        header = ("type", "entries", "notes", "from", "such as" if show else "such as (masked)")
        print_table(header, rows)


def _write_suggestions(
    suggestions: Suggestions,
    output: str | None,
    sources: list[Path],
    notes: list[str],
    *,
    overwrite: bool,
) -> None:
    from incognote.base.messages import quantity
    from incognote.cli.show import line, say
    from incognote.corpus.site_suggest import site_file, write_suggestions

    if output is None:
        return
    if output == "-":
        line(site_file(suggestions, None).rstrip("\n"))
        return
    files = write_suggestions(suggestions, Path(output), sources=sources, overwrite=overwrite)
    lists = f", and {quantity(len(files) - 1, 'list')} beside it" if files[1:] else ""
    say(f"a proposal (PHI: keep it with your notes): {output}{lists}")
    say(f"go through it, then: incognote site check {' '.join([output, *notes])}")


app = typer.Typer(
    help="Propose and check a site file: a hospital's own lists, patterns and exceptions.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
)
for command in (check, suggest):
    app.command(command.__name__)(with_options(command))
