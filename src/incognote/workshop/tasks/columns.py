"""A user's own examples: CSV, TSV or JSON lines, with the names of their columns.

In a CSV or TSV file each option of a question has a column of its own; an object of JSON has all of
them as a list. A right option is named by its letter, its number from 0, or its text. Of an answer in a
text the place may be given; else it is searched, and the first place is taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

from incognote.base.options import Option
from incognote.workshop.tasks.rows import (
    DataError,
    Place,
    Row,
    TaskPart,
    checked_label,
    csv_rows,
    jsonl_rows,
    suffix,
    tsv_rows,
)
from incognote.workshop.tasks.squad_files import located
from incognote.workshop.tasks.task import (
    ChoiceExample,
    Example,
    QuestionExample,
    SentenceExample,
    Task,
)

_column = partial(Option, panel="Columns of your own data", metavar="NAME")


def parse_names(text: str) -> tuple[str, ...]:
    """Names of columns, separated by commas."""
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise ValueError("write names of columns, separated by commas")
    return names


@dataclass(frozen=True, kw_only=True)
class Columns:
    """The names of the columns, or of the keys of JSON lines; which of them count depends on the task."""

    text: Annotated[
        str, _column("Column of the text, or of a pair's first.", flags=("--text",))
    ] = "text"
    second: Annotated[str, _column("Column of a pair's second text.", flags=("--second",))] = (
        "second"
    )
    label: Annotated[str, _column("Column of the label or number.", flags=("--label",))] = "label"
    context: Annotated[
        str, _column("Column of the text that a question is about.", flags=("--context",))
    ] = "context"
    question: Annotated[str, _column("Column of the question.", flags=("--question",))] = "question"
    options: Annotated[
        tuple[str, ...],
        _column(
            "Columns of the options, such as a,b,c,d; in JSON lines the key of their list.",
            flags=("--options",),
            metavar="NAMES",
            parse=parse_names,
        ),
    ] = ("options",)
    answer: Annotated[
        str,
        _column(
            "Column of the answer: a stretch of the text, or the right option's letter, number from "
            "0 or text.",
            flags=("--answer",),
        ),
    ] = "answer"
    start: Annotated[
        str, _column("Column of the character where the answer begins, from 0.", flags=("--start",))
    ] = "start"
    id: Annotated[
        str, _column("Column of the id; rows are numbered from 0 without it.", flags=("--id",))
    ] = "id"


def read_columns(task: Task, path: Path, columns: Columns) -> TaskPart:
    """The examples of a file."""
    notices: Counter[str] = Counter()
    examples: list[Example] = []
    for number, row in enumerate(_rows(task, path, columns)):
        if isinstance(row, Place):
            row.refuse("has another number of fields than the header")
        id = row.optional(columns.id) or str(number)
        if task.kind == "sentence":
            examples.append(_sentence(task, row, columns, id))
        elif task.kind == "choice":
            examples.append(_choice(row, columns, id))
        else:
            examples.append(_question(row, columns, id, notices))
    return TaskPart(examples, notices)


def _rows(task: Task, path: Path, columns: Columns) -> Iterator[Row | Place]:
    kind = suffix(path)
    if kind in (".jsonl", ".ndjson"):
        return iter(jsonl_rows(path))
    if kind == ".csv":
        return csv_rows(path, needed=_needed(task, columns))
    if kind == ".tsv":
        return tsv_rows(path, needed=_needed(task, columns))
    raise DataError(f"{path}: must end in .csv, .tsv or .jsonl, compressed or not")


def _needed(task: Task, columns: Columns) -> Sequence[str]:
    if task.kind == "sentence":
        return [columns.text, columns.second] if task.pairs else [columns.text]
    options = columns.options if task.kind == "choice" else ()
    return [columns.context, columns.question, *options]


def _sentence(task: Task, row: Row, columns: Columns, id: str) -> SentenceExample:
    label = row.optional(columns.label)
    if label is not None and not label:
        row.place.refuse(f"{columns.label!r} is empty")
    return SentenceExample(
        id,
        row.filled(columns.text),
        row.filled(columns.second) if task.pairs else None,
        None if label is None else checked_label(task, row.place, label),
    )


def _choice(row: Row, columns: Columns, id: str) -> ChoiceExample:
    names = columns.options
    options = row.texts(names[0]) if len(names) == 1 else tuple(map(row.filled, names))
    if len(options) < 2:
        row.place.refuse("must have two options or more")
    answer = row.optional(columns.answer)
    number = None if not answer else _option(row.place, answer, options)
    return ChoiceExample(
        id, row.filled(columns.context), row.filled(columns.question), options, number
    )


def _option(place: Place, answer: str, options: Sequence[str]) -> int:
    """The option that is meant: its text goes before its number or letter."""
    if answer in options:
        return options.index(answer)
    if answer.isascii() and answer.isdecimal():
        number = int(answer)
    else:
        number = ord(answer.upper()) - ord("A") if len(answer) == 1 else -1
    if not 0 <= number < len(options):
        place.refuse(f"the answer is neither an option nor the letter or number of one: {answer!r}")
    return number


def _question(row: Row, columns: Columns, id: str, notices: Counter[str]) -> QuestionExample:
    context, question = row.text(columns.context), row.filled(columns.question)
    if columns.answer not in row.values:
        return QuestionExample(id, question, context, known=False)
    found = [
        located(row.place, context, text, start, notices) for text, start in _answers(row, columns)
    ]
    return QuestionExample(id, question, context, tuple(found))


def _answers(row: Row, columns: Columns) -> Iterator[tuple[str, int | None]]:
    """Texts and places: one text, a list of them, or lists of both under the names of SQuAD."""
    value = row.values[columns.answer]
    if isinstance(value, dict):
        inner = Row(row.place, value)
        starts = value.get("answer_start")
        texts = inner.texts("text")
        if not isinstance(starts, list) or len(starts) != len(texts):
            row.place.refuse("'answer_start' must be a list with the place of each 'text'")
        yield from ((text, _place(row, start)) for text, start in zip(texts, starts, strict=True))
    elif isinstance(value, list):
        yield from ((text, None) for text in row.texts(columns.answer))
    elif text := row.optional(columns.answer):
        start = row.optional(columns.start)
        yield text, _place(row, start) if start else None


def _place(row: Row, start: object) -> int:
    text = str(start)
    if isinstance(start, bool) or not (text.isascii() and text.isdecimal()):
        row.place.refuse("where an answer begins must be a whole number, 0 or above")
    return int(text)
