"""`incognote corpus merge`: several corpora in one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incognote.cli.corpus.arguments import DropSpans, Output, Overwrite, To, source_of
from incognote.cli.options import EncodingName, FormatOption, IdField, PatientField, TextField

if TYPE_CHECKING:
    from incognote.phi import View


def merge(
    corpora: Annotated[
        list[str],
        typer.Argument(
            metavar="[NAME=]CORPUS…",
            help="Files or folders of annotated notes, with a name for each.",
        ),
    ],
    output: Output,
    to: To = "jsonl",
    map: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="NAME=SCHEME",
            help="Rename the types of one corpus to ours, such as NAME=meddocan. Types without a "
            "counterpart are dropped and counted.",
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
    """Merge corpora into one with a single type scheme; each note keeps its source.

    - `incognote corpus merge ours=corpus/ es=meddocan/ -o all.jsonl --map es=meddocan`

    Ids become NAME/id: a folder for each corpus if notes are files. JSONL also has the name in the
    field `source`. The default name is that of the file or folder.
    """
    from incognote.cli import show
    from incognote.corpus.convert import Member, Target
    from incognote.corpus.convert import merge as run
    from incognote.corpus.source import CorpusError, RefusedError

    named = dict(_named(argument) for argument in corpora)
    if len(named) < len(corpora):
        raise CorpusError("two corpora have the same name: write NAME=CORPUS to tell them apart")
    views = _views(map or [], named)
    members = [
        Member(
            name,
            source_of(path, format, text_field, id_field, patient_field, encoding),
            views.get(name),
        )
        for name, path in named.items()
    ]
    target = Target.of(output, to, drop_spans=drop_spans, overwrite=overwrite)
    try:
        result = run(members, target)
    except RefusedError as error:
        return show.refusal(error.failures)
    show.written(result.output, output, to)
    show.say(show.counted(result.notes))
    for name, types in result.unmapped_types().items():
        some = f"{', '.join(types[:3])}{' …' if len(types) > 3 else ''}"
        show.say(f"incognote: types of {name} that the others lack ({some}): is --map missing?")
    return 0


def _named(argument: str) -> tuple[str, Path]:
    from incognote.corpus.source import CorpusError
    from incognote.formats.streams import plain_name

    name, equals, path = argument.partition("=")
    if not equals or Path(argument).exists():
        path = argument
        name = Path(plain_name(Path(argument).resolve())).stem
    if not name or "/" in name or name.startswith("."):
        raise CorpusError(f"{argument}: write NAME=CORPUS, with a name that a folder can have")
    return name, Path(path)


def _views(pairs: list[str], named: dict[str, Path]) -> dict[str, View]:
    from incognote.corpus.source import CorpusError, view_named

    views = {}
    for pair in pairs:
        name, _, view = pair.partition("=")
        if name not in named:
            raise CorpusError(
                f"--map {pair}: write NAME=SCHEME; the corpora are {', '.join(named)}"
            )
        views[name] = view_named(view)
    return views
