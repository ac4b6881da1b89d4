"""`incognote corpus validate`: every problem of a corpus, with file and place."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from incognote.cli.corpus.arguments import Corpora, Json, ShowText, source_of
from incognote.cli.options import OUTPUT, FormatOption, IdField, TextField


def validate(
    corpora: Corpora,
    types: Annotated[
        str, typer.Option(metavar="i2b2|meddocan|presidio|any", help="The scheme of types.")
    ] = "i2b2",
    consistency: Annotated[
        bool,
        typer.Option(
            "--consistency", help="Also words marked in one place of a note and not in another."
        ),
    ] = False,
    level: Annotated[
        Literal["error", "warning", "info"],
        typer.Option(help="Show problems of this level and above.", rich_help_panel=OUTPUT),
    ] = "warning",
    json: Json = False,
    show_text: ShowText = False,
    format: FormatOption = None,
    text_field: TextField = None,
    id_field: IdField = None,
) -> int:
    """Check a corpus and list every problem; the exit status is 1 if there are errors.

    - Errors: unreadable files and rows, bad offsets, empty spans, unknown types, overlaps,
      spans and ids that occur twice
    - Warnings: white space at the ends of a span, characters lost in decoding, and with
      --consistency words marked in one place only
    - Info: spans that cut a word, and with --consistency words marked with two types
    """
    from incognote.cli import show
    from incognote.workflows.corpus.checks import LEVELS
    from incognote.workflows.corpus.validate import Validation, all_problems

    validation = Validation(types, consistency=consistency, show_text=show_text)
    sources = [source_of(path, format, text_field, id_field) for path in corpora]
    shown = LEVELS[: LEVELS.index(level) + 1]
    listed = []
    for problem in all_problems(validation, sources):
        if problem.finding.level in shown:
            if json:
                listed.append(problem.to_json())
            else:
                show.line(str(problem))
    counts = {str(each): validation.count(each) for each in LEVELS}
    seen = {"files": validation.files, "notes": validation.notes, "spans": validation.spans}
    if json:
        show.as_json({**seen, "counts": counts, "problems": listed})
    told = (", ".join(f"{count:,} {name}" for name, count in of.items()) for of in (seen, counts))
    show.say(": ".join(told))
    if better := validation.better_scheme():
        show.say(f"the unknown types are all of {better}: --types {better}")
    return 1 if counts["error"] else 0
