"""`incognote corpus stats`: what a corpus holds."""

from __future__ import annotations

from typing import Annotated

import typer

from incognote.cli.corpus.arguments import Corpora, Json, source_of
from incognote.cli.options import OUTPUT, EncodingName, FormatOption, IdField, TextField


def stats(
    corpora: Corpora,
    json: Json = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV.", rich_help_panel=OUTPUT)] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print Markdown.", rich_help_panel=OUTPUT)
    ] = False,
    format: FormatOption = None,
    text_field: TextField = None,
    id_field: IdField = None,
    encoding: EncodingName = None,
) -> int:
    """Count notes, words, PHI words and spans, with the share of each type in each split.

    - `incognote corpus stats train/ test/`: a column each
    - `incognote corpus stats corpus/`: a column for each of its folders

    PHI words are given as a percentage of all words, types as a percentage of the column's spans. A
    word is PHI if it shares a character with a span. Types are counted as they are in the files.
    """
    from incognote.cli import show
    from incognote.corpus.source import CorpusError, Failure, notes
    from incognote.corpus.stats import SUMMARY_ROWS, columns, statistics

    if json + csv + markdown > 1:
        raise CorpusError("choose one of --json, --csv and --markdown")
    failed: list[Failure] = []
    parts = columns(
        [source_of(path, format, text_field, id_field, encoding=encoding) for path in corpora]
    )
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
