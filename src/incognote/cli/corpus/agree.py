"""`incognote corpus agree`: how far two annotators agree."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incognote.base.messages import quantity
from incognote.cli.corpus.arguments import Json, Overwrite, ShowText, source_of
from incognote.cli.options import OUTPUT, EncodingName, FormatOption, IdField, TextField

if TYPE_CHECKING:
    from incognote.corpus.agree import Agreement


def agree(
    first: Annotated[Path, typer.Argument(metavar="FIRST", help="One annotator's notes.")],
    second: Annotated[Path, typer.Argument(metavar="SECOND", help="The other annotator's notes.")],
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
    text_field: TextField = None,
    id_field: IdField = None,
    encoding: EncodingName = None,
    overwrite: Overwrite = False,
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
    from incognote.corpus.source import Failure, notes

    if disagreements is not None:
        check_file(disagreements, [first, second], overwrite=overwrite)
    failed: list[Failure] = []
    result = compare(
        *(
            notes(source_of(path, format, text_field, id_field, encoding=encoding), failed)
            for path in (first, second)
        )
    )
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
        _show(result)
    failed += [
        Failure(first, id, "only the first annotator has this note") for id in result.only_first
    ]
    failed += [
        Failure(second, id, "only the second annotator has this note") for id in result.only_second
    ]
    return show.failures(failed)


def _show(result: Agreement) -> None:
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
