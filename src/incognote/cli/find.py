"""`incognote find`: the places of identifiers, without their text."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from incognote.base.options import Choices
from incognote.cli.from_dataclass import Only, Without
from incognote.cli.options import Exclude, FormatOption, Include, Messages, Paths, Workers
from incognote.formats.fields import Fields
from incognote.runs.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from rich.console import Console

    from incognote.corpus.convert import Target
    from incognote.runs.audit import Failure
    from incognote.runs.explain import ExplainOptions
    from incognote.runs.find import Offsets
    from incognote.runs.inputs import Input
    from incognote.runs.stream import Advance, Event


def find(
    paths: Paths = None,
    *,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="JSONL file to write; standard output without it."),
    ] = None,
    mark_as: Annotated[
        Literal["inline", "brat", "i2b2", "jsonl", "text"] | None,
        typer.Option(
            "--as",
            help="Write the notes with what was found marked in them, for people to correct. -o "
            "is then a folder, or a file for jsonl. The output is PHI, and readable by you only. "
            "With --explain: text, a table for people.",
        ),
    ] = None,
    offsets: Annotated[
        Literal["codepoints", "utf8", "utf16"],
        typer.Option(help="What start and end count: code points, UTF-8 bytes or UTF-16 units."),
    ] = "codepoints",
    include: Include = None,
    exclude: Exclude = None,
    format: FormatOption = None,
    fields: Annotated[Fields, Without("shift", "column", "drop", "columns")],
    choices: Annotated[
        Choices[Settings],
        Only("model", "find_by", "with_detectors", "speed", "calibration", "min_recall", "site"),
    ],
    sample_review: Annotated[
        int | None,
        typer.Option(
            "--sample-review",
            metavar="N",
            min=1,
            help="Write, instead of spans, the N notes that are most worth a review, and why. "
            "Needs a model.",
        ),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            help="Say why: which rule, known value, model or other mention decided each span, what "
            "was dropped, and how likely the model held the words that were left. A table on a "
            "terminal, JSON lines elsewhere.",
        ),
    ] = False,
    with_text: Annotated[
        bool,
        typer.Option(
            "--with-text", help="With --explain: show the text too. The output is PHI then."
        ),
    ] = False,
    left_from: Annotated[
        float | None,
        typer.Option(
            "--left-from",
            metavar="P",
            help="With --explain: list words that were left from this confidence on, 0.001 to 1.",
            show_default="0.01",
        ),
    ] = None,
    workers: Workers = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the output.")] = False,
    messages: Messages,
) -> int:
    """Find identifiers and write where they are: a JSON line per note, with no text in it.

    JSON lines on standard input (`--format jsonl`) are answered one by one, as they come.

    One line looks like this:

        {"id": "a/note-1", "spans": [{"start": 12, "end": 18, "type": "DOCTOR", …}]}

    Ids are the notes' own (a file's place in the folder, a table's id field), so that `score` can
    match them with a gold corpus: they may be PHI.

    `--as inline -o marked/` marks them in the notes instead, as `[[DOCTOR|Ito]]`, so that a person
    need only correct; `score corrected/ marked/` then tells what was changed.

    `--sample-review 20` lists the 20 notes in which most identifiers are expected to have been
    missed, by the model's probabilities for words that were not marked, and where these words are:

        {"rank": 1, "id": "a/note-7", "expected_missed": 1.3, "places": 9, "highest": 0.6,
         "type": "CITY", "doubtful": [{"start": 40, "end": 46, "type": "CITY", "score": 0.6}, …]}

    `--explain` adds `why` to each span, and to the line what was `dropped` and which words were
    `left`, with the model's confidence. On a terminal, or with `--as text`, it is a table.
    """
    from rich.console import Console

    from incognote.cli.progress import progress
    from incognote.cli.show import show_failures
    from incognote.cli.streams import spans_to, standard_input, standard_lines
    from incognote.runs.audit import Failure
    from incognote.runs.inputs import list_inputs
    from incognote.runs.live import STANDARD_INPUT, can_stream, line_events

    piped = not paths or paths == ["-"]
    patterns = (tuple(include or ()), tuple(exclude or ()))
    settings = choices.fill(
        format=format or ("text" if piped else None), fields=fields, workers=workers or 0
    )
    console, news = Console(stderr=True), Console(stderr=True, quiet=messages.quiet)
    failures: list[Failure] = []
    options = _explain_options(explain, with_text, left_from, offsets, mark_as, sample_review)
    if mark_as is not None and mark_as != "text":
        target = _mark_target(output, mark_as, overwrite, offsets, sample_review)
        return _premark(console, paths, settings, target, patterns)
    for_people = mark_as == "text" or (output is None and sys.stdout.isatty())
    live = piped and sample_review is None and can_stream(format, fields)
    with (
        messages.logging(),
        standard_input(paths, whole=not live) as sources,
        spans_to(output, "find", overwrite=overwrite) as write,
    ):
        inputs = [STANDARD_INPUT] if live else list_inputs(sources, *patterns)
        size = sum(input.size() for input in inputs)
        with progress(news, "finding", size) as advance:
            lines = line_events(standard_lines(), fields) if live else None
            if with_text:
                news.print("the output shows text of the notes: it is PHI", style="yellow")
            if options is not None:
                from incognote.cli.explanations import explanations

                rows = explanations(
                    inputs, settings, options, for_people, advance=advance, live=lines
                )
            else:
                rows = _spans(inputs, settings, sample_review, offsets, advance, lines)
            for row in rows:
                if isinstance(row, Failure):
                    failures.append(row)
                else:
                    write(row)
    single = "standard input" if piped else sources[0]
    show_failures(console, failures, lambda index: single if len(inputs) == 1 else f"input {index}")
    return 1 if failures else 0


def _spans(
    inputs: Sequence[Input],
    settings: Settings,
    sample_review: int | None,
    offsets: Offsets,
    advance: Advance,
    lines: Generator[Event] | None,
) -> Iterator[str | Failure]:
    """The lines to write: of every note, or of those that are most worth a review."""
    from incognote.corpus.review_order import review_order
    from incognote.runs.find import find_files

    if sample_review is None:
        return find_files(inputs, settings, offsets=offsets, advance=advance, live=lines)
    return review_order(inputs, settings, sample_review, offsets=offsets, advance=advance)


def _explain_options(
    explain: bool,
    with_text: bool,
    left_from: float | None,
    offsets: Offsets,
    mark_as: str | None,
    sample_review: int | None,
) -> ExplainOptions | None:
    """How notes are to be explained, if they are."""
    from incognote.base.errors import RunError
    from incognote.runs.explain import ExplainOptions

    if not explain:
        if with_text or left_from is not None or mark_as == "text":
            raise RunError("--with-text, --left-from and --as text are for --explain: add it")
        return None
    if sample_review is not None or mark_as not in (None, "text"):
        raise RunError("--explain is for spans: leave out --sample-review, or --as but text")
    if mark_as == "text" and offsets != "codepoints":
        raise RunError("--as text counts code points: leave out --offsets")
    return ExplainOptions(left_from, with_text, offsets)


def _mark_target(
    output: Path | None, mark_as: str, overwrite: bool, offsets: Offsets, sample_review: int | None
) -> Target:
    """Where notes with marks go."""
    from incognote.base.errors import RunError
    from incognote.corpus.convert import Target

    if output is None:
        raise RunError("--as needs -o: what it writes is PHI, and not for the screen")
    if sample_review is not None or offsets != "codepoints":
        raise RunError("--as writes notes, not places: leave out --sample-review and --offsets")
    return Target.of(output, mark_as, overwrite=overwrite)


def _premark(
    console: Console,
    paths: list[str] | None,
    settings: Settings,
    target: Target,
    patterns: tuple[Sequence[str], Sequence[str]],
) -> int:
    """Write the notes with marks, and say how many."""
    from incognote.base.messages import quantity
    from incognote.cli.progress import progress
    from incognote.cli.show import show_failures
    from incognote.cli.streams import standard_input
    from incognote.corpus.premark import premark
    from incognote.runs.inputs import list_inputs

    with standard_input(paths) as sources:
        inputs = list_inputs(sources, *patterns)
        size = sum(input.size() for input in inputs)
        with progress(console, "marking", size) as advance:
            result = premark(sources, inputs, settings, target, advance=advance)
    show_failures(console, result.failures, lambda index: f"input {index}")
    marks = quantity(result.marks, "mark")
    console.print(
        f"{quantity(result.notes, 'note')} with {marks} to correct (PHI: keep them apart): "
        f"{target.path}",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
    return 1 if result.failures else 0
