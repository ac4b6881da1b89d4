"""The folder that a fine-tuned task lives in when it runs without torch.

    task/
      task.json          what is described below
      model.onnx         the network
      tokenizer.json     its tokenizer; words.json, where it reads words (ELMo)

The network takes sequences of one length side by side, so that there is neither padding nor a mask,
and a sequence's result does not depend on its neighbours:

| input | shape | |
|---|---|---|
| `ids` | [batch, length]; of words [batch, length, numbers of a row] | with the family's special tokens |
| `segments` | [batch, length] | only where the network has that input |

It gives `logits`: for sentences [batch, labels], or [batch, 1] where the task is a regression; for
multiple choice [batch, 1], each option being a sequence; for spans [batch, length, 2], start and end.

The schema has a version; a folder of another version is refused, never guessed at.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from incognote.base.errors import ModelError
from incognote.onnx.described import read_described, write_described

SCHEMA = 1
FILE, NETWORK, TOKENIZER, WORDS = "task.json", "model.onnx", "tokenizer.json", "words.json"

IDS, SEGMENTS, LOGITS = "ids", "segments", "logits"
"""Inputs of the network, and its output."""

KINDS = ("sentence", "choice", "span")


@dataclass(frozen=True, kw_only=True)
class TaskFolder:
    """A task, and how its network is to be read.

    task, title, kind, labels, pairs, regression, nullable, metrics: as `workshop.tasks.task.Task` has
    them, the labels those that were found in the data where the task does not name them.
    longest: tokens of a sequence at most, special ones included, as in fine-tuning.
    stride: tokens that the windows of a long context share.
    longest_answer: tokens of an answer at most.
    threshold: there is no answer where its score is above the best answer's by more than this.
    `files` has the SHA-256 of the network and the tokenizer; `card` says how the model was made and
    how good it is.
    """

    task: str
    title: str
    kind: str
    family: str
    labels: tuple[str, ...]
    pairs: bool | None
    regression: bool
    nullable: bool
    metrics: tuple[str, ...]
    longest: int
    stride: int
    longest_answer: int
    threshold: float
    files: Mapping[str, str]
    card: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ModelError(f"the kind must be one of {', '.join(KINDS)}")
        if NETWORK not in self.files or not {TOKENIZER, WORDS} & self.files.keys():
            raise ModelError(f"the files must be {NETWORK} and {TOKENIZER} or {WORDS}")
        if self.kind == "sentence" and self.regression == bool(self.labels):
            raise ModelError("there must be labels, or a regression without any")
        if len(set(self.labels)) != len(self.labels):
            raise ModelError("a label is listed twice")

    @property
    def reads_words(self) -> bool:
        """Whether its text goes through words.json."""
        return WORDS in self.files

    @property
    def width(self) -> int:
        """How many logits a sequence has, or a token where spans are asked for."""
        return {"sentence": len(self.labels) or 1, "choice": 1, "span": 2}[self.kind]


def has_task(folder: Path) -> bool:
    """Whether there is a task here that runs without torch."""
    return (folder / FILE).is_file()


def write_task_folder(task: TaskFolder, folder: Path) -> None:
    """Write `task.json`, whole or not at all."""
    write_described(task, folder / FILE, SCHEMA, indent=1)


def read_task_folder(folder: Path) -> TaskFolder:
    """Read and check `task.json`, and that the files are those that it was made with."""
    return read_described(folder / FILE, SCHEMA, "task", TaskFolder)
