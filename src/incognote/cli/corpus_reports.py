"""`incognote corpus stats`, `validate` and `agree`: what annotated notes hold, and how good they are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from incognote.base.messages import quantity
from incognote.base.options import Choices
from incognote.cli.from_dataclass import Only
from incognote.cli.options import OUTPUT, Corpora, FormatOption, NoteFields, OverwriteFiles
from incognote.runs.settings import Settings

if TYPE_CHECKING:
    from incognote.corpus.agree import Agreement

Json = Annotated[bool, typer.Option("--json", help="Print JSON.", rich_help_panel=OUTPUT)]
ShowText = Annotated[
    bool,
    typer.Option(
        "--show-text", help="Also show the annotated text. It is PHI.", rich_help_panel=OUTPUT
    ),
]


def stats(
    corpora: Corpora,
    *,
    json: Json = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV.", rich_help_panel=OUTPUT)] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print Markdown.", rich_help_panel=OUTPUT)
    ] = False,
    format: FormatOption = None,
    fields: NoteFields,
) -> int:
    """Count notes, words, PHI words and spans, with the share of each type in each split.

    - `incognote corpus stats train/ test/`: a column each
    - `incognote corpus stats corpus/`: a column for each of its folders

    PHI words are given as a percentage of all words, types as a percentage of the column's spans. A
    word is PHI if it shares a character with a span. Types are counted as they are in the files.
    """
    from incognote.cli import show
    from incognote.corpus.source import CorpusError, Failure, Source, notes
    from incognote.corpus.stats import SUMMARY_ROWS, columns, statistics

    if json + csv + markdown > 1:
        raise CorpusError("choose one of --json, --csv and --markdown")
    failed: list[Failure] = []
    parts = columns([Source(path, format, fields) for path in corpora])
    result = statistics({name: notes(source, failed) for name, source in parts.items()})
    header, rows = result.rows()
    if json:
        show.as_json(result.to_json())
    elif csv:
        show.csv(header, rows)
    elif markdown:
        show.markdown(header, rows)
    else:
        short = [name if not name.endswith(" %") else "%" for name in header]
        show.table(short, rows, rule_after=SUMMARY_ROWS)
    return show.failures(failed)


def validate(
    corpora: Corpora,
    *,
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
    fields: NoteFields,
    settings: Annotated[Choices[Settings], Only("site")],
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
    from incognote.corpus.source import Source
    from incognote.corpus.validate import LEVELS, ProblemGroups, Validation, all_problems

    own_types = frozenset(settings.fill().types.own if settings.values else ())
    validation = Validation(
        types, own_types=own_types, consistency=consistency, show_text=show_text
    )
    sources = [Source(path, format, fields) for path in corpora]
    levels = LEVELS[: LEVELS.index(level) + 1]
    listed = []
    groups = ProblemGroups()
    for problem in all_problems(validation, sources):
        if problem.finding.level not in levels:
            continue
        if json:
            listed.append(problem.to_json())
        elif every:
            show.line(str(problem))
        else:
            groups.add(problem)
    counts = {str(each): validation.count(each) for each in LEVELS}
    sizes = {"files": validation.files, "notes": validation.notes, "spans": validation.spans}
    if json:
        show.as_json({**sizes, "counts": counts, "problems": listed})
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


def agree(
    first: Annotated[Path, typer.Argument(metavar="FIRST", help="One annotator's notes.")],
    second: Annotated[Path, typer.Argument(metavar="SECOND", help="The other annotator's notes.")],
    *,
    json: Json = False,
    disagreements: Annotated[
        Path | None,
        typer.Option(
            "--disagreements",
            metavar="FILE.jsonl",
            help="Write each disagreement to this file.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    show_text: ShowText = False,
    format: FormatOption = None,
    fields: NoteFields,
    overwrite: OverwriteFiles = False,
) -> int:
    """Compare two annotations of the same notes: F1 by span and by word, and Cohen's kappa.

    - `incognote corpus agree anna/ ben/ --disagreements differ.jsonl`

    Precision is the share of SECOND's spans that FIRST has too, recall the share of FIRST's that
    SECOND has. Notes that only one annotator has are listed and not compared, and the exit status
    is 1.
    """
    import json as json_module

    from incognote.cli import show
    from incognote.corpus.agree import agree as compare
    from incognote.corpus.agree import disagreements as places
    from incognote.corpus.output import check_file, staged
    from incognote.corpus.source import Failure, Source, notes

    if disagreements is not None:
        check_file(disagreements, [first, second], overwrite=overwrite)
    failed: list[Failure] = []
    result = compare(*(notes(Source(path, format, fields), failed) for path in (first, second)))
    if disagreements is not None:
        with staged(disagreements, [first, second], overwrite=overwrite, private=True) as file:
            rows = (each.to_json(show_text) for pair in result.pairs for each in places(pair))
            file.write_text(
                "".join(f"{json_module.dumps(row, ensure_ascii=False)}\n" for row in rows),
                encoding="utf-8",
                newline="",
            )
    if json:
        show.as_json(result.to_json())
    else:
        _show_agreement(result)
    failed += [
        Failure(first, id, "only the first annotator has this note") for id in result.only_first
    ]
    failed += [
        Failure(second, id, "only the second annotator has this note") for id in result.only_second
    ]
    return show.failures(failed)


def _show_agreement(result: Agreement) -> None:
    from incognote.cli import show

    def number(value: float | None) -> str:
        return "" if value is None else f"{value:.4f}"

    kappa = result.kappa
    rows = [("all types", result.spans.overall, result.by_word.overall, kappa.overall)]
    rows.append(("untyped", result.spans.untyped, result.by_word.untyped, kappa.untyped))
    for type in result.types:
        spans, words = result.spans.by_type[type], result.by_word.by_type[type]
        rows.append((type, spans, words, kappa.by_type[type]))
    header = ["", "first", "second", "both", "span P", "span R", "span F1", "word F1", "kappa"]
    show.table(
        header,
        [
            [
                name,
                f"{spans.first:,}",
                f"{spans.second:,}",
                f"{spans.both:,}",
                number(spans.precision),
                number(spans.recall),
                number(spans.f1),
                number(words.f1),
                number(own),
            ]
            for name, spans, words, own in rows
        ],
        rule_after=2,
    )
    show.say(f"{quantity(len(result.pairs), 'note')}, {quantity(result.words, 'word')}")
