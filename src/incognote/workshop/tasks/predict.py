"""Predictions of many examples as a stream, from whatever computes logits; an exported task without torch.

`TaskModel` is what both an exported folder (`OnnxTask`) and a checkpoint offer: a task, how it reads,
and logits for items. `predictions` makes labels, numbers, options and answers of them, a few examples
in memory at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, tee
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from incognote.align.word_tokenizer import WordTokenizer
from incognote.base.errors import ModelError, NotFiniteError, UserError
from incognote.onnx.network_file import check_network
from incognote.onnx.sessions import Network, cores
from incognote.onnx.task_folder import (
    IDS,
    NETWORK,
    SEGMENTS,
    WORDS,
    TaskFolder,
    read_task_folder,
)
from incognote.workshop.tasks.answers import Answered, AnswerRules, Logits, answers
from incognote.workshop.tasks.inputs import Frame, Item, Limits, WordFrame, items
from incognote.workshop.tasks.metrics import Prediction
from incognote.workshop.tasks.task import (
    ChoiceExample,
    Example,
    Kind,
    QuestionExample,
    SentenceExample,
    Task,
)
from incognote.workshop.tokenization import Encoding
from incognote.workshop.tokenization import load as load_tokenizer

SEQUENCES_AT_ONCE = 256
"""Sequences that are held and put into batches of one length each."""

BATCH_TOKENS = 1024
"""Tokens of a batch at most, unless one sequence has more."""


class TaskModel(Protocol):
    """A fine-tuned task, wherever its network runs."""

    @property
    def task(self) -> Task:
        """With the labels in the order of the classifier's outputs."""

    @property
    def frame(self) -> Frame:
        """What reads its texts."""

    @property
    def limits(self) -> Limits:
        """As in fine-tuning."""

    @property
    def rules(self) -> AnswerRules:
        """How answers are chosen, where the task is to find them."""

    def logits(self, items: Iterable[Item]) -> Iterator[tuple[Item, Logits]]:
        """Each item with its logits, in order: [labels], [options] or [tokens, 2]."""


@dataclass(frozen=True, slots=True)
class Predicted:
    """The label, number or option of an example.

    probabilities: of the task's labels or the example's options, in their order; none of a number.
    cut: whether its texts were longer than the model reads, so that their ends did not count.
    """

    id: str
    value: Prediction
    probabilities: tuple[float, ...] = ()
    cut: bool = False


def predictions(model: TaskModel, examples: Iterable[Example]) -> Iterator[Predicted | Answered]:
    """What the model says of each example, in order."""
    task = model.task
    read, asked = tee(examples)
    scored = model.logits(items(task, read, model.frame, model.limits))
    if task.kind == "span":
        questions = (each for each in asked if isinstance(each, QuestionExample))
        yield from answers(questions, scored, model.rules)
        return
    for example, (item, logits) in zip(asked, scored, strict=True):
        yield replace(_predicted(task, example, logits), cut=item.cut)


def _predicted(task: Task, example: Example, logits: Logits) -> Predicted:
    if not np.isfinite(logits).all():
        raise NotFiniteError
    if task.regression:
        return Predicted(example.id, float(logits[0]))
    powers = np.exp(logits.astype(np.float64) - logits.max())
    shares = tuple((powers / powers.sum()).tolist())
    best = int(logits.argmax())
    return Predicted(example.id, task.labels[best] if task.kind == "sentence" else best, shares)


def value_of(prediction: Predicted | Answered) -> Prediction:
    """As metrics take it."""
    return prediction.text if isinstance(prediction, Answered) else prediction.value


