"""`incognote classify`: the label of a text, or its number."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from incognote.base.options import PathText
from incognote.cli.ask import TaskModelFolder, Threads, opened_task


def classify(
    texts: Annotated[
        list[str] | None,
        typer.Argument(
            help="Texts, or text files; standard input by default.",
            metavar="TEXT|FILE…",
            show_default=False,
        ),
        PathText(or_name=True),
    ] = None,
    *,
    model: TaskModelFolder,
    second: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="The second text of the pair, for a model of pairs.",
            show_default=False,
        ),
    ] = None,
    lines: Annotated[
        bool, typer.Option("--lines", help="Each line of a file is a text, such as a sentence.")
    ] = False,
    top_k: Annotated[int, typer.Option("--top-k", min=1, help="Number of labels to list.")] = 1,
    threads: Threads = None,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print a JSON line for each text, with all probabilities."),
    ] = False,
) -> int:
    """Classify texts with a fine-tuned model: the likeliest label and its probability.

    What names a file is read from it; anything else is the text itself. A model of a regression
    gives a number.

    - `incognote classify "No acute distress." --model assertion/`
    - `incognote classify sentences.txt --lines --model sst/ --json`
    - `incognote classify "It rains." --second "It is wet." --model rte/`
    """
    from incognote.base.errors import RunError
    from incognote.cli import show
    from incognote.workshop.tasks.evaluate import as_json as as_object
    from incognote.workshop.tasks.predict import Predicted, predictions
    from incognote.workshop.tasks.task import SentenceExample

    task = opened_task(model, "sentence", threads)
    if bool(task.task.pairs) != (second is not None):
        raise RunError(
            f"{model}: is for pairs: give the second text with --second"
            if task.task.pairs
            else f"{model}: takes one text, not --second"
        )
    examples = (
        SentenceExample(name, text, second) for name, text in _texts(texts or ["-"], lines=lines)
    )
    cut = 0
    for found in predictions(task, examples):
        assert isinstance(found, Predicted)
        cut += found.cut
        if as_json:
            content = as_object(task.task, found)
            show.line(json.dumps(content, ensure_ascii=False))
        elif task.task.regression:
            show.line(f"{found.id}\t{found.value:.4f}")
        else:
            ranked = sorted(
                zip(found.probabilities, task.task.labels, strict=True),
                key=lambda pair: -pair[0],
            )
            words = [f"{label}\t{share:.4f}" for share, label in ranked[:top_k]]
            show.line("\t".join([found.id, *words]))
    if cut:
        show.say(
            f"incognote: {cut:,} of the texts are longer than the {task.limits.longest:,} tokens "
            "that the model reads: their ends did not count"
        )
    return 0


def _texts(given: list[str], *, lines: bool) -> Iterator[tuple[str, str]]:
    """Each text with the name that its result goes by."""
    from incognote.workshop.features import decoded, read_texts

    for number, text in enumerate(given, 1):
        if text == "-":
            if sys.stdin.isatty():
                raise typer.BadParameter("give texts or files, or pipe a text in")
            whole = decoded(sys.stdin.buffer.read(), "standard input")
            each = whole.removesuffix("\n").split("\n") if lines else [whole]
            yield from ((f"{n}", line.removesuffix("\r")) for n, line in enumerate(each, 1))
        elif _is_file(text):
            yield from read_texts([Path(text)], lines=lines)
        else:
            yield f"{number}", text


def _is_file(text: str) -> bool:
    """Whether a file has this name; a text may be longer than any name."""
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        return False
