"""The folder that a run for a task leaves: Hugging Face's layout, with training.json beside it.

config.json, model.safetensors and the tokenizer's files are as `transformers` reads them. A folder that
others trained is opened too, for a task that its head and labels are of.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from incognote.base.errors import EncoderError, TrainError
from incognote.onnx.task_folder import has_task
from incognote.workshop.encoders.checkpoints import load, save
from incognote.workshop.encoders.elmo import learned_mix
from incognote.workshop.encoders.model import Model
from incognote.workshop.tasks.answers import AnswerRules
from incognote.workshop.tasks.inputs import Frame, Limits, WordFrame
from incognote.workshop.tasks.settings import longest_of
from incognote.workshop.tasks.start import frame_of
from incognote.workshop.tasks.task import Task
from incognote.workshop.tasks.torch_task import HEADS, TorchTask
from incognote.workshop.tokenization import Tokenizer
from incognote.workshop.training import run_folder
from incognote.workshop.training.run_folder import TRAINING, write_tokenizer, write_training
from incognote.workshop.training.starts import check_vocabulary, read_tokenizer

SCHEMA = 1
_UNNAMED = re.compile(r"LABEL_\d+")
_NO_LETTER = re.compile(r"[^a-z0-9]")


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """A trained task, and what training.json says of it; nothing of one that others trained."""

    trained: TorchTask
    training: Mapping[str, Any]


def write_checkpoint(folder: Path, trained: TorchTask, training: Mapping[str, Any]) -> None:
    """Write all files; training.json comes last, so a folder that has it is whole."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / TRAINING).unlink(missing_ok=True)
    task, model, frame = trained.task, trained.model, trained.frame
    save(model, folder, problem_type=_problem_type(task))
    if isinstance(frame, WordFrame):
        write_tokenizer(folder, frame.tokenizer, model.config.longest)
    else:
        assert isinstance(frame, Tokenizer)
        write_tokenizer(
            folder,
            frame.library_copy(),
            model.config.longest,
            segmented=model.config.segments > 1,
            pads_left=frame.template.pads_left,
        )
    described = {
        "task": asdict(task),
        "longest": trained.limits.longest,
        "stride": trained.limits.stride,
        "longest_answer": trained.rules.longest,
        "threshold": trained.rules.threshold,
    }
    mix = learned_mix(model.encoder)
    write_training(folder, {"schema": SCHEMA, **described, **mix, **training})


def _problem_type(task: Task) -> str | None:
    if task.kind != "sentence":
        return None
    return "regression" if task.regression else "single_label_classification"


def load_checkpoint(folder: str | Path, task: Task | None = None) -> Checkpoint:
    """A folder that `write_checkpoint` wrote, or, for a named task, that others did.

    A task that is named must be of the checkpoint's kind, with its labels; the checkpoint says
    how long its sequences are.
    """
    folder = Path(folder)
    if not (folder / TRAINING).is_file():
        return Checkpoint(_published(folder, task), {})
    training = read_training(folder)
    try:
        own = _task(training["task"])
        limits = Limits(longest=training["longest"], stride=training["stride"])
        rules = AnswerRules(
            longest=training["longest_answer"],
            nullable=own.nullable,
            threshold=training["threshold"],
        )
    except (KeyError, TypeError):
        raise TrainError(
            f"{folder / TRAINING}: does not say how the model is used; it is damaged"
        ) from None
    model, frame = _read(folder, own)
    if own.kind == "sentence" and len(model.labels) != max(1, len(own.labels)):
        raise TrainError(f"{folder}: config.json and {TRAINING} name different labels")
    if task is not None:
        own = _same(folder, own, task)
    rules = replace(rules, nullable=own.nullable)
    return Checkpoint(TorchTask(model, own, frame, limits, rules), training)


def _task(values: Mapping[str, Any]) -> Task:
    lists = {name: tuple(values[name]) for name in ("labels", "metrics")}
    return Task(**{**values, **lists})


def _same(folder: Path, own: Task, task: Task) -> Task:
    """The task that was named, with the labels of the checkpoint."""
    if own.kind != task.kind or own.regression != task.regression:
        raise TrainError(f"{folder}: was trained for {own.title}, and cannot do {task.title}")
    if task.labels and set(task.labels) != set(own.labels):
        raise TrainError(
            f"{folder}: has learned the labels {', '.join(own.labels)}, and {task.title} has "
            f"{', '.join(task.labels)}"
        )
    return replace(task, labels=own.labels)


def _published(folder: Path, task: Task | None) -> TorchTask:
    """What others trained, for a task that is named."""
    if has_task(folder):
        raise TrainError(
            f"{folder}: exported already; `incognote classify` and `incognote ask` use it. To train, "
            "evaluate or export, give a checkpoint"
        )
    if not folder.is_dir():
        raise TrainError(
            f"{folder}: {'a file' if folder.exists() else 'no such folder'}; give a checkpoint, as "
            "`incognote task train` writes it"
        )
    if task is None:
        raise TrainError(
            f"{folder}: no checkpoint of `incognote task train` ({TRAINING} is missing); for one that "
            "others trained, name the task"
        )
    model, frame = _read(folder, task)
    task = replace(task, labels=_in_order(folder, model, task))
    limits = Limits(longest=longest_of(task, model.config))
    return TorchTask(model, task, frame, limits, AnswerRules(nullable=task.nullable))


def _read(folder: Path, task: Task) -> tuple[Model, Frame]:
    try:
        model = load(folder, heads=(HEADS[task.kind],))
    except EncoderError as error:
        raise TrainError(str(error)) from None
    read = read_tokenizer(folder)
    check_vocabulary(read, model)
    return model, frame_of(read, model)


def _in_order(folder: Path, model: Model, task: Task) -> tuple[str, ...]:
    """The task's labels as the classifier's outputs have them: by name, or in the task's order."""
    if task.kind != "sentence":
        return ()
    own = model.labels
    if len(own) != max(1, len(task.labels)) and (task.labels or task.regression):
        raise TrainError(
            f"{folder}: its classifier has {len(own)} labels, and {task.title} "
            f"{len(task.labels) or 'is a regression, which has one number'}"
        )
    if task.regression:
        return ()
    if not task.labels:
        return own
    names = {_plain(label): label for label in task.labels}
    if all(_plain(label) in names for label in own):
        return tuple(names[_plain(label)] for label in own)
    numbered = all(label.isdigit() for label in task.labels)
    if numbered or all(_UNNAMED.fullmatch(label) for label in own):
        return task.labels
    raise TrainError(
        f"{folder}: has the labels {', '.join(own)}, and {task.title} has {', '.join(task.labels)}"
    )


def _plain(label: str) -> str:
    return _NO_LETTER.sub("", label.lower())


def read_training(folder: Path) -> dict[str, Any]:
    """The training.json of a checkpoint of a task."""
    training = run_folder.read_training(folder, SCHEMA)
    if "task" not in training:
        made = "finds identifiers" if training.get("labels") else "is an encoder"
        raise TrainError(
            f"{folder}: holds a model that {made}, not one of `incognote task train`; train it for the "
            f"task first, with --encoder {folder}"
        )
    return training


def task_labels(task: Task) -> Sequence[str] | int:
    """What a head is built with."""
    return task.labels or 1
