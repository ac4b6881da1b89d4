"""`incognote corpus validate`: every problem of a corpus, with file and place."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from incognote.base.messages import quantity
from incognote.cli.corpus.arguments import Corpora, Json, ShowText, source_of
from incognote.cli.options import OUTPUT, EncodingName, FormatOption, IdField, TextField


def validate(
    corpora: Corpora,
    types: Annotated[
        str,
        typer.Option(
            metavar="i2b2|i2b2-2006|meddocan|physionet|presidio|any",
            help="Type scheme that the corpus should follow; any: do not check types.",
        ),
    ] = "i2b2",
    consistency: Annotated[
        bool,
        typer.Option(
            "--consistency",
            help="Also report words that are annotated in one place of a note "
            "and not in another, or with another type.",
        ),
    ] = False,
    level: Annotated[
        Literal["error", "warning", "info"],
        typer.Option(help="Show problems of this level and above.", rich_help_panel=OUTPUT),
    ] = "warning",
    every: Annotated[
        bool,
        typer.Option(
            "--all",
            help="List every problem, not only the first three of each kind.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    json: Json = False,
    show_text: ShowText = False,
    format: FormatOption = None,
    text_field: TextField = None,
    id_field: IdField = None,
    encoding: EncodingName = None,
) -> int:
    """Check the annotations of a corpus; the exit status is 1 if there are errors.

    - Errors: unreadable files and rows, bad offsets, empty spans, unknown types, overlaps,
      spans and ids that occur twice
    - Warnings: white space at the ends of a span, characters lost in decoding, and with
      --consistency words annotated in one place only
    - Info: spans that cut a word, and with --consistency words annotated with two types

    Of each kind the first three are shown and the rest counted; --all and --json list all.
    """
    from incognote.cli import show
    from incognote.corpus.validate import LEVELS, ProblemGroups, Validation, all_problems

    validation = Validation(types, consistency=consistency, show_text=show_text)
    sources = [source_of(path, format, text_field, id_field, encoding=encoding) for path in corpora]
    shown = LEVELS[: LEVELS.index(level) + 1]
    listed = []
    groups = ProblemGroups()
    for problem in all_problems(validation, sources):
        if problem.finding.level not in shown:
            continue
        if json:
            listed.append(problem.to_json())
        elif every:
            show.line(str(problem))
        else:
            groups.add(problem)
    counts = {str(each): validation.count(each) for each in LEVELS}
    seen = {"files": validation.files, "notes": validation.notes, "spans": validation.spans}
    if json:
        show.as_json({**seen, "counts": counts, "problems": listed})
    if advice := validation.advice():
        show.say(advice)
    for group in groups:
        for line in group.lines():
            show.line(line)
    nouns = {"file": validation.files, "note": validation.notes, "span": validation.spans}
    read = ", ".join(quantity(count, noun) for noun, count in nouns.items())
    problems = [quantity(counts[level], level) for level in ("error", "warning")]
    show.say(f"{read}: {', '.join(problems)}, {counts['info']:,} info")
    if groups.shortened:
        show.say("every problem on a line of its own: --all")
    return 1 if counts["error"] else 0
