"""`incognote review`: people read notes, correct what was found, and see what the sample says."""

from __future__ import annotations

import getpass
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from incognote.base.options import Choices, PathText
from incognote.cli.command import given_words
from incognote.cli.errors import installed
from incognote.cli.from_dataclass import Only, with_options
from incognote.cli.options import (
    FIND_AND_REPLACE,
    OUTPUT,
    Exclude,
    FormatOption,
    Include,
    KeyFile,
    Messages,
    Workers,
)
from incognote.cli.review_options import (
    REVIEW,
    Database,
    ReviewKey,
    key_beside,
    opened_review,
)
from incognote.formats.fields import Fields
from incognote.runs.patients import Patients
from incognote.runs.settings import Settings

with installed("a review needs", "review"):
    from incognote.review.desk import Role
    from incognote.review.readings import Readings
    from incognote.review.run import PageOptions
    from incognote.review.sample import SamplePlan

if TYPE_CHECKING:
    from incognote.review.desk import Desk
    from incognote.review.project import Project

Folder = Annotated[
    Path, typer.Argument(metavar="REVIEW", help="Folder of the review, as `review start` made it.")
]
Lead = Annotated[
    str | None,
    typer.Option(
        "--as",
        metavar="NAME",
        help="Your name in the review, whose lead you are; by default your name on this machine.",
        rich_help_panel=REVIEW,
    ),
]
_REPEATED = frozenset({"key_file", *(f"choices_{name}" for name in FIND_AND_REPLACE)})
"""Options of `start` that hold whenever the review is opened."""


def _says_how_to_read(name: str) -> bool:
    """Whether an option of `start` says which notes are read, and how."""
    return name in ("include", "exclude", "format") or name.startswith(("fields_", "patients_"))


Finding = Annotated[Choices[Settings], Only(*FIND_AND_REPLACE)]


def _settings(
    choices: Choices[Settings],
    key_file: Path | None,
    format: str | None = None,
    fields: Fields | None = None,
    patients: Patients | None = None,
    workers: int | None = None,
) -> Settings:
    from incognote.replace.surrogate.settings import SurrogateSettings
    from incognote.runs.secret_files import key_of

    return choices.fill(
        key=key_of(key_file),
        format=format,
        fields=fields or Fields(),
        patients=patients or Patients(),
        surrogates=SurrogateSettings(),
        workers=workers or 0,
    )


def start(
    paths: Annotated[
        list[str],
        typer.Argument(metavar="PATH…", help="Files, folders or glob patterns of notes."),
        PathText(),
    ],
    *,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="REVIEW",
            help="Folder of the review, made new. It holds PHI, encrypted.",
            rich_help_panel=OUTPUT,
            show_default=False,
        ),
    ],
    plan: SamplePlan,
    choices: Finding,
    key_file: KeyFile = None,
    include: Include = None,
    exclude: Exclude = None,
    format: FormatOption = None,
    fields: Fields,
    patients: Patients,
    workers: Workers = None,
    review_key: ReviewKey = None,
    database: Database = None,
    lead: Lead = None,
    page: PageOptions,
    no_page: Annotated[
        bool, typer.Option("--no-page", help="Only make the review; open it later.")
    ] = False,
    messages: Messages,
) -> int:
    """Begin a review: detect, rank, draw the sample, and open the page.

    - `incognote review start notes/ -o review/`: a sample of 200 notes
    - `incognote review start notes.csv --text-field note --patient-field mrn -o review/ --risk 0.01`
    - `incognote review start notes/ -o review/ --all --double 0.2 --policy safe-harbor`

    The sample is drawn at random, so that what people find in it can be said of all notes; within it
    the notes with the most expected misses come first. Every action is saved at once.
    """
    from rich.console import Console

    from incognote.cli.progress import progress
    from incognote.cli.show import show_failures
    from incognote.review.start import start_review
    from incognote.runs.inputs import list_inputs
    from incognote.runs.secret_files import make_key, read_key

    settings = _settings(choices, key_file, format, fields, patients, workers)
    inputs = list_inputs(paths, include or (), exclude or ())
    key = review_key or key_beside(output)
    make_key(key)
    news = Console(stderr=True, quiet=messages.quiet)
    size = sum(each.size() for each in inputs)
    with progress(news, "reading", size) as advance:
        begun = start_review(
            inputs,
            settings,
            plan,
            output,
            read_key(key),
            database=database,
            paths=[str(Path(path).absolute()) for path in paths],
            options=given_words(lambda name: name in _REPEATED),
            reading=given_words(_says_how_to_read),
            advance=advance,
        )
    show_failures(Console(stderr=True), begun.failures, lambda index: f"input {index}")
    news.print(
        f"incognote: {begun.notes:,} notes, {begun.sample:,} of them in the sample; the key is {key}",
        highlight=False,
        soft_wrap=True,
    )
    try:
        if no_page:
            return 1 if begun.failures else 0
        return _serve(begun.project, settings, page, lead)
    finally:
        begun.project.close()


def open_(
    review: Folder,
    *,
    review_key: ReviewKey = None,
    database: Database = None,
    lead: Lead = None,
    page: PageOptions,
) -> int:
    """Go on with a review: open the page of one that was begun.

    - `incognote review open review/`
    - `incognote review open review/ --host 0.0.0.0 --certificate cert.pem --private-key key.pem`
    """
    with opened_review(review, review_key, database) as project:
        return _serve(project, _repeated(project.described["options"]), page, lead)


