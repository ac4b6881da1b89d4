"""`incognote corpus convert`: a corpus in another format."""

from __future__ import annotations

from typing import Annotated

import typer

from incognote.cli.corpus.arguments import Corpus, DropSpans, Output, Overwrite, To, source_of
from incognote.cli.options import EncodingName, FormatOption, IdField, PatientField, TextField


def convert(
    corpus: Corpus,
    output: Output,
    to: To,
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
    text_field: TextField = None,
    id_field: IdField = None,
    encoding: EncodingName = None,
    patient_field: PatientField = None,
    overwrite: Overwrite = False,
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
    from incognote.corpus.source import RefusedError, view_named

    source = source_of(corpus, format, text_field, id_field, patient_field, encoding)
    target = Target.of(output, to, drop_spans=drop_spans, overwrite=overwrite)
    try:
        result = run(source, target, view_named(map) if map else None)
    except RefusedError as error:
        return show.refusal(error.failures)
    show.written(result, output, to)
    return 0
