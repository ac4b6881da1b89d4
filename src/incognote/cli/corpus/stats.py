"""`incognote corpus stats`: what a corpus holds."""

from __future__ import annotations

from typing import Annotated

import typer

from incognote.cli.corpus.arguments import Corpora, Json, source_of
from incognote.cli.options import OUTPUT, FormatOption, IdField, TextField


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
) -> int:
    """Count notes, words and spans, with the share of each type in each split.

    - `incognote corpus stats train/ test/`: a column each
    - `incognote corpus stats corpus/`: a column for each of its folders

    A percentage is of the spans in its column. Types are counted as they stand in the files.
    """
    from incognote.cli import show
    from incognote.workflows.corpus.columns import columns
    from incognote.workflows.corpus.reading import CorpusError, Failure, notes
    from incognote.workflows.corpus.stats import statistics

    if json + csv + markdown > 1:
        raise CorpusError("choose one of --json, --csv and --markdown")
    failed: list[Failure] = []
    parts = columns([source_of(path, format, text_field, id_field) for path in corpora])
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
        show.table(short, rows, rule_after=5)
    return show.failures(failed)