class OnnxTask:
    """A task folder, opened; see `onnx/task_folder.py`."""

    def __init__(self, folder: Path, *, threads: int | None = None) -> None:
        """`threads` is how many share one run of the network; None for all cores."""
        self.folder = read_task_folder(folder)
        check_network(folder / NETWORK, self.folder.files)
        self.task = task_of(self.folder)
        self.frame: Frame = (
            WordFrame(WordTokenizer.from_file(folder / WORDS))
            if self.folder.reads_words
            else load_tokenizer(folder, family=self.folder.family)
        )
        self.limits = Limits(longest=self.folder.longest, stride=self.folder.stride)
        self.rules = AnswerRules(
            longest=self.folder.longest_answer,
            nullable=self.folder.nullable,
            threshold=self.folder.threshold,
        )
        self._network = Network(folder / NETWORK, threads=threads or cores())
        if (
            not {IDS} <= self._network.inputs <= {IDS, SEGMENTS}
            or self._network.width != self.folder.width
        ):
            raise ModelError(f"{folder}: {NETWORK} does not fit the task's description")
        self._try_out(folder / NETWORK)

    def _try_out(self, path: Path) -> None:
        """Refuse a network that cannot read a letter, before any text is given to it."""
        try:
            for _ in predictions(self, [_trial(self.task.kind)]):
                pass
        except NotFiniteError:
            raise ModelError(
                f"{path}: gives scores that are not finite numbers; the model is damaged: copy or "
                "export it again"
            ) from None
        except UserError:
            raise
        except Exception as error:  # onnxruntime's errors share no public parent
            raise ModelError(
                f"{path}: does not run with the task's tokenizer and labels "
                f"({type(error).__name__}); the model is damaged: copy or export it again"
            ) from None

    def logits(self, items: Iterable[Item]) -> Iterator[tuple[Item, Logits]]:
        """Each item with its logits, in order; a batch has sequences of one length only."""
        stream = iter(items)
        while some := _some(stream):
            rows = iter(self._run([each for item in some for each in item.sequences]))
            for item in some:
                own = list(islice(rows, len(item.sequences)))
                yield item, np.concatenate(own) if self.task.kind == "choice" else own[0]

    def _run(self, sequences: Sequence[Encoding]) -> list[Logits]:
        found: dict[int, Logits] = {}
        by_length: dict[int, list[int]] = {}
        for number, sequence in enumerate(sequences):
            by_length.setdefault(len(sequence), []).append(number)
        for length, numbers in by_length.items():
            size = max(1, BATCH_TOKENS // length)
            for begin in range(0, len(numbers), size):
                batch = numbers[begin : begin + size]
                logits = self._network.run(**self._inputs([sequences[n] for n in batch]))
                found.update(zip(batch, logits, strict=True))
        return [found[number] for number in range(len(sequences))]

    def _inputs(self, sequences: Sequence[Encoding]) -> dict[str, npt.NDArray[Any]]:
        inputs = {IDS: np.stack([sequence.ids for sequence in sequences])}
        if SEGMENTS in self._network.inputs:
            inputs[SEGMENTS] = np.stack([sequence.segments for sequence in sequences])
        return inputs


def _some(stream: Iterator[Item]) -> list[Item]:
    """The next items, of so many sequences in all."""
    some: list[Item] = []
    count = 0
    for item in stream:
        some.append(item)
        count += len(item.sequences)
        if count >= SEQUENCES_AT_ONCE:
            break
    return some


def task_of(folder: TaskFolder) -> Task:
    """The task that a folder describes."""
    kinds: dict[str, Kind] = {"sentence": "sentence", "choice": "choice", "span": "span"}
    return Task(
        name=folder.task,
        title=folder.title,
        kind=kinds[folder.kind],
        labels=folder.labels,
        pairs=folder.pairs,
        regression=folder.regression,
        nullable=folder.nullable,
        metrics=folder.metrics,
    )


def _trial(kind: Kind) -> Example:
    if kind == "sentence":
        return SentenceExample("trial", "a")
    if kind == "choice":
        return ChoiceExample("trial", "a", "a", ("a", "a"))
    return QuestionExample("trial", "a", "a", known=False)
