"""`incognote ask`: a question answered from a text, by the place in it that says so."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from incognote.workshop.tasks.predict import OnnxTask

TaskModelFolder = Annotated[
    Path,
    typer.Option(
        "--model",
        metavar="DIR",
        help="Folder of an exported task: the output of `incognote task export`.",
        show_default=False,
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(min=1, help="Threads of the network; all cores by default.", show_default=False),
]


LONGEST_LINE = 500
"""Characters of an answer that are printed; JSON has all of them."""


def ask(
    question: Annotated[str, typer.Argument(help="The question.", metavar="QUESTION")],
    model: TaskModelFolder,
    context: Annotated[
        Path | None,
        typer.Option(
            "--context",
            "-c",
            metavar="FILE",
            help="Text file to look for the answer in, of any length; standard input by default.",
            show_default=False,
        ),
    ] = None,
    top_k: Annotated[
        int, typer.Option("--top-k", min=1, max=20, help="Number of answers to list.")
    ] = 1,
    threads: Threads = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON, with the characters of each answer.")
    ] = False,
) -> int:
    """Find the answer to a question in a text: the stretch of it, its probability, its line.

    A long text is read in windows, and nothing of it is left out. A model that was trained with
    questions without an answer (such as SQuAD 2.0's) may say that there is none.

    - `incognote ask "Where does the pain radiate to?" --context note.txt --model squad/`
    - `cat note.txt | incognote ask "Which antibiotic was given?" --model squad/ --top-k 3`
    """
    from incognote.cli import show
    from incognote.workshop.tasks.answers import Answered
    from incognote.workshop.tasks.evaluate import as_json as as_object
    from incognote.workshop.tasks.predict import predictions
    from incognote.workshop.tasks.task import QuestionExample

    task = opened_task(model, "span", threads)
    text = _text(context)
    if not question.strip():
        raise typer.BadParameter("the question is empty")
    example = QuestionExample("", question, text, known=False)
    (answered,) = predictions(task, [example])
    assert isinstance(answered, Answered)
    if as_json:
        content = as_object(task.task, answered, top=top_k)
        del content["id"]
        show.as_json({"question": question, **content})
        return 0
    if answered.answer is None:
        typer.echo("no answer in this text")
    if answered.answer is None and top_k == 1:
        return 0
    for each in answered.distinct(top_k):
        said = " ".join(each.text.split()) or "(no answer)"
        said = said if len(said) <= LONGEST_LINE else f"{said[:LONGEST_LINE]}…"
        line = f"  line {text.count(chr(10), 0, each.start) + 1}" if each.text else ""
        typer.echo(f"{each.probability:.4f}  {said}{line}")
    return 0


def opened_task(folder: Path, kind: str, threads: int | None) -> OnnxTask:
    """The exported task in a folder, which must be of this kind."""
    from incognote.base.errors import RunError
    from incognote.onnx.task_folder import has_task
    from incognote.workshop.tasks.predict import OnnxTask

    if not has_task(folder):
        raise RunError(
            f"{folder}: no exported task (task.json is missing); make one of a checkpoint with: "
            f"incognote task export {folder} -o DIR"
        )
    task = OnnxTask(folder, threads=threads)
    if task.task.kind != kind:
        commands = {"sentence": "incognote classify", "span": "incognote ask"}
        command = commands.get(task.task.kind, "incognote task predict")
        raise RunError(f"{folder}: is for {task.task.title}; use {command}")
    return task


def _text(path: Path | None) -> str:
    from incognote.workshop.features import decoded, read_text

    if path is not None and str(path) != "-":
        return read_text(path)
    if sys.stdin.isatty():
        raise typer.BadParameter("name the text with --context, or pipe it in")
    return decoded(sys.stdin.buffer.read(), "standard input")
