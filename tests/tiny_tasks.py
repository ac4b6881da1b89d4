"""Tasks that a tiny model learns in seconds, and the tiny models."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from tiny_checkpoints import CONFIGS, every_frame
from toy_corpus import NAMES, TOWNS

from incognote.workshop.encoders.model import Model
from incognote.workshop.tasks.options import TaskOptions
from incognote.workshop.tasks.start import Start, frame_of
from incognote.workshop.tasks.task import (
    Answer,
    ChoiceExample,
    Example,
    QuestionExample,
    SentenceExample,
    Task,
)
from incognote.workshop.tasks.torch_task import HEADS

TASKS: dict[str, Task] = {
    "sentence": Task(
        name="sentence", title="Town or name", kind="sentence", labels=("name", "town")
    ),
    "pair": Task(name="pair", title="Same town", kind="sentence", labels=("no", "yes"), pairs=True),
    "number": Task(
        name="sentence",
        title="How many towns",
        kind="sentence",
        regression=True,
        metrics=("pearson", "spearman"),
    ),
    "choice": Task(name="choice", title="Which town", kind="choice"),
    "span": Task(name="squad", title="Where", kind="span", metrics=("f1", "exact_match")),
    "nullable": Task(
        name="squad2", title="Where, if", kind="span", nullable=True, metrics=("f1", "exact_match")
    ),
}


def examples(name: str, count: int, first: int = 0) -> list[Example]:
    """Examples of a tiny task."""
    return [_example(name, number) for number in range(first, first + count)]


def _example(name: str, number: int) -> Example:
    town, other = TOWNS[number % 6], TOWNS[(number * 5 + 2) % 6]
    person = NAMES[number % 5]
    id = f"{name}-{number}"
    if name == "sentence":
        is_town = number % 2
        return SentenceExample(
            id, f"seen {town if is_town else person} 1/{number}", None, ("name", "town")[is_town]
        )
    if name == "pair":
        same = bool(number % 2)
        return SentenceExample(
            id, f"in {town}", f"{person} in {town if same else other}", "yes" if same else "no"
        )
    if name == "number":
        towns = number % 3
        return SentenceExample(id, f"{person} {' '.join([town] * towns)}", None, float(towns))
    if name == "choice":
        right = number % 3
        options = tuple(
            TOWNS[number % 6] if step == right else NAMES[(number + step) % 5] for step in range(3)
        )
        return ChoiceExample(id, f"{person} was seen in {options[right]}.", "where", options, right)
    context = f"Patient {person} was seen on 1/{1 + number % 28}/2011 in {town}." * (1 + number % 3)
    answers: tuple[Answer, ...] = (Answer(town, context.index(town)),)
    question = "in where"
    if name == "nullable" and number % 3 == 0:
        question, answers = "on what of it", ()
    return QuestionExample(id, question, context, answers)


def quick_options(**changes: Any) -> TaskOptions:
    """A few steps, of sequences that are short enough for windows to be needed."""
    chosen: dict[str, Any] = {
        "epochs": 2,
        "lr": 3e-3,
        "batch_size": 8,
        "longest": 24,
        "stride": 6,
        "save_seconds": 1e9,
    }
    return TaskOptions(**{**chosen, **changes})


def tiny_task_start(task: Task, config: Any = CONFIGS["bert"], seed: int = 0) -> Start:
    """A tiny model with random weights."""
    torch.manual_seed(seed)
    model = Model(config, heads=(HEADS[task.kind],), labels=task.labels or 1)
    return Start("tiny", model, frame_of(every_frame(), model), random=True)


def write_tsv(path: Path, rows: Sequence[Sequence[str]]) -> Path:
    """A table."""
    path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    return path
