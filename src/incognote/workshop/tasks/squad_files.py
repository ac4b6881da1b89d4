"""Questions on texts in SQuAD's JSON, versions 1.1 and 2.0, and lists of questions with one answer each.

An answer must be in its context. Where it is not at the offset that the file says, it is searched and
the nearest place taken; where there is no offset, the first place. Both are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from incognote.workshop.tasks.rows import DataError, Place, TaskPart, whole_json
from incognote.workshop.tasks.task import Answer, QuestionExample, Task

T = TypeVar("T")

MOVED = "answers that were not at their offset, found elsewhere in the context"
AMBIGUOUS = "answers without an offset that are in their context several times, taken at the first"


def read_squad(task: Task, path: Path) -> TaskPart:
    """The questions of a file."""
    value = whole_json(path)
    notices: Counter[str] = Counter()
    if isinstance(value, list):
        return TaskPart(list(_listed(path, value, notices)), notices)
    examples = list(_nested(task, path, value, notices))
    seen: set[str] = set()
    for example in examples:
        if example.id in seen:
            Place(path, f"question {example.id}").refuse("another question has this id")
        seen.add(example.id)
    return TaskPart(list(examples), notices)


def _nested(task: Task, path: Path, value: Any, notices: Counter[str]) -> Iterator[QuestionExample]:
    """Data → paragraphs → qas, as published."""
    if not isinstance(value, dict) or "data" not in value:
        raise DataError(f"{path}: not in SQuAD's format, which is an object with 'data'")
    for a, article in enumerate(_field(path, "data", value, "data", list)):
        where = f"data[{a}]"
        title = str(_object(path, where, article).get("title", ""))
        paragraphs = _field(path, where, article, "paragraphs", list)
        for p, paragraph in enumerate(paragraphs):
            inner = f"{where}.paragraphs[{p}]"
            context = _field(path, inner, _object(path, inner, paragraph), "context", str)
            for q, question in enumerate(_field(path, inner, paragraph, "qas", list)):
                at = f"{inner}.qas[{q}]"
                yield _question(
                    task, path, at, _object(path, at, question), context, title, notices
                )


def _question(
    task: Task,
    path: Path,
    where: str,
    question: dict[str, Any],
    context: str,
    title: str,
    notices: Counter[str],
) -> QuestionExample:
    if not isinstance(question.get("id"), str | int):
        Place(path, where).refuse("'id' must be text")
    id = str(question["id"])
    place = Place(path, f"question {id}")
    text = _field(path, where, question, "question", str)
    impossible = question.get("is_impossible", False) is True
    if impossible and not task.nullable:
        place.refuse(f"has no answer, which {task.title} does not know: take the task squad2")
    if "answers" not in question and not impossible:
        return QuestionExample(id, text, context, title=title, known=False)
    answers = []
    for each in [] if impossible else _field(path, where, question, "answers", list):
        answer = _object(path, where, each)
        start = answer.get("answer_start")
        if start is not None and (isinstance(start, bool) or not isinstance(start, int)):
            place.refuse("'answer_start' must be a whole number")
        answers.append(
            located(place, context, _field(path, where, answer, "text", str), start, notices)
        )
    if not answers and not task.nullable:
        place.refuse(f"has no answer, which {task.title} does not know: take the task squad2")
    return QuestionExample(id, text, context, tuple(answers), title)


def _listed(path: Path, values: Sequence[Any], notices: Counter[str]) -> Iterator[QuestionExample]:
    """Objects of context, question and answer; ids are their numbers from 0."""
    for number, value in enumerate(values):
        where = f"[{number}]"
        fields = _object(path, where, value)
        context, question, answer = (
            _field(path, where, fields, name, str) for name in ("context", "question", "answer")
        )
        found = located(Place(path, where), context, answer, None, notices)
        yield QuestionExample(str(fields.get("id", number)), question, context, (found,))


def located(
    place: Place, context: str, text: str, start: int | None, notices: Counter[str]
) -> Answer:
    """An answer where it stands in its context."""
    if not text:
        place.refuse("an answer is empty; leave it out where there is none")
    if start is not None and start >= 0 and context.startswith(text, start):
        return Answer(text, start)
    first = context.find(text)
    if first < 0:
        place.refuse("an answer is not in its context")
    if start is None:
        notices[AMBIGUOUS] += context.find(text, first + 1) >= 0
        return Answer(text, first)
    notices[MOVED] += 1
    after = context.find(text, max(start, 0))
    before = context.rfind(text, 0, max(start, 0) + len(text))
    places = [each for each in (before, after) if each >= 0]
    return Answer(text, min(places, key=lambda each: abs(each - start)))


def _object(path: Path, where: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        Place(path, where).refuse("must be an object")
    return value


def _field(path: Path, where: str, values: dict[str, Any], name: str, kind: type[T]) -> T:
    value = values.get(name)
    if not isinstance(value, kind):
        words = {str: "text", list: "a list"}[kind]  # type: ignore[index]
        Place(path, where).refuse(f"{name!r} is {'missing' if value is None else f'not {words}'}")
    return value
