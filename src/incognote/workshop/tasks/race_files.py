"""RACE as published, a folder of files with one article each, and as JSON lines.

An article is an object with `article`, `questions`, `options`, `answers` (letters) and `id`. Whether it
is of middle or high school is in the folder's name, or the file's, or the id's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from incognote.base.files import files_below
from incognote.workshop.tasks.rows import (
    DataError,
    Place,
    Row,
    TaskPart,
    jsonl_rows,
    suffix,
    whole_json,
)
from incognote.workshop.tasks.task import ChoiceExample

_LEVEL = re.compile(r"middle|high")
_ARTICLE = (".txt", ".json")


def read_race(path: Path) -> TaskPart:
    """The questions of a folder, a file of one article, or a file of JSON lines."""
    if path.is_dir():
        files = sorted(each for each in files_below(path) if suffix(each) in _ARTICLE)
        if not files:
            raise DataError(f"{path}: no articles here (files that end in .txt)")
        rows = [_article(file) for file in files]
        return TaskPart([each for row in rows for each in _questions(row, path)])
    if suffix(path) in _ARTICLE:
        return TaskPart(list(_questions(_article(path), path.parent)))
    return TaskPart([each for row in jsonl_rows(path) for each in _questions(row, path.parent)])


def _article(path: Path) -> Row:
    value = whole_json(path)
    if not isinstance(value, dict):
        raise DataError(f"{path}: must be an object of JSON")
    return Row(Place(path, "the article"), value)


def _questions(row: Row, above: Path) -> Iterator[ChoiceExample]:
    """The questions of an article; `above` is the folder that was named, whose own name says nothing."""
    article, place = row.filled("article"), row.place
    file = place.path
    id = row.optional("id") or file.name
    questions = row.texts("questions")
    options = row.values.get("options")
    if not isinstance(options, list) or len(options) != len(questions):
        place.refuse("'options' must be a list with the options of each question")
    answers = row.texts("answers") if row.values.get("answers") is not None else None
    if answers is not None and len(answers) != len(questions):
        place.refuse(f"{len(questions)} questions, but {len(answers)} answers")
    group = _level(id, file, above)
    for number, question in enumerate(questions):
        each = Row(
            Place(file, f"{place.words}, question {number + 1}"), {"options": options[number]}
        )
        choices = each.texts("options")
        if len(choices) < 2:
            each.place.refuse("must have two options or more")
        answer = None if answers is None else letter(each.place, answers[number], len(choices))
        yield ChoiceExample(f"{id}-{number}", article, question, choices, answer, group)


def letter(place: Place, answer: str, options: int) -> int:
    """The number of an option, from 0, by its letter."""
    number = ord(answer) - ord("A") if len(answer) == 1 else -1
    if not 0 <= number < options:
        place.refuse(f"the answer must be a letter from A to {chr(ord('A') + options - 1)}")
    return number


def _level(id: str, file: Path, above: Path) -> str:
    """`middle`, `high`, or nothing where nobody says."""
    folders = file.parent.parts[len(above.parts) :] or file.parent.parts[-1:]
    for words in (*reversed(folders), id, file.name):
        if found := _LEVEL.search(words.lower()):
            return found[0]
    return ""