def invite(
    review: Folder,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the reviewer.")],
    *,
    role: Annotated[
        Role,
        typer.Option(
            help="reviewer reads notes; adjudicator also decides where two readers differ; lead also sees "
            "who reads what.",
        ),
    ] = "reviewer",
    address: Annotated[
        str, typer.Option(metavar="URL", help="Where the page is, for the link.")
    ] = "http://127.0.0.1:8010",
    remove: Annotated[
        bool, typer.Option("--remove", help="Let this reviewer in no more; what they did stays.")
    ] = False,
    review_key: ReviewKey = None,
    database: Database = None,
) -> int:
    """Let somebody take part: prints the link that lets them in. Whoever has it is that reviewer.

    - `incognote review invite review/ anna --role adjudicator --address https://review.example.org`
    """
    from incognote.review import reviewers

    with opened_review(review, review_key, database) as project:
        if remove:
            reviewers.dismiss(project.store, name)
        else:
            secret = reviewers.invite(project.store, name, role)
            typer.echo(f"{address.rstrip('/')}/#{secret}")
    return 0


def status(
    review: Folder,
    *,
    review_key: ReviewKey = None,
    database: Database = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON.", rich_help_panel=OUTPUT)
    ] = False,
) -> int:
    """Say how far a review is, and what its sample says of all notes."""
    from incognote.cli import show

    with opened_review(review, review_key, database) as project:
        told = Readings(project).statistics()
    if as_json:
        show.as_json(told.to_json())
        return 0
    recall, leaked = told.recall, told.leaked_notes
    rows = [
        ["notes", f"{told.notes:,}", ""],
        ["of the sample, read", f"{told.read:,} of {told.sample:,}", ""],
        ["identifiers in them", f"{told.identifiers:,}", ""],
        ["missed by detection", f"{told.missed:,}", ""],
        ["marked without reason", f"{told.removed:,}", ""],
        ["recall", *_shares(recall.value, recall.low, recall.high)],
        ["notes with a miss", *_shares(leaked.value, leaked.low, leaked.high)],
    ]
    show.table(["", "", f"{told.confidence:.0%} interval"], rows)
    if told.notes_lacking:
        show.say(
            f"incognote: {told.notes_lacking:,} more notes without a miss would show that at most "
            f"{told.risk:.2%} of a note's identifiers leak"
        )
    return 0


def log(
    review: Folder,
    *,
    of: Annotated[
        Literal["actions", "access"],
        typer.Option(help="What reviewers did to marks, or who saw which note when."),
    ] = "actions",
    review_key: ReviewKey = None,
    database: Database = None,
) -> int:
    """Print the log of a review as JSON lines: notes by number, places and types, no words."""
    with opened_review(review, review_key, database) as project:
        for row in project.store.accesses() if of == "access" else _actions(project):
            typer.echo(json.dumps(row))
    return 0


def export(
    review: Folder,
    *,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="CORPUS",
            help="File or folder to write. It holds PHI in the clear, readable by you only.",
            rich_help_panel=OUTPUT,
            show_default=False,
        ),
    ],
    to: Annotated[
        str, typer.Option("--to", metavar="FORMAT", help="inline, brat, i2b2 or jsonl.")
    ] = "jsonl",
    review_key: ReviewKey = None,
    database: Database = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the output.")] = False,
) -> int:
    """Write the notes that were read to the end, with their identifiers marked, as a corpus.

    - `incognote review export review/ -o reviewed.jsonl`
    - `incognote calibrate reviewed.jsonl -o site.json`, `incognote train reviewed.jsonl …`,
      `incognote site suggest …` read it
    """
    from incognote.corpus.convert import Target, write_corpus
    from incognote.review.outcome import reviewed_notes

    with opened_review(review, review_key, database) as project:
        written = write_corpus(
            lambda failures, dropped: reviewed_notes(Readings(project)),
            [review],
            Target.of(output, to, overwrite=overwrite),
        )
    typer.echo(f"{written.notes:,} notes: {output}")
    return 0


def _actions(project: Project) -> Iterator[dict[str, Any]]:
    names = {each.reviewer: each.name for each in project.store.reviewers()}
    fingerprints = {note: name for name, note in project.store.fingerprints().items()}
    for each in project.store.log():
        yield {
            "at": each.at,
            "reviewer": names[each.reviewer],
            "note": each.note,
            "fingerprint": fingerprints[each.note],
            "reading": each.number,
            "version": each.version,
            "do": each.action.kind,
            "changes": each.action.to_json(),
        }


def _shares(value: float | None, low: float | None, high: float | None) -> list[str]:
    if value is None or low is None or high is None:
        return ["nothing read yet", ""]
    return [f"{value:.2%}", f"{low:.2%}–{high:.2%}"]


def _desk(project: Project, settings: Settings) -> Desk:
    """What replaces needs no model: what was detected is in the review."""
    from incognote.pipeline import Deidentifier
    from incognote.review.desk import Desk

    return Desk(project, Deidentifier(settings.operators(), detector="rules", types=settings.types))


def _serve(project: Project, settings: Settings, page: PageOptions, lead: str | None) -> int:
    from incognote.review.run import serve_review

    return serve_review(_desk(project, settings), page, lead or getpass.getuser())


def _repeated(words: list[str]) -> Settings:
    """The settings that a review was begun with."""
    from typer.main import get_command

    found: list[Settings] = []

    def choose(choices: Finding, key_file: KeyFile = None) -> int:
        found.append(_settings(choices, key_file))
        return 0

    parser = typer.Typer(add_completion=False)
    parser.command("review")(with_options(choose))
    get_command(parser).main(words, standalone_mode=False)
    return found[0]


app = typer.Typer(
    add_completion=False,
    rich_markup_mode="markdown",
    no_args_is_help=True,
    help="Let people read notes on a page of their own, correct what was found, and see what the sample "
    "says of all notes.",
)
for name, command in (
    ("start", start),
    ("open", open_),
    ("invite", invite),
    ("status", status),
    ("log", log),
    ("export", export),
):
    app.command(name)(with_options(command))
