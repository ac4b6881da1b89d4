"""`incognote demo`: sample notes, or one's own, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from incognote.base.messages import quantity
from incognote.base.options import Choices, PathText
from incognote.cli.from_dataclass import Only
from incognote.cli.options import FormatOption, NoteFields
from incognote.runs.settings import Settings

if TYPE_CHECKING:
    from rich.text import Text

    from incognote.document import Document
    from incognote.formats import Fields

COLOURS = {
    "NAME": "bold white on dark_red",
    "PROFESSION": "black on khaki1",
    "LOCATION": "black on light_green",
    "AGE": "black on plum2",
    "DATE": "black on light_sky_blue1",
    "CONTACT": "black on orange1",
    "ID": "black on light_pink1",
}

KEY = b"for the samples, not a secret"
"""So that `hash` and `surrogate` can be shown."""


def demo(
    path: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE]",
            help="A note, a table or a folder of your own; without it, invented sample notes.",
            show_default=False,
        ),
        PathText(),
    ] = None,
    *,
    replace: Annotated[str, typer.Option(help="How to replace, as for `incognote deid`.")] = "tag",
    number: Annotated[
        bool, typer.Option("--number", help="Number tags per distinct person or value in a note.")
    ] = False,
    most: Annotated[
        int, typer.Option("--most", min=1, help="How many notes of FILE to show at most.")
    ] = 5,
    format: FormatOption = None,
    fields: NoteFields,
    settings: Annotated[Choices[Settings], Only("speed")],
) -> int:
    """De-identify notes and show each before and after, identifiers coloured. Writes nothing.

    - `incognote demo` shows invented notes: no person in them exists
    - `incognote demo note.txt --replace surrogate` shows a note of yours, with all that it holds

    Surrogates and hashes are made with a key that everybody has: they are for looking only.
    """
    import time
    from collections import Counter

    from rich.console import Console
    from rich.rule import Rule

    from incognote.document import Document
    from incognote.pipeline import Deidentifier
    from incognote.samples import sample_notes

    console = Console(highlight=False, soft_wrap=True)
    deidentify = Deidentifier(replace, key=KEY, number=number, **settings.values)
    counts: Counter[str] = Counter()
    if path is None:
        notes, more = [Document(name, text) for name, text in sample_notes().items()], False
    else:
        notes, more = _first_notes(path, format, fields, most)
    began = time.perf_counter()
    results = list(deidentify.pipe(notes))
    seconds = time.perf_counter() - began
    for result in results:
        counts.update(span.type for span in result.spans)
        console.print(Rule(_printable(f"{result.found.id}: before")))
        console.print(_coloured(result.found))
        console.print(Rule(_printable(f"{result.found.id}: after")))
        console.print(_coloured(result.output))
    console.print(Rule("summary"))
    if counts:
        console.print(", ".join(f"{type} {count}" for type, count in counts.most_common()))
    characters = sum(len(note.text) for note in notes)
    console.print(
        f"{quantity(len(notes), 'note')}, {quantity(characters, 'character')}, "
        f"{quantity(sum(counts.values()), 'identifier')} found in {seconds:.2f} s."
    )
    if more:
        console.print(f"There are more notes; --most {4 * most} shows more of them.")
    console.print(f"To write them: incognote deid {'NOTES' if path is None else 'FILE'} -o CLEAN")
    return 0


def _first_notes(
    path: str, format: str | None, fields: Fields, most: int
) -> tuple[list[Document], bool]:
    """Without the marks that a file may have, and whether there are more."""
    from itertools import islice

    from incognote.base.errors import RunError
    from incognote.document import Document
    from incognote.formats import read

    notes = [Document(note.id, note.text) for note in islice(read(path, format, fields), most + 1)]
    if not notes:
        raise RunError(f"{path}: no notes here")
    return notes[:most], len(notes) > most


def _printable(text: str) -> str:
    """With a sign for each character that would steer a terminal, so that offsets stay."""
    return "".join(
        char if char in "\n\t" or char.isprintable() or char.isspace() else "\ufffd"
        for char in text
    ).replace("\r", " ")


def _coloured(document: Document) -> Text:
    from rich.text import Text

    from incognote.phi import CATEGORY_OF

    text = Text(_printable(document.text))
    for span in document.spans:
        text.stylize(COLOURS.get(CATEGORY_OF.get(span.type, ""), "reverse"), span.start, span.end)
    return text
