"""`incognote demo`: the sample notes, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.text import Text

    from incognote.document import Document

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
    replace: Annotated[str, typer.Option(help="How to replace; as in `deid`.")] = "tag",
    number: Annotated[bool, typer.Option("--number", help="Number the tags.")] = False,
) -> int:
    """De-identify the sample notes and show each before and after, identifiers coloured.

    The samples are invented: no person in them exists.
    """
    import time
    from collections import Counter

    from rich.console import Console
    from rich.rule import Rule

    from incognote.document import Document
    from incognote.pipeline import Deidentifier
    from incognote.samples import sample_notes

    console = Console(highlight=False, soft_wrap=True)
    deidentify = Deidentifier(replace, key=KEY, number=number)
    found: Counter[str] = Counter()
    notes = [Document(name, text) for name, text in sample_notes().items()]
    began = time.perf_counter()
    results = list(deidentify.pipe(notes))
    seconds = time.perf_counter() - began
    for result in results:
        found.update(span.type for span in result.spans)
        console.print(Rule(f"{result.found.id}: before"))
        console.print(_coloured(result.found))
        console.print(Rule(f"{result.found.id}: after"))
        console.print(_coloured(result.output))
    console.print(Rule("summary"))
    console.print(", ".join(f"{type} {count}" for type, count in found.most_common()))
    characters = sum(len(note.text) for note in notes)
    console.print(
        f"{len(notes)} notes, {characters:,} characters, {sum(found.values())} identifiers "
        f"replaced in {seconds:.2f} s. Your own: incognote deid NOTES -o CLEAN"
    )
    return 0


def _coloured(document: Document) -> Text:
    from rich.text import Text

    from incognote.phi import CATEGORY_OF

    text = Text(document.text)
    for span in document.spans:
        text.stylize(COLOURS[CATEGORY_OF[span.type]], span.start, span.end)
    return text
