"""What a task is: its kind, labels and figures; and the examples that each kind is made of.

Torch is not needed here, nor for reading, metrics, and answering with an exported model.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from incognote.base.errors import RunError, TrainError

Kind = Literal["sentence", "choice", "span"]
"""A label or a number for one text or a pair; one of several options; a stretch of a context."""

Figures = dict[str, float]
"""Metrics by name; shares and correlations are from 0 (or −1) to 1."""


@dataclass(frozen=True, slots=True)
class SentenceExample:
    """A text, or two, and its label; a number where the task is a regression; None if not known."""

    id: str
    first: str
    second: str | None = None
    label: str | float | None = None


@dataclass(frozen=True, slots=True)
class ChoiceExample:
    """A question about an article and its options; `answer` counts them from 0.

    group: the part of the task that has figures of its own, such as RACE's middle and high.
    """

    id: str
    context: str
    question: str
    options: tuple[str, ...]
    answer: int | None = None
    group: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """A stretch of the context: `context[start:start + len(text)] == text`."""

    text: str
    start: int


@dataclass(frozen=True, slots=True)
class QuestionExample:
    """A question about a context and its right answers; none of them if it has no answer.

    known: whether the answers were given at all; those of a test part are not.
    """

    id: str
    question: str
    context: str
    answers: tuple[Answer, ...] = ()
    title: str = ""
    known: bool = True

    @property
    def impossible(self) -> bool:
        """Whether the context is known not to answer it."""
        return self.known and not self.answers


Example = SentenceExample | ChoiceExample | QuestionExample


@dataclass(frozen=True, kw_only=True)
class Task:
    """A task by name.

    labels: in the order of the classifier's outputs; none for a regression, for other kinds, and
        where they are found in the training part.
    pairs: whether an example has two texts; None if that is seen from the data.
    metrics: the figures that it is reported by, the one that chooses the best epoch first.
    nullable: whether a question may have no answer.
    """

    name: str
    title: str
    kind: Kind
    labels: tuple[str, ...] = ()
    pairs: bool | None = None
    regression: bool = False
    nullable: bool = False
    metrics: tuple[str, ...] = ("accuracy",)


def _glue(name: str, title: str, *labels: str, pairs: bool, metrics: tuple[str, ...]) -> Task:
    return Task(
        name=name,
        title=title,
        kind="sentence",
        labels=labels,
        pairs=pairs,
        regression=not labels,
        metrics=metrics,
    )


_ENTAILED = ("entailment", "not_entailment")
_RELATIONS = ("entailment", "neutral", "contradiction")
_F1, _ACCURACY = ("f1", "accuracy"), ("accuracy",)

GLUE: dict[str, Task] = {
    task.name: task
    for task in (
        _glue("cola", "CoLA", "0", "1", pairs=False, metrics=("matthews",)),
        _glue("sst-2", "SST-2", "0", "1", pairs=False, metrics=_ACCURACY),
        _glue("mrpc", "MRPC", "0", "1", pairs=True, metrics=_F1),
        _glue("sts-b", "STS-B", pairs=True, metrics=("pearson", "spearman")),
        _glue("qqp", "QQP", "0", "1", pairs=True, metrics=_F1),
        _glue("mnli", "MNLI", *_RELATIONS, pairs=True, metrics=_ACCURACY),
        _glue("qnli", "QNLI", *_ENTAILED, pairs=True, metrics=_ACCURACY),
        _glue("rte", "RTE", *_ENTAILED, pairs=True, metrics=_ACCURACY),
        _glue("wnli", "WNLI", "0", "1", pairs=True, metrics=_ACCURACY),
    )
}
"""GLUE's nine, in the order of its table."""

_ANSWERED = ("f1", "exact_match")

TASKS: dict[str, Task] = {
    **GLUE,
    "snli": _glue("snli", "SNLI", *_RELATIONS, pairs=True, metrics=_ACCURACY),
    "squad": Task(name="squad", title="SQuAD 1.1", kind="span", metrics=_ANSWERED),
    "squad2": Task(name="squad2", title="SQuAD 2.0", kind="span", nullable=True, metrics=_ANSWERED),
    "race": Task(name="race", title="RACE", kind="choice"),
    "sentence": Task(name="sentence", title="Your own texts", kind="sentence", pairs=False),
    "pair": Task(name="pair", title="Your own pairs", kind="sentence", pairs=True),
    "choice": Task(name="choice", title="Your own questions with options", kind="choice"),
    "span": Task(
        name="span",
        title="Your own questions on texts",
        kind="span",
        nullable=True,
        metrics=_ANSWERED,
    ),
}
"""All tasks by the name that the command line takes; the last four are for a user's own data."""


def task_named(name: str) -> Task:
    """The task of that name."""
    if name not in TASKS:
        raise RunError(f"no task {name!r}; there are {', '.join(TASKS)}")
    return TASKS[name]


def fitted(task: Task, examples: Sequence[Example]) -> Task:
    """The task with what it leaves to its training part: labels, pairs, whether there is always an answer.

    Labels are sorted, numbers among them by their size.
    """
    if task.kind == "sentence":
        sentences = [example for example in examples if isinstance(example, SentenceExample)]
        found = {example.label for example in sentences if isinstance(example.label, str)}
        labels = task.labels or (() if task.regression else tuple(_sorted(found)))
        if not labels and not task.regression:
            raise TrainError("no example has a label: name the column that has the labels")
        pairs = any(example.second is not None for example in sentences)
        return replace(task, labels=labels, pairs=pairs if task.pairs is None else task.pairs)
    if task.name == "span":
        questions = (each for each in examples if isinstance(each, QuestionExample))
        return replace(task, nullable=any(question.impossible for question in questions))
    return task


def _sorted(labels: Iterable[str]) -> list[str]:
    words = sorted(labels)
    whole = all(label.isascii() and label.lstrip("-").isdigit() for label in words)
    return sorted(words, key=int) if whole else words
