"""`incognote clean-text`: plain text for pretraining from corpora as they are published."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incognote.cli.options import OUTPUT, OverwriteFiles
from incognote.cli.progress import LiveLine
from incognote.workshop.text_cleaning.run import Cleaning, CleaningMachine

if TYPE_CHECKING:
    from incognote.workshop.text_cleaning.run import Step


def clean_text(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE…", help="Files of the corpus, or folders of them."),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Folder for the text, in parts of JSONL.",
            rich_help_panel=OUTPUT,
            show_default=False,
        ),
    ],
    cleaning: Cleaning,
    machine: CleaningMachine,
    overwrite: OverwriteFiles = False,
) -> int:
    """Make plain text for pretraining of Wikipedia, books, OpenWebText, CC-News or Stories.

    - `incognote clean-text enwiki-latest-pages-articles.xml.bz2 -o wiki/ --source wikipedia -j 4`
    - `incognote clean-text gutenberg/ -o books/ --source books`
    - `incognote pretrain wiki/ books/ -o encoder/ --preset albert-base-v1 --tokenizer tokenizer/`

    Lists, tables, headers, references and templates of articles are left out, and licences and
    headings of books, as in the papers. Nothing is fetched: the files are yours. A run that was
    stopped goes on when the same command is given again.
    """
    from incognote.base.messages import quantity
    from incognote.cli.show import say
    from incognote.workshop.text_cleaning.run import clean_text as run

    line = LiveLine()
    with line:
        task = line.add_task("cleaning", total=None, figures="")

        def watch(step: Step) -> None:
            figures = f"{step.documents:,} documents, {step.characters / 1e6:,.1f} M characters"
            line.show(task, completed=step.done, total=step.total, figures=figures)

        result = run(
            files, output, cleaning, workers=machine.workers, overwrite=overwrite, watch=watch
        )
    say(
        f"incognote: {quantity(result.documents, 'document')} of {result.characters:,} characters in "
        f"{output}; left out for want of text: {result.left_out:,}"
    )
    return 0
